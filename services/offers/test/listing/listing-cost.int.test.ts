/**
 * What pages of the listing, and the work that no request starts, cost: counted in rows and blocks, which do not depend on the machine's
 * load. The cost of test clocks grows with the clocks, not with the offers.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { EXAMINED_OFFERS, offerSorts } from '@offer-ads/contracts/values/offers-list';
import { type Postgres, type PreparedStatement, sqlOf } from '@offer-ads/platform/postgres/postgres';
import { runs } from '@offer-ads/testing/profile';
import type { ListingQuery } from '../../src/domain/listing-query.ts';
import { type PortalQuery, readPortalQuery } from '../../src/domain/portal-listing.ts';
import { listOffers } from '../../src/listing/listing-store.ts';
import { listForPortal } from '../../src/listing/portal-listing-store.ts';
import { countWaitingForReview } from '../../src/listing/search-store.ts';
import { changeDueOffers, countLive, isAnyDue, type Whose } from '../../src/offers-store.ts';
import { pageOfPlaceable, readChanges, readPosition } from '../../src/placements/live-offers-store.ts';
import { bestOffers, countOffersNow } from '../../src/results/results-store.ts';
import { databaseUnderTest } from '../offers-under-test.ts';
import { itemsOfPages } from '../pages.ts';
import { putCatalogue, putManyOffers } from './listing-rows.ts';

/** With fewer, the plans without statistics are others. */
const many = runs(20_000, 1_000_000);
const few = 10;
const limit = 20;
const MINUTE_MS = 60_000;
const now = new Date('2026-06-01T12:00:00Z');
const minutesAgo = (minutes: number) => new Date(now.getTime() - minutes * MINUTE_MS);
/** Organisations whose ten oldest offers have another status than all others. */
const mostlyEnded = 1;
const mostlyScheduled = 2;
const mostlyActive = 3;
/** Minutes before now. From there, even the newest of the many have ended. */
const first = many + 10_000;

