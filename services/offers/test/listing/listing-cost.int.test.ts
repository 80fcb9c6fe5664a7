/** What a page of the listing costs: counted in rows and blocks, which no busy machine changes. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  openPostgres,
  type Postgres,
  type PreparedStatement,
  sqlOf,
} from '@offer-ads/platform/postgres/postgres';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { runs } from '@offer-ads/testing/profile';
import { createTestDatabase, type TestDatabase } from '@offer-ads/testing/stores/database';
import { type ListingQuery, portalStatuses } from '../../src/domain/listing-query.ts';
import { listOffers } from '../../src/listing/listing-store.ts';
import { putCatalogue, putManyOffers } from './listing-rows.ts';

const many = runs(20_000, 1_000_000);
const few = 10;
const limit = 20;
const MINUTE_MS = 60_000;
const now = new Date('2026-06-01T12:00:00Z');
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * MINUTE_MS);
/** Ten Active ones, the oldest, among those that have ended; and the other way round. */
const mostlyEnded = 1;
const mostlyScheduled = 2;
const mostlyActive = 3;
/** From here on, even the newest of the many have ended. */
const first = many + 10_000;

let database: TestDatabase;
let postgres: Postgres;
beforeAll(async () => {
  database = await createTestDatabase('offers');
  const o = { url: database.url, logger: silentLogger, metrics: createMetrics('test') };
  postgres = await openPostgres({ ...o, statementTimeoutMs: 300_000 });
  // What it guesses without statistics is part of the test.
  await postgres.query('ALTER TABLE offers SET (autovacuum_enabled = false)');
  await putCatalogue(postgres);
  const put = (organisationId: number, count: number, from: Date, startDays: number, expiryDays: number) =>
    putManyOffers(postgres, { organisationId, count, from, startDays, expiryDays, now });
  await put(mostlyEnded, few, minutesAgo(first + few), 1, 10_000);
  await put(mostlyEnded, many, minutesAgo(first), 1, 2);
  await put(mostlyScheduled, few, minutesAgo(first + few), 1, 2);
  await put(mostlyScheduled, many, minutesAgo(first), 10_000, 20_000);
  await put(mostlyActive, few, minutesAgo(first + few), 1, 2);
  await put(mostlyActive, many, minutesAgo(first), 0, 20_000);
}, 600_000);
afterAll(async () => {
  await postgres[Symbol.asyncDispose]();
  await database.dispose();
});

type Plan = {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Plan[];
};

/** Rows of offers that were looked at, and blocks of whatever was. */
async function costOf(organisationId: number, query: Partial<ListingQuery>) {
  let plan: Plan | undefined;
  const explain = async (statement: string | PreparedStatement, values?: readonly unknown[]) => {
    const [row] = await postgres.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sqlOf(statement)}`,
      values,
    );
    plan = row?.['QUERY PLAN'][0]?.Plan;
    return [];
  };
  const whole = { limit, after: null, status: null, createdAfter: null, createdBefore: null, ...query };
  await listOffers({ query: explain }, { organisationId, mode: 'TEST' }, whole, now);
  if (plan === undefined) throw new Error('no plan');
  return { rows: rowsRead(plan), blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] };
}

function rowsRead(plan: Plan): number {
  const passedBy = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  const own =
    plan['Relation Name'] === 'offers' ? (plan['Actual Rows'] + passedBy) * plan['Actual Loops'] : 0;
  return own + (plan.Plans ?? []).reduce((sum, child) => sum + rowsRead(child), 0);
}

const half = minutesAgo(first - many / 2);
const ranges: [string, Partial<ListingQuery>][] = [
  ['the first page', {}],
  ['a page far behind it', { after: { createdAt: half, offerId: 1 } }],
  ['created_after', { createdAfter: half }],
  ['created_before', { createdBefore: half }],
  ['a window of time', { createdAfter: minutesAgo(first - many / 2 + 100), createdBefore: half }],
  ['a page behind a window that is newer', { after: { createdAt: half, offerId: 1 }, createdBefore: now }],
];

describe.each([
  ['before the planner knows anything of the table', async () => {}],
  ['once it knows the table', async () => void (await postgres.query('ANALYZE'))],
])('%s', (_, prepare) => {
  beforeAll(prepare);

  it.each(
    [mostlyEnded, mostlyScheduled, mostlyActive].flatMap((organisation) =>
      [null, ...portalStatuses].flatMap((status) =>
        ranges.map(([name, range]) => [name, status, organisation, range] as const),
      ),
    ),
  )(
    '%s of status %s reads no more rows than it shows: organisation %i',
    async (_name, status, organisation, range) => {
      const cost = await costOf(organisation, { ...range, status });
      expect(cost.rows).toBeLessThanOrEqual(limit + 1);
      // A row lies in a block of its own at worst, and has a few of categories and interests; then those of the indexes.
      expect(cost.blocks).toBeLessThanOrEqual(5 * (limit + 1));
    },
  );
});

it('offers that the sweeper has not told of yet cost what they are, not what the organisation has', async () => {
  await postgres.query(
    'UPDATE offers SET end_announced_at = NULL WHERE organisation_id = $1 AND expiry_at < $2 AND offer_id % 1000 = 0',
    [mostlyEnded, now],
  );
  const { rows } = await costOf(mostlyEnded, { status: 'active' });
  // Met twice: under what they were filed as, and among what has moved on.
  expect(rows).toBeLessThanOrEqual(limit + 1 + 2 * (many / 1000));
});
