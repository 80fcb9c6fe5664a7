/** The audit log of all services, for a page and as a file. */
import { pipeline } from 'node:stream/promises';
import { auditCursor, auditFilter, auditPage, auditQuery } from '@offer-ads/contracts/admin/audit-api';
import { requestFacts } from '@offer-ads/platform/http/request';
import { validInput } from '@offer-ads/platform/http/valid-input';
import { Fault } from '@offer-ads/platform/process/faults';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Request, Router } from 'express';
import { z } from 'zod';
import { auditFormats, exportLines } from '../../audit/export-lines.ts';
import { AuditIncomplete, everyEntry, type ReadServiceAudit, readAudit } from '../../audit/read-audit.ts';
import type { ServiceCalls } from '../../service-calls.ts';
import { requireRole } from './require-role.ts';
import { sessionOf } from './require-session.ts';

/** The services check the cursor too; here it stays a text. */
const pageQuery = auditQuery.extend({
  cursor: z
    .string()
    .refine((text) => auditCursor.safeParse(text).success, 'must be the nextCursor of the page before')
    .optional(),
});
const exportQuery = auditFilter.extend({ format: z.enum(auditFormats) });

async function* from<Entry>(first: IteratorResult<Entry, void>, others: AsyncGenerator<Entry, void>) {
  if (first.done !== true) yield first.value;
  yield* others;
}

const types = { csv: 'text/csv; charset=utf-8', jsonl: 'application/jsonl; charset=utf-8' } as const;

export function auditRoutes(
  routes: Router,
  { ask, logger }: { readonly ask: ServiceCalls; readonly logger: Logger },
): void {
  const readAs = (req: Request): ReadServiceAudit => {
    const { person } = sessionOf(req);
    const { requestId } = requestFacts(req);
    return async (service, query) => {
      const call = { method: 'GET', path: `/admin/audit?${query}` } as const;
      const { statusCode, body } = await ask(service, call, { person, requestId });
      const answer = await body.json();
      if (statusCode !== 200) throw new Error(`${service} answered ${statusCode}`);
      return auditPage.parse(answer);
    };
  };

  routes.get('/audit', requireRole('GET /audit', logger), async (req, res) => {
    res.json(await readAudit(readAs(req), validInput(pageQuery, req.query)));
  });

  routes.get('/audit/export', requireRole('GET /audit/export', logger), async (req, res) => {
    const { format, ...filter } = validInput(exportQuery, req.query);
    const entries = everyEntry(readAs(req), filter);
    // The first entry before the status: a service that is away is then a message, not a broken file.
    const first = await entries.next().catch((error: unknown) => {
      if (!(error instanceof AuditIncomplete)) throw error;
      throw new Fault('the export would not be complete', {
        status: 502,
        publicMessage: `Nothing was exported: ${error.message}`,
        cause: error,
      });
    });
    const { person } = sessionOf(req);
    logger.info({ audit: true, actor: person.name, filter, format }, 'the audit log is exported');
    const day = requestFacts(req).receivedAt.toISOString().slice(0, 10);
    res.set('Content-Type', types[format]);
    res.set('Content-Disposition', `attachment; filename="audit-${day}.${format}"`);
    // A service that fails now breaks the download off.
    await pipeline(exportLines(from(first, entries), format), res);
  });
}
