/** The audit logs of all services as one: each service has the entries of its own admin calls, newest first. */
import {
  type AuditEntry,
  type AuditFilter,
  type AuditPage,
  auditCursorOf,
  MAX_AUDIT_PAGE,
  type MergedAudit,
} from '@offer-ads/contracts/admin/audit-api';
import { type ServiceName, serviceNames } from '@offer-ads/contracts/values/primitives';

/** GET /admin/audit of a service, with this query. Rejects when the service does not answer properly. */
export type ReadServiceAudit = (service: ServiceName, query: string) => Promise<AuditPage>;

type Page = AuditFilter & { readonly limit: number; readonly cursor?: string | undefined };

/** The places of entries are the same in all services, so the place of the last entry of a page continues all of them. */
export async function readAudit(read: ReadServiceAudit, page: Page): Promise<MergedAudit> {
  const query = queryOf(page);
  const answers = await Promise.allSettled(serviceNames.map((service) => read(service, query)));
  const all = answers.flatMap((answer, index) => {
    const service = serviceNames[index];
    if (answer.status === 'rejected' || service === undefined) return [];
    return answer.value.entries.map((entry) => ({ ...entry, service }));
  });
  const entries = all.toSorted(newestFirst).slice(0, page.limit);
  const last = entries.at(-1);
  return {
    entries,
    // A full page: there may be more, in a service that has sent a full page or among the entries that found no place here.
    nextCursor: last === undefined || entries.length < page.limit ? null : auditCursorOf(last),
    missing: serviceNames.filter((_, index) => answers[index]?.status === 'rejected'),
  };
}

/** More are refused, so that an export ends. */
export const MAX_EXPORTED = 200_000;

export class AuditIncomplete extends Error {
  override readonly name = 'AuditIncomplete';
}

/** All entries, newest first. Throws `AuditIncomplete` rather than leave something out. */
export async function* everyEntry(read: ReadServiceAudit, filter: AuditFilter) {
  let cursor: string | undefined;
  for (let exported = 0; ; exported += MAX_AUDIT_PAGE) {
    if (exported >= MAX_EXPORTED)
      throw new AuditIncomplete(`there are more than ${MAX_EXPORTED} entries: choose a shorter period`);
    const { entries, nextCursor, missing } = await readAudit(read, {
      ...filter,
      cursor,
      limit: MAX_AUDIT_PAGE,
    });
    if (missing.length > 0) throw new AuditIncomplete(`no answer from ${missing.join(', ')}`);
    yield* entries;
    if (nextCursor === null) return;
    cursor = nextCursor;
  }
}

function newestFirst(one: AuditEntry, other: AuditEntry): number {
  return Date.parse(other.at) - Date.parse(one.at) || (one.id < other.id ? 1 : -1);
}

function queryOf(page: Page): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(page))
    if (value !== undefined) query.set(name, value instanceof Date ? value.toISOString() : String(value));
  return query.toString();
}
