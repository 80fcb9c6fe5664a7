import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Postgres, type Queryable, sqlOf } from '@offer-ads/platform/postgres/postgres';
import { createTestDatabase } from '@offer-ads/testing/stores/database';
import { listOrganisations } from '../../src/accounts/organisations-store.ts';
import { connect, storePatienceMs } from '../call-log/calls-database.ts';

const open = new AsyncDisposableStack();
let postgres: Postgres;

beforeAll(async () => {
  const database = await createTestDatabase('gateway');
  open.defer(() => database.dispose());
  postgres = open.use(await connect(database.url, { statementTimeoutMs: storePatienceMs }));
});
afterAll(async () => open.disposeAsync());

type PlanNode = {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[];
};

function rowsOf(table: string, node: PlanNode): number {
  const own = node['Relation Name'] === table ? node['Actual Rows'] * node['Actual Loops'] : 0;
  return own + (node.Plans ?? []).reduce((sum, plan) => sum + rowsOf(table, plan), 0);
}

it('a page of organisations reads the acceptances of its own organisations only', async () => {
  await postgres.query(
    "INSERT INTO terms_versions (version, text, published_at) VALUES ('2026-06', 'x', now())",
  );
  await postgres.query(
    `WITH registered AS (
       INSERT INTO organisations (name, trading_name, country, currency, registered_at)
       SELECT 'Cafe', 'Cafe', 'GB', 'GBP', now() FROM generate_series(1, 10000) RETURNING id)
     INSERT INTO terms_acceptances (organisation_id, terms_version_id, accepted_at)
     SELECT registered.id, terms_versions.id, now() FROM registered, terms_versions`,
  );
  await postgres.query('ANALYZE organisations, terms_acceptances');
  const read: number[] = [];
  const explaining: Queryable = {
    query: async (statement, values) => {
      const [row] = await postgres.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${sqlOf(statement)}`,
        values,
      );
      read.push(row === undefined ? Number.NaN : rowsOf('terms_acceptances', row['QUERY PLAN'][0].Plan));
      return [];
    },
  };
  await listOrganisations(explaining, { limit: 50 });
  expect(read).toEqual([50]);
});
