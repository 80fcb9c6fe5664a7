import { describe, expect, it } from '@jest/globals';
import {
  type AuditEntry,
  auditCursor,
  auditQuery,
  type MergedAudit,
} from '@offer-ads/contracts/admin/audit-api';
import { type ServiceName, serviceNames } from '@offer-ads/contracts/values/primitives';
import fc from 'fast-check';
import { AuditIncomplete, everyEntry, type ReadServiceAudit, readAudit } from './read-audit.ts';

const entryAt = (second: number, number: number): AuditEntry => ({
  id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
  at: new Date(Date.UTC(2026, 10, 20) + second * 1_000).toISOString(),
  actor: 'ann',
  subject: null,
  roles: [],
  via: 'console',
  action: 'POST /things',
  targets: [],
  organisationId: null,
  reason: null,
  details: {},
  requestId: 'a-request',
  traceId: null,
  status: 200,
});

const newestFirst = (one: AuditEntry, other: AuditEntry) =>
  Date.parse(other.at) - Date.parse(one.at) || (one.id < other.id ? 1 : -1);

/** Services that answer as theirs do. Those in `away` do not answer. */
function servicesWith(
  entries: Partial<Record<ServiceName, AuditEntry[]>>,
  away: ServiceName[] = [],
): ReadServiceAudit {
  return async (service, text) => {
    if (away.includes(service)) throw new Error('away');
    const { limit, cursor } = auditQuery.parse(Object.fromEntries(new URLSearchParams(text)));
    const isBefore = ({ at, id }: AuditEntry) =>
      cursor === undefined ||
      Date.parse(at) < cursor.at.getTime() ||
      (Date.parse(at) === cursor.at.getTime() && id < cursor.id);
    return { entries: (entries[service] ?? []).filter(isBefore).toSorted(newestFirst).slice(0, limit) };
  };
}

async function allPages(read: ReadServiceAudit, limit: number) {
  const all: MergedAudit['entries'][number][] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await readAudit(read, { limit, cursor });
    expect(page.entries.length).toBeLessThanOrEqual(limit);
    all.push(...page.entries);
    if (page.nextCursor === null) return all;
    expect(auditCursor.safeParse(page.nextCursor).success).toBe(true);
    cursor = page.nextCursor;
  }
}

describe('the audit logs of all services', () => {
  it('are one list: page by page each entry comes once, newest first, also at equal times', async () => {
    const places = fc.array(fc.tuple(fc.constantFrom(...serviceNames), fc.integer({ min: 0, max: 5 })), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(places, fc.integer({ min: 1, max: 9 }), async (made, limit) => {
        const entries: Partial<Record<ServiceName, AuditEntry[]>> = {};
        for (const [number, [service, second]] of made.entries())
          entries[service] = [...(entries[service] ?? []), entryAt(second, number)];
        const all = await allPages(servicesWith(entries), limit);
        const expected = Object.values(entries).flat().toSorted(newestFirst);
        expect(all.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
      }),
      { numRuns: 60 },
    );
  });

  it('name the services that do not answer, and show those of the others', async () => {
    const read = servicesWith({ offers: [entryAt(1, 1)], billing: [entryAt(2, 2)] }, ['billing']);
    expect(await readAudit(read, { limit: 5 })).toMatchObject({
      entries: [{ service: 'offers' }],
      nextCursor: null,
      missing: ['billing'],
    });
  });

  it('are exported in full or not at all', async () => {
    const entries = { offers: Array.from({ length: 450 }, (_, number) => entryAt(number, number)) };
    const exported = [];
    for await (const { id } of everyEntry(servicesWith(entries), {})) exported.push(id);
    expect(new Set(exported).size).toBe(450);
    await expect(everyEntry(servicesWith(entries, ['gateway']), {}).next()).rejects.toThrow(AuditIncomplete);
  });
});
