/** The sweeper's look at test clocks, each second: its cost grows with the clocks, not with the offers. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Postgres, type PreparedStatement, sqlOf } from '@offer-ads/platform/postgres/postgres';
import { runs } from '@offer-ads/testing/profile';
import { changeDueOffers, type Due, isAnyDue } from '../../src/offers-store.ts';
import { putCatalogue, putManyOffers } from '../listing/listing-rows.ts';
import { databaseUnderTest } from '../offers-under-test.ts';

const offers = runs(20_000, 1_000_000);
const clocks = 1_000;
const now = new Date('2026-06-01T12:00:00Z');

const [postgres] = databaseUnderTest(300_000);
beforeAll(async () => {
  await postgres.query('ALTER TABLE offers SET (autovacuum_enabled = false)');
  await putCatalogue(postgres);
  const from = new Date(now.getTime() - (offers + 100_000) * 60_000);
  const many = { count: offers, from, now };
  // Ended long ago, and to start in many years.
  await putManyOffers(postgres, { ...many, organisationId: 1, startDays: 1, expiryDays: 2 });
  await putManyOffers(postgres, { ...many, organisationId: 2, startDays: 10_000, expiryDays: 20_000 });
  await postgres.query(
    'INSERT INTO test_clocks (organisation_id, ahead_seconds) SELECT id, 86400 FROM generate_series(1, $1::int) AS id',
    [clocks],
  );
}, 600_000);

type Plan = {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Plan[];
};

/** Rows of offers that are read, and blocks of any table, for what `ask` asks. */
async function costOf(ask: (db: Postgres) => Promise<unknown>) {
  let plan: Plan | undefined;
  const query = async (statement: string | PreparedStatement, values?: readonly unknown[]) => {
    const explained = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sqlOf(statement)}`;
    const [row] = await postgres.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(explained, values);
    plan = row?.['QUERY PLAN'][0]?.Plan;
    return [];
  };
  const explaining = { query, transaction: (work: (tx: object) => unknown) => work({ query }) };
  await ask(explaining as unknown as Postgres);
  if (plan === undefined) throw new Error('no plan');
  return { rows: rowsRead(plan), blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] };
}

function rowsRead(plan: Plan): number {
  const rows = plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0);
  const own = plan['Relation Name'] === 'offers' ? rows * plan['Actual Loops'] : 0;
  return own + (plan.Plans ?? []).reduce((sum, child) => sum + rowsRead(child), 0);
}

describe.each([
  ['without statistics', async () => {}],
  ['with statistics', async () => void (await postgres.query('ANALYZE'))],
])('%s', (_, prepare) => {
  beforeAll(prepare);

  it.each(['to-activate', 'to-end'] as const)(
    'nothing is read of offers that are not due: %s',
    async (due: Due) => {
      const { rows, blocks } = await costOf((db) =>
        changeDueOffers(db, due, { whose: 'due by test clocks', now, atMost: 200 }, () => {
          throw new Error('nothing is due');
        }),
      );
      expect(rows).toBe(0);
      // The way down an index for each clock.
      expect(blocks).toBeLessThanOrEqual(5 * clocks);
    },
  );

  it('of one organisation, neither', async () => {
    const { rows, blocks } = await costOf((db) => isAnyDue(db, 2, now));
    expect(rows).toBe(0);
    expect(blocks).toBeLessThanOrEqual(20);
  });
});
