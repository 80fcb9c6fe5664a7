/** Entries of the audit log as lines of a file. */
import type { MergedAudit } from '@offer-ads/contracts/admin/audit-api';

export const auditFormats = ['csv', 'jsonl'] as const;
export type AuditFormat = (typeof auditFormats)[number];

type Entry = MergedAudit['entries'][number];

const columns: Readonly<Record<string, (entry: Entry) => string>> = {
  time: ({ at }) => at,
  person: ({ actor }) => actor,
  subject: ({ subject }) => subject ?? '',
  roles: ({ roles }) => roles.join(' '),
  signed_in_by: ({ via }) => via,
  service: ({ service }) => service,
  action: ({ action }) => action,
  targets: ({ targets }) => targets.join(' '),
  organisation: ({ organisationId }) => String(organisationId ?? ''),
  reason: ({ reason }) => reason ?? '',
  details: ({ details }) => (Object.keys(details).length === 0 ? '' : JSON.stringify(details)),
  status: ({ status }) => String(status ?? 'unknown'),
  request_id: ({ requestId }) => requestId,
  trace_id: ({ traceId }) => traceId ?? '',
  id: ({ id }) => id,
};

/** Each line with its end. */
export async function* exportLines(
  entries: AsyncIterable<Entry>,
  format: AuditFormat,
): AsyncGenerator<string> {
  if (format === 'csv') yield row(Object.keys(columns));
  for await (const entry of entries)
    yield format === 'csv'
      ? row(Object.values(columns).map((of) => of(entry)))
      : `${JSON.stringify(entry)}\n`;
}

function row(cells: readonly string[]): string {
  return `${cells.map(cell).join(',')}\r\n`;
}

/** Spreadsheets take a text that begins like this for a formula, also after blanks. The apostrophe makes it a text. */
const formula = /^\s*[=+\-@|%\t\r]/;

function cell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
