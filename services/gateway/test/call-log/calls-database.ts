/** A database with organisations and keys for tests of the call log, without the rest of the gateway. */
import { randomUUID } from 'node:crypto';
import { openPostgres, type Postgres, type Queryable, sqlOf } from '@offer-ads/platform/postgres/postgres';
import { startWhenStoresServe } from '@offer-ads/platform/process/start-when-stores-serve';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { createTestDatabase } from '@offer-ads/testing/stores/database';
import { type Call, listCalls } from '../../src/call-log/calls-store.ts';
import { sha256Of } from '../../src/keys/keys-store.ts';

export type CallsDatabase = AsyncDisposable & {
  readonly url: string;
  readonly postgres: Postgres;
  readonly issueKey: (organisationId?: number) => Promise<IssuedKey>;
};
export type IssuedKey = { readonly organisationId: number; readonly keyId: number; readonly sha256: string };

export async function createCallsDatabase(): Promise<CallsDatabase> {
  await using open = new AsyncDisposableStack();
  const database = await createTestDatabase('gateway');
  open.defer(() => database.dispose());
  const postgres = open.use(await connect(database.url, { statementTimeoutMs: storePatienceMs }));
  const issueKey = async (known?: number): Promise<IssuedKey> => {
    const organisationId = known ?? (await insertOrganisation(postgres));
    const sha256 = sha256Of(randomUUID());
    const keyId = await idOf(
      postgres,
      `INSERT INTO api_keys (organisation_id, created_by, sha256, last_four, mode, name, created_at)
       SELECT $1, p.id, decode($2, 'hex'), 'last', 'TEST', 'Till', now() FROM people p WHERE p.organisation_id = $1
       RETURNING id`,
      [organisationId, sha256],
    );
    return { organisationId, keyId, sha256 };
  };
  const running = open.move();
  return { url: database.url, postgres, issueKey, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Long, because these tests wait for a busy machine. */
export const storePatienceMs = 60_000;

type Options = { statementTimeoutMs?: number; maxConnections?: number; plansOnce?: boolean };

export function connect(url: string, o: Options = {}): Promise<Postgres> {
  return startWhenStoresServe(() =>
    openPostgres({ url, logger: silentLogger, metrics: createMetrics('gateway'), ...o }),
  );
}

async function insertOrganisation(postgres: Postgres): Promise<number> {
  const id = await idOf(
    postgres,
    `INSERT INTO organisations (name, trading_name, country, currency, registered_at)
     VALUES ('Corner Cafe Limited', 'Corner Cafe', 'GB', 'GBP', now()) RETURNING id`,
    [],
  );
  await postgres.query(
    `INSERT INTO people (organisation_id, email, role, invited_at) VALUES ($1, 'owner@cafe.test', 'admin', now())`,
    [id],
  );
  return id;
}

async function idOf(postgres: Postgres, sql: string, values: readonly unknown[]): Promise<number> {
  const [row] = await postgres.query<{ id: number }>(sql, values);
  if (row === undefined) throw new Error('INSERT returned no id');
  return row.id;
}

export function callWith(keySha256: string, overrides: Partial<Call> = {}): Call {
  return {
    id: randomUUID(),
    keySha256,
    route: 'GET /offers',
    status: 200,
    returnCode: null,
    durationMs: 3,
    at: new Date('2026-06-01T12:00:00.000Z'),
    requestId: 'order-17',
    ...overrides,
  };
}

/** All calls in the organisation's log, newest first. */
export async function listed(postgres: Postgres, organisationId: number) {
  return (await listCalls(postgres, { organisationId, limit: 100_000, since: new Date(0) })).calls;
}

type PlanNode = {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
};

/** For each statement of `work`: the rows of tables with names that begin so that Postgres read, including those that it filtered out. */
export async function rowsRead(
  postgres: Postgres,
  table: string,
  work: (explaining: Queryable) => Promise<unknown>,
): Promise<number[]> {
  const readBy = (node: PlanNode): number => {
    const rows = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
    const own = node['Relation Name']?.startsWith(table) === true ? rows : 0;
    return own + (node.Plans ?? []).reduce((sum, plan) => sum + readBy(plan), 0);
  };
  const read: number[] = [];
  await work({
    query: async (statement, values) => {
      const [row] = await postgres.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `EXPLAIN (ANALYZE, FORMAT JSON) ${sqlOf(statement)}`,
        values,
      );
      read.push(row === undefined ? Number.NaN : readBy(row['QUERY PLAN'][0].Plan));
      return [];
    },
  });
  return read;
}
