/** The guard of internal admin routes: the credential (ADR 23), the body, and the audit log (ADR 42). */
import type { AuditEntry } from '@offer-ads/contracts/admin/audit-api';
import { type StaffRole, staffRoles } from '@offer-ads/contracts/admin/staff-calls';
import express, { type Request, type RequestHandler } from 'express';
import { routeTemplate } from '../http/request.ts';
import { jsonBody } from '../http/request-bodies.ts';
import { callerGoneStatus, unauthorised } from '../process/faults.ts';
import type { Logger } from '../telemetry/logging.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { AuditLog } from './audit.ts';
import { parseTokenHashes } from './tokens.ts';

/** These name the person for whom the console calls. Only the console may send them. */
export const adminActorHeader = 'x-admin-actor';
export const adminSubjectHeader = 'x-admin-subject';
export const adminRolesHeader = 'x-admin-roles';
/** `emergency`: the person signed in to the console with an emergency token. */
export const adminViaHeader = 'x-admin-via';
/** The name of the only credential that may call for other people: the console has checked who they are. */
export const consoleName = 'console';

export type AdminCaller = Pick<AuditEntry, 'actor' | 'subject' | 'via'> & {
  readonly roles: readonly StaffRole[];
};
const callers = new WeakMap<Request, AdminCaller>();

/** For a route or a router. `maxBytes`: of the largest JSON body; null: the route reads its body itself. */
export type AdminGuard = (maxBytes: number | null) => RequestHandler;

export type AdminGuardOptions = {
  readonly tokenHashes: string;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Null in a process whose admin routes change nothing. */
  readonly audit: Pick<AuditLog, 'record'> | null;
};

export function adminGuard(o: AdminGuardOptions): AdminGuard {
  const requireAdmin = checkCredential(o);
  return (maxBytes) => {
    const guard = express.Router().use(requireAdmin);
    if (maxBytes !== null) guard.use(jsonBody({ maxBytes }));
    if (o.audit !== null) guard.use(o.audit.record);
    return guard;
  };
}

function checkCredential(o: AdminGuardOptions): RequestHandler {
  const parsed = parseTokenHashes(o.tokenHashes);
  if (!parsed.ok) throw new Error(`hashes of admin tokens: ${parsed.problem}`);
  const emergencies = o.metrics.counter({
    name: 'admin_emergency_calls_total',
    help: 'Admin calls of people who signed in to the console with an emergency token',
  });
  return (req, res, next) => {
    if (callers.has(req)) return next();
    const given = /^Bearer (.+)$/.exec(req.get('authorization') ?? '')?.[1] ?? '';
    const name = parsed.hashes.nameOf(given);
    const granted = name !== null;
    if (granted) callers.set(req, callerIn(req, name));
    if (callers.get(req)?.via === 'emergency') emergencies.inc();
    // Not 'finish': it is never emitted when the caller leaves before the reply, but the call may have had its effect.
    res.once('close', () => {
      const isUnheard = !res.writableFinished && !res.headersSent;
      const { actor, via } = callers.get(req) ?? {};
      const call = {
        audit: true,
        actor,
        ...(via !== 'token' && { via }),
        method: req.method,
        route: routeTemplate(req),
        // Admin paths hold ids only, never a name or an address.
        path: granted ? pathOf(req) : undefined,
        status: isUnheard ? callerGoneStatus : res.statusCode,
        reason: granted ? reasonOf(req) : undefined,
      };
      o.logger.info(call, granted ? 'admin call' : 'admin call refused');
    });
    next(granted ? undefined : unauthorised('admin credential missing or wrong'));
  };
}

/** Only for routes behind the guard. */
export function callerOf(req: Request): AdminCaller {
  const caller = callers.get(req);
  if (caller === undefined) throw new Error('this route needs the admin guard before it');
  return caller;
}

/** The name of the credential, or the person for whom the console calls. Only for routes behind the guard. */
export function actorOf(req: Request): string {
  return callerOf(req).actor;
}

function callerIn(req: Request, name: string): AdminCaller {
  const person = name === consoleName ? printable(req, adminActorHeader, 100) : undefined;
  if (person === undefined) return { actor: name, subject: null, roles: [], via: 'token' };
  const given = (req.get(adminRolesHeader) ?? '').split(',');
  return {
    actor: person,
    subject: printable(req, adminSubjectHeader, 255) ?? null,
    roles: staffRoles.filter((role) => given.includes(role)),
    via: req.get(adminViaHeader) === 'emergency' ? 'emergency' : 'console',
  };
}

function printable(req: Request, header: string, atMost: number): string | undefined {
  return req
    .get(header)
    ?.replace(/[^\x20-\x7e]/g, '')
    .slice(0, atMost);
}

function pathOf(req: Request): string {
  return (req.originalUrl.split('?', 1)[0] ?? '').slice(0, 200);
}

/** The reason that some routes require. It is a checked field of the body and is written to the audit log. */
function reasonOf(req: Request): string | undefined {
  const { reason } = (req.body ?? {}) as { reason?: unknown };
  return typeof reason === 'string' ? reason.replace(/\p{Cc}/gu, ' ').slice(0, 500) : undefined;
}
