/** The audit log of admin calls, of all services together. */
import { auditPage, MAX_AUDIT_PAGE } from '@offer-ads/contracts/admin/audit-api';
import { z } from 'zod';
import { auditFormats, exportLines } from '../audit/export-lines.ts';
import { everyEntry, type ReadServiceAudit, readAudit } from '../audit/read-audit.ts';
import { type Command, command, count, id, isoTime, text } from '../command.ts';
import { writeNew } from '../files.ts';
import type { Tools } from '../tools.ts';

const filters = {
  person: text.optional(),
  action: text.optional(),
  target: text.optional(),
  org: id.optional(),
  from: isoTime.optional(),
  to: isoTime.optional(),
};
type Filters = z.infer<z.ZodObject<typeof filters>>;

export const auditCommands: readonly Command[] = [
  command({
    name: 'audit list',
    summary: 'List changing admin calls of all services, newest first; --cursor continues after a page',
    options: {
      ...filters,
      limit: count
        .refine((limit) => limit >= 1 && limit <= MAX_AUDIT_PAGE, `must be from 1 to ${MAX_AUDIT_PAGE}`)
        .default(50),
      cursor: text.optional(),
    },
    run: async ({ limit, cursor, ...given }, { call }) => {
      const page = await readAudit(readBy(call), { ...filterOf(given), limit, cursor });
      const entries = page.entries.map((entry) => ({
        at: entry.at,
        service: entry.service,
        person: entry.actor,
        via: entry.via,
        action: entry.action,
        targets: entry.targets.join(' '),
        org: entry.organisationId,
        status: entry.status ?? 'unknown',
        reason: entry.reason,
      }));
      const missing = page.missing.length === 0 ? null : page.missing.join(' ');
      return { entries, nextCursor: page.nextCursor, missing };
    },
  }),
  command({
    name: 'audit export',
    summary: 'Write all entries to a new file, as CSV or as JSON lines',
    operand: 'file',
    options: {
      ...filters,
      file: text.describe('FILE'),
      format: z.enum(auditFormats).describe('csv|jsonl').default('csv'),
    },
    run: async ({ file, format, ...given }, { call }) => {
      const lines: string[] = [];
      for await (const line of exportLines(everyEntry(readBy(call), filterOf(given)), format))
        lines.push(line);
      writeNew(file, lines.join(''));
      return { file, entries: lines.length - (format === 'csv' ? 1 : 0) };
    },
  }),
];

function readBy(call: Tools['call']): ReadServiceAudit {
  return async (service, query) => {
    const parameters = Object.fromEntries(new URLSearchParams(query));
    return auditPage.parse(await call(service, 'GET /admin/audit', { query: parameters }));
  };
}

function filterOf({ person, org, from, to, ...same }: Filters) {
  const timeOf = (text: string | undefined) => (text === undefined ? undefined : new Date(text));
  return { ...same, actor: person, organisationId: org, from: timeOf(from), to: timeOf(to) };
}
