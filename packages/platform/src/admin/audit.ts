/**
 * The audit log of admin calls (ADR 42): each changing call has an entry in the service's own store. It is written before the call is
 * carried out, and completed with the outcome afterwards. A call whose entry cannot be written is refused.
 */

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { AuditEntry, AuditFilter, AuditPlace } from '@offer-ads/contracts/admin/audit-api';
import { auditQuery } from '@offer-ads/contracts/admin/audit-api';
import { callFacts } from '@offer-ads/contracts/admin/audit-facts';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import type { Express, Request, RequestHandler } from 'express';
import { requestFacts } from '../http/request.ts';
import { validInput } from '../http/valid-input.ts';
import type { Clock } from '../process/clock.ts';
import { callerGoneStatus } from '../process/faults.ts';
import { startLoop } from '../process/loops.ts';
import type { Logger } from '../telemetry/logging.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type AdminGuard, callerOf } from './routes.ts';

/** What is known only when the call has been carried out. */
export type AuditOutcome = {
  readonly status: number;
  /** Added to those that the request named. */
  readonly targets: readonly string[];
  readonly organisationId: number | null;
};

export type AuditSearch = AuditFilter & { readonly limit: number; readonly before: AuditPlace | undefined };

/** Entries are added, completed once, and removed when they are old: nothing else. */
export type AuditStore = {
  readonly add: (entry: Omit<AuditEntry, 'status'>) => Promise<void>;
  readonly complete: (id: string, outcome: AuditOutcome) => Promise<void>;
  readonly list: (search: AuditSearch) => Promise<AuditEntry[]>;
  readonly removeBefore: (at: Date) => Promise<void>;
};

export type AuditLog = AsyncDisposable & {
  /** Behind the check of the credential and the parsing of the body. */
  readonly record: RequestHandler;
  /** The same for calls that are no admin calls. */
  readonly recordBy: (who: (req: Request) => Actor) => RequestHandler;
  readonly list: AuditStore['list'];
};

const REMOVE_EVERY_MS = 3_600_000;

export function startAuditLog(o: {
  readonly store: AuditStore;
  readonly retentionDays: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}): AuditLog {
  const { store, clock, logger, metrics } = o;
  const removal = startLoop({
    name: 'audit-retention',
    everyMs: REMOVE_EVERY_MS,
    work: () => store.removeBefore(new Date(clock.now().getTime() - o.retentionDays * DAY_MS)),
    logger,
    metrics,
  });
  const underWay = new Set<Promise<void>>();
  const complete = (id: string, outcome: AuditOutcome) => {
    const done = store
      .complete(id, outcome)
      .catch((error: unknown) => logger.error({ error, id }, 'the outcome of an admin call was not recorded'))
      .finally(() => underWay.delete(done));
    underWay.add(done);
  };
  const recordBy =
    (who: (req: Request) => Actor): RequestHandler =>
    async (req, res, next) => {
      // A request may pass the guards of two routers.
      if (isReading(req) || known.has(req)) return next();
      const entry = entryOf(req, who(req), clock.now());
      await store.add(entry);
      known.set(req, {});
      // Not 'finish': it is never emitted when the caller leaves before the reply, but the call may have had its effect.
      res.once('close', () => {
        const isUnheard = !res.writableFinished && !res.headersSent;
        const { target, organisationId } = known.get(req) ?? {};
        complete(entry.id, {
          status: isUnheard ? callerGoneStatus : res.statusCode,
          targets: target === undefined || entry.targets.includes(target) ? [] : [target],
          organisationId: entry.organisationId ?? organisationId ?? null,
        });
      });
      next();
    };
  return {
    list: store.list,
    record: recordBy(callerOf),
    recordBy,
    [Symbol.asyncDispose]: async () => {
      await removal[Symbol.asyncDispose]();
      await Promise.all(underWay);
    },
  };
}

/** GET /admin/audit */
export function mountAuditRoute(
  app: Express,
  o: { readonly admin: AdminGuard; readonly audit: AuditLog },
): void {
  app.get('/admin/audit', o.admin(1024), async (req, res) => {
    const { cursor, ...search } = validInput(auditQuery, req.query);
    res.json({ entries: await o.audit.list({ ...search, before: cursor }) });
  });
}

type Actor = Pick<AuditEntry, 'actor' | 'subject' | 'via'> & { readonly roles: readonly string[] };
type Added = { readonly target?: string | undefined; readonly organisationId?: number | undefined };
const known = new WeakMap<IncomingMessage, Added>();

/** For routes that learn only while they work what the call is about. Call it before the reply. */
export function auditTarget(req: IncomingMessage, added: Added): void {
  if (known.has(req)) known.set(req, { ...known.get(req), ...added });
}

function isReading({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

function entryOf(req: Request, { actor, subject, roles, via }: Actor, now: Date): Omit<AuditEntry, 'status'> {
  const { requestId, logged } = requestFacts(req);
  const facts = callFacts(req.method, req.originalUrl.split('?', 1)[0] ?? '', req.body as unknown);
  return {
    id: randomUUID(),
    at: now.toISOString(),
    actor,
    subject,
    roles: [...roles],
    via,
    ...facts,
    targets: [...facts.targets],
    details: { ...facts.details },
    requestId,
    traceId: logged.traceId ?? null,
  };
}