const [postgres] = databaseUnderTest(300_000);
beforeAll(async () => {
  // The plans without statistics are tested too.
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

const whole = { limit, after: null, status: null, createdAfter: null, createdBefore: null };

/** Of each statement that `work` sends. It gets no rows. */
async function costsOf(work: (db: Postgres) => Promise<unknown>) {
  const plans: Plan[] = [];
  const explain = async (statement: string | PreparedStatement, values?: readonly unknown[]) => {
    const [row] = await postgres.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sqlOf(statement)}`,
      values,
    );
    const plan = row?.['QUERY PLAN'][0]?.Plan;
    if (plan !== undefined) plans.push(plan);
    return [];
  };
  const explaining = { query: explain, transaction: (steps: (tx: object) => unknown) => steps(explaining) };
  await work(explaining as unknown as Postgres);
  return plans.map((plan) => ({
    rowsOf: (table: string) => rowsRead(plan, table),
    blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
  }));
}

function rowsRead(plan: Plan, table: string): number {
  const passedBy = (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Index Recheck'] ?? 0);
  const own = plan['Relation Name'] === table ? (plan['Actual Rows'] + passedBy) * plan['Actual Loops'] : 0;
  return own + (plan.Plans ?? []).reduce((sum, child) => sum + rowsRead(child, table), 0);
}

const half = minutesAgo(first - many / 2);
const farBehind = { after: { createdAt: half, offerId: 1 } };
const window = { createdAfter: minutesAgo(first - many / 2 + 100), createdBefore: half };
const listed = (organisationId: number, query: Partial<ListingQuery>) =>
  costsOf((db) => listOffers(db, { organisationId, mode: 'TEST' }, { ...whole, ...query }, now));

describe.each([
  ['without statistics about the table', async () => {}],
  ['with statistics', async () => void (await postgres.query('ANALYZE'))],
])('%s', (_, prepare) => {
  beforeAll(prepare);

  it.each<[string, number, Partial<ListingQuery>]>([
    ['of all offers in a window of time, far behind the first', mostlyScheduled, { ...farBehind, ...window }],
    ['of a few Active among many Ended', mostlyEnded, { status: 'active' }],
    ['of many Ended, far behind the first', mostlyEnded, { status: 'ended', ...farBehind }],
    ['of many Scheduled, in a window of time', mostlyScheduled, { status: 'scheduled', ...window }],
    ['of a status that none has', mostlyActive, { status: 'paused' }],
  ])('a page %s reads no more rows than it shows', async (_name, organisation, query) => {
    const [cost] = await listed(organisation, query);
    expect(cost?.rowsOf('offers')).toBeLessThanOrEqual(limit + 1);
    // At worst each row is in a block of its own, with a few blocks of categories, interests and indexes.
    expect(cost?.blocks).toBeLessThanOrEqual(5 * (limit + 1));
  });
});

describe('the portal’s list', () => {
  const list = (organisationId: number, query: Partial<PortalQuery>) =>
    costsOf((db) =>
      listForPortal(
        db,
        { organisationId, mode: 'TEST' },
        { ...whole, search: null, sort: 'newest', afterRanked: null, ...query },
        now,
      ),
    );

  beforeAll(async () => {
    await postgres.query(
      'INSERT INTO traffic_totals SELECT offer_id, offer_id % 1000, offer_id % 10 FROM offers; ANALYZE',
    );
  });

  it('reads the sums of the offers that it shows, and no other offers', async () => {
    const [cost] = await list(mostlyEnded, { status: 'active' });
    for (const table of ['offers', 'traffic_totals', 'offer_spend'])
      expect(cost?.rowsOf(table)).toBeLessThanOrEqual(limit + 1);
  });

  it.each(offerSorts)('examines a bounded number of offers for a search by %s', async (sort) => {
    const [cost] = await list(mostlyActive, { sort, search: 'no such title' });
    for (const table of ['offers', 'traffic_totals', 'offer_spend'])
      expect(cost?.rowsOf(table)).toBeLessThanOrEqual(EXAMINED_OFFERS);
  });

  it('stops a search that finds much when the page is full', async () => {
    const [cost] = await list(mostlyEnded, { status: 'ended', search: 'two' });
    expect(cost?.rowsOf('offers')).toBeLessThanOrEqual(limit + 1);
  });
});

describe('a search of the portal for an offer that lies far behind', () => {
  it.each([
    ['newest', 'created_at, offer_id'],
    ['ending_soon', 'expiry_at DESC, offer_id DESC'],
  ] as const)('goes on behind the offers that it examined, by %s', async (sort, order) => {
    const owner = { organisationId: mostlyActive, mode: 'TEST' } as const;
    const [last] = await postgres.query<{ id: number }>(
      `SELECT offer_id AS id FROM offers WHERE organisation_id = $1 AND expiry_at > $2 ORDER BY ${order} LIMIT 1`,
      [mostlyActive, now],
    );
    const search = String(last?.id);
    let pages = 0;
    const found = await itemsOfPages(async (cursor) => {
      pages += 1;
      const read = readPortalQuery({ sort, search, ...(cursor && { cursor }) }, 'TEST');
      if (!read.ok) throw new Error(`no cursor: ${cursor}`);
      const { offers, nextCursor } = await listForPortal(postgres, owner, read.query, now);
      return { items: offers.map(({ offerId }) => offerId), next: nextCursor };
    });
    expect(found).toEqual([last?.id]);
    expect(pages).toBe(Math.ceil(many / EXAMINED_OFFERS));
  });
});

describe('the portal’s first page', () => {
  const owner = { organisationId: mostlyActive, mode: 'TEST' } as const;
  it('counts a bounded number of offers', async () => {
    for (const cost of await costsOf((db) => countOffersNow(db, owner, now)))
      expect(cost.rowsOf('offers')).toBeLessThanOrEqual(EXAMINED_OFFERS);
  });
  it('compares the traffic of a hundred offers', async () => {
    const period = { from: minutesAgo(30 * 24 * 60), to: now };
    await postgres.query(
      `INSERT INTO traffic (offer_id, hour, views) SELECT offer_id, $1, 1 FROM offers WHERE organisation_id = $2
       ON CONFLICT DO NOTHING`,
      [minutesAgo(120), mostlyActive],
    );
    const [cost] = await costsOf((db) => bestOffers(db, owner, period, 5));
    expect(cost?.rowsOf('offers')).toBeLessThanOrEqual(EXAMINED_OFFERS);
    expect(cost?.rowsOf('traffic')).toBeLessThanOrEqual(100);
  });
});

describe('with many offers whose end was announced', () => {
  const clocks = 1_000;
  beforeAll(async () => {
    await postgres.query(
      'INSERT INTO test_clocks (organisation_id, ahead_seconds) SELECT id, 86400 FROM generate_series(1, $1::int) AS id',
      [clocks],
    );
    await postgres.query('ANALYZE');
  });

  it.each([
    ['to-activate', 'due by the real time'],
    ['to-end', 'due by the real time'],
    ['to-activate', 'due by test clocks'],
    ['to-end', 'due by test clocks'],
  ] as const)('the sweeper reads only offers that are due: %s, %s', async (due, whose: Whose) => {
    // None is due. Statistics that look at one column at a time expect many.
    const [cost] = await costsOf((db) =>
      changeDueOffers(db, due, { whose, now, atMost: 200 }, () => ({ ok: false, reason: 'not-due' })),
    );
    expect(cost?.rowsOf('offers')).toBe(0);
    // The way down an index for each clock.
    expect(cost?.blocks).toBeLessThanOrEqual(5 * clocks);
  });

  it('a request about a test clock reads nothing of offers that are not due', async () => {
    const [cost] = await costsOf((db) => isAnyDue(db, mostlyScheduled, now));
    expect([cost?.rowsOf('offers'), (cost?.blocks ?? 0) <= 20]).toEqual([0, true]);
    await postgres.query('DELETE FROM test_clocks');
  });

  it('a page of those that members may see reads no more than it has, though all end at the same moment', async () => {
    const end = new Date(now.getTime() + MINUTE_MS);
    await postgres.query('UPDATE offers SET expiry_at = $2 WHERE organisation_id = $1', [mostlyActive, end]);
    const [cost] = await costsOf((db) => pageOfPlaceable(db, { expiryAt: end, offerId: 0 }, 200));
    expect(cost?.rowsOf('offers')).toBe(200);
  });

  it('a look at what members may see reads only the offers that have changed', async () => {
    const before = await readPosition(postgres);
    await postgres.query(
      'UPDATE offers SET paused_since = $2 WHERE organisation_id = $1 AND offer_id % 1000 = 0',
      [mostlyScheduled, now],
    );
    const [cost] = await costsOf((db) => readChanges(db, before));
    const read = cost?.rowsOf('offers') ?? 0;
    expect(read).toBeGreaterThan(0);
    // Found by the index, and then read with its clock.
    expect(read).toBeLessThanOrEqual(2 * (many / 1000 + 1));
  });

  it('the count of live offers looks at so many that have not ended', async () => {
    const [cost] = await costsOf((db) => countLive(db, now, 1_000));
    expect(cost?.rowsOf('offers')).toBe(1_000);
  });

  it('the count of offers that wait for a review reads no others', async () => {
    const [cost] = await costsOf((db) => countWaitingForReview(db, 'TEST', 1_000));
    expect(cost?.rowsOf('offers')).toBe(0);
  });
});

it('offers that the sweeper has not announced yet cost in proportion to their number', async () => {
  await postgres.query(
    'UPDATE offers SET end_announced_at = NULL WHERE organisation_id = $1 AND expiry_at < $2 AND offer_id % 1000 = 0',
    [mostlyEnded, now],
  );
  const [cost] = await listed(mostlyEnded, { status: 'active' });
  // Each is read twice: under its filed status, and among those whose status has changed since.
  expect(cost?.rowsOf('offers')).toBeLessThanOrEqual(limit + 1 + 2 * (many / 1000));
});
