import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@offer-ads/testing/logger';
import { createEmptyDatabase, type TestDatabase } from '@offer-ads/testing/stores/database';
import { startTcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { createDeadline } from '../src/calls/deadline.ts';
import {
  checkVersion,
  isTooLate,
  openPostgres,
  type Postgres,
  type Queryable,
  type Transaction,
} from '../src/postgres/postgres.ts';
import { callerGone } from '../src/process/faults.ts';
import { startWhenStoresServe } from '../src/process/start-when-stores-serve.ts';
import { createMetrics } from '../src/telemetry/metrics.ts';
import { openPatiently } from './test-events.ts';

const settings = { logger: silentLogger, metrics: createMetrics('offers') };
/** On a busy machine already the opening may take too long; a service would try again too. */
const openImpatiently = (url: string, statementTimeoutMs: number) =>
  startWhenStoresServe(() => openPostgres({ url, ...settings, statementTimeoutMs }));

describe('postgres', () => {
  let database: TestDatabase;
  let postgres: Postgres;
  beforeAll(async () => {
    database = await createEmptyDatabase();
    postgres = await openPatiently(database.url);
    await postgres.query('CREATE TABLE coins (id bigint PRIMARY KEY)');
    await postgres.query('CREATE TABLE purses (coin bigint REFERENCES coins DEFERRABLE INITIALLY DEFERRED)');
  });
  afterAll(async () => {
    await postgres[Symbol.asyncDispose]();
    await database.dispose();
  });

  it('no statement starts processes of its own, however many rows Postgres expects', async () => {
    const plan = await postgres.transaction(async (tx) => {
      await tx.query('CREATE TABLE crowd AS SELECT n FROM generate_series(1, 50000) AS n');
      await tx.query('ANALYZE crowd');
      await tx.query('SET LOCAL parallel_setup_cost = 0');
      await tx.query('SET LOCAL parallel_tuple_cost = 0');
      await tx.query('SET LOCAL min_parallel_table_scan_size = 0');
      return tx.query<{ 'QUERY PLAN': string }>('EXPLAIN SELECT count(*) FROM crowd');
    });
    expect(plan.map((line) => line['QUERY PLAN']).join('\n')).not.toContain('Gather');
  });

  it('reads bigint and numeric exactly, instants as dates and days as text', async () => {
    const [row] = await postgres.query(
      `SELECT 9007199254740993::bigint AS money, 0.10::numeric AS rate,
              '2026-06-01T12:00:00.123Z'::timestamptz AS at, '2026-06-01'::date AS day`,
    );
    expect(row).toEqual({
      money: 9007199254740993n,
      rate: '0.10',
      at: new Date('2026-06-01T12:00:00.123Z'),
      day: '2026-06-01',
    });
  });

  it('parses a prepared statement once for each connection', async () => {
    const doubled = { name: 'doubled', sql: 'SELECT $1::bigint * 2 AS twice' };
    const parsed = await postgres.transaction(async (tx) => {
      expect(await tx.query(doubled, [2])).toEqual([{ twice: 4n }]);
      expect(await tx.query(doubled, [3])).toEqual([{ twice: 6n }]);
      return tx.query('SELECT name, generic_plans + custom_plans AS runs FROM pg_prepared_statements');
    });
    expect(parsed).toEqual([{ name: 'doubled', runs: 2n }]);
  });

  describe('the statements of a transaction', () => {
    const idsOf = async (...ids: number[]) => {
      const rows = await postgres.query<{ id: bigint }>('SELECT id FROM coins WHERE id = ANY ($1)', [ids]);
      return rows.map(({ id }) => id);
    };

    it('run in their order, and each caller gets its own rows', async () => {
      const given = await postgres.transaction((tx) => {
        void tx.query('INSERT INTO coins VALUES (20)');
        return Promise.all([
          tx.query('UPDATE coins SET id = 21 WHERE id = 20 RETURNING id'),
          tx.query('SELECT 1 AS one'),
          tx.query('DELETE FROM coins WHERE id = 21 RETURNING id'),
        ]);
      });
      expect(given).toEqual([[{ id: 21n }], [{ one: 1 }], [{ id: 21n }]]);
    });

    it('are committed also if nobody has waited for them, with a deadline and without', async () => {
      for (const [id, deadline] of [
        [22, undefined],
        [23, createDeadline(60_000)],
      ] as const)
        await postgres.transaction(
          async (tx) => void tx.query('INSERT INTO coins VALUES ($1)', [id]),
          deadline,
        );
      expect(await idsOf(22, 23)).toEqual([22n, 23n]);
    });

    it('are not committed after one that failed, also if the work goes on', async () => {
      const seen: unknown[] = [];
      const note = () => void seen.push('committed');
      postgres.committed.on('swallowed', note);
      const failing = [['SELECT 1 / 0'], ['SELECT $1::text', [{ unsendable: 1n }]]] as const;
      for (const [statement, values] of failing)
        for (const deadline of [undefined, createDeadline(60_000)]) {
          const committed = postgres.transaction(async (tx) => {
            tx.tellAfterCommit?.('swallowed');
            await tx.query('INSERT INTO coins VALUES (26)');
            const failed = tx.query(statement, values);
            await failed.catch(() => {});
            await tx.query('INSERT INTO coins VALUES (27)').catch(() => {});
          }, deadline);
          await expect(committed).rejects.toThrow(/division by zero|BigInt/);
        }
      postgres.committed.off('swallowed', note);
      expect(seen).toEqual([]);
      expect(await idsOf(26, 27)).toEqual([]);
    });

    it('are refused when their transaction has ended', async () => {
      const ended: Transaction[] = [];
      for (const statement of ['SELECT 1', 'SELECT 1 / 0'])
        await postgres
          .transaction(async (tx) => {
            ended.push(tx);
            await tx.query(statement);
          })
          .catch(() => {});
      for (const tx of ended)
        await expect(tx.query('INSERT INTO coins VALUES (28)')).rejects.toThrow('has ended');
      expect(await idsOf(28)).toEqual([]);
    });

    it('are refused if one has the name of another prepared statement', async () => {
      const named = (sql: string) => ({ name: 'of-two', sql });
      const both = postgres.transaction((tx) =>
        Promise.all([tx.query(named('SELECT 1 AS one')), tx.query(named('SELECT 2 AS two'))]),
      );
      await expect(both).rejects.toThrow('of-two');
    });

    it('leave the connection usable after an error, prepared or not', async () => {
      await using single = await openPostgres({ url: database.url, ...settings, maxConnections: 1 });
      let opened = 0;
      single.pool.on('connect', () => {
        opened += 1;
      });
      const inverse = { name: 'inverse', sql: 'SELECT 60 / $1::int AS inverse' };
      const double = { name: 'double', sql: 'SELECT 2 * $1::int AS double' };
      const both = (of: unknown) =>
        single.transaction((tx) => Promise.all([tx.query(inverse, [of]), tx.query(double, [of])]));
      await expect(both(0)).rejects.toMatchObject({ code: '22012' });
      await expect(both('no number')).rejects.toMatchObject({ code: '22P02' });
      expect(await both(2)).toEqual([[{ inverse: 30 }], [{ double: 4 }]]);
      expect(await both(3)).toEqual([[{ inverse: 20 }], [{ double: 6 }]]);
      expect(opened).toBe(0);
      await expect(both({ unsendable: 1n })).rejects.toThrow('BigInt');
      expect(await both(2)).toEqual([[{ inverse: 30 }], [{ double: 4 }]]);
    });
  });

  it('emits the topic of a transaction after its commit, and not when it throws or its commit fails', async () => {
    const seen: unknown[] = [];
    postgres.committed.on('coins', () => {
      seen.push(postgres.query('SELECT id FROM coins WHERE id IN (8, 9)'));
    });
    const write = (id: number, isWrong: boolean) =>
      postgres.transaction(async (tx) => {
        tx.tellAfterCommit?.('coins');
        tx.tellAfterCommit?.('coins');
        await tx.query('INSERT INTO coins VALUES ($1)', [id]);
        if (isWrong) throw new Error('changed my mind');
      });
    await expect(write(8, true)).rejects.toThrow('changed my mind');
    // Only the commit detects that there is no such coin.
    const refusedAtCommit = postgres.transaction(async (tx) => {
      tx.tellAfterCommit?.('coins');
      await tx.query('INSERT INTO purses VALUES (404)');
    });
    await expect(refusedAtCommit).rejects.toMatchObject({ code: '23503' });
    await write(9, false);
    postgres.committed.removeAllListeners('coins');
    expect(await Promise.all(seen)).toEqual([[{ id: 9n }]]);
    await postgres.query('DELETE FROM coins');
  });

  it.each([
    ['after the deadline', (_caller: AbortController) => pause(60)],
    ['after its caller has left', async (caller: AbortController) => caller.abort(callerGone())],
  ])('commits nothing %s', async (_when, happen) => {
    const caller = new AbortController();
    // The store allows more time than the process: the check before the commit is tested here.
    const deadline = { ...createDeadline(50, caller.signal), remainingMs: () => 60_000 };
    const late = postgres.transaction(async (tx) => {
      await tx.query('INSERT INTO coins VALUES (5)');
      await happen(caller);
    }, deadline);
    await expect(late).rejects.toMatchObject({ status: 503 });
    expect(isTooLate(await late.catch((error: unknown) => error))).toBe(true);
    expect(await postgres.query('SELECT id FROM coins WHERE id = 5')).toEqual([]);
  });

  it('ends a transaction that does nothing beyond its deadline, and frees its rows', async () => {
    const freed = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const standing = postgres.transaction(async (tx) => {
      await tx.query('INSERT INTO coins VALUES (7)');
      locked.resolve();
      await freed.promise;
    }, createDeadline(500));
    // Also on a machine that needs longer for the first statement.
    standing.catch(() => locked.resolve());
    await locked.promise;
    // Waits until the other transaction has ended.
    await postgres.query('INSERT INTO coins VALUES (7)');
    freed.resolve();
    expect(isTooLate(await standing.catch((error: unknown) => error))).toBe(true);
  });

  it.each(['16.11 (Debian 16.11-1)', '9.6.24'])('refuses a server of version %s', async (version) => {
    const old = { query: async () => [{ version }] } as unknown as Queryable;
    await expect(checkVersion(old)).rejects.toThrow(
      `Postgres 17 or later is needed, and this server is ${version}`,
    );
  });

  it('passes on errors about the statement', async () => {
    await postgres.query('INSERT INTO coins VALUES (2)');
    await expect(postgres.query('INSERT INTO coins VALUES (2)')).rejects.toMatchObject({ code: '23505' });
  });

  it('keeps its connection after an error about values and a transaction that is too late to commit, so that these do not cost a new one', async () => {
    await using single = await openPostgres({ url: database.url, ...settings, maxConnections: 1 });
    const connection = () => single.query('SELECT pg_backend_pid() AS pid');
    const first = await connection();
    await expect(single.query('SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' });
    expect(await connection()).toEqual(first);
    const caller = new AbortController();
    const late = single.transaction(
      async () => caller.abort(callerGone()),
      createDeadline(60_000, caller.signal),
    );
    await expect(late).rejects.toMatchObject({ status: 503 });
    expect(await connection()).toEqual(first);
  });

  it('opens a new connection after an error about a prepared statement, which a migration has made invalid', async () => {
    await using single = await openPostgres({ url: database.url, ...settings, maxConnections: 1 });
    const all = { name: 'all-notes', sql: 'SELECT * FROM notes' };
    await single.query('CREATE TABLE notes (id bigint)');
    expect(await single.query(all)).toEqual([]);
    await single.query('ALTER TABLE notes ADD COLUMN text text');
    await expect(single.query(all)).rejects.toMatchObject({ code: '0A000' });
    expect(await single.query(all)).toEqual([]);
  });

  it('fails with 503 when the server is read-only, like a former primary', async () => {
    const written = postgres.transaction(async (tx) => {
      await tx.query('SET TRANSACTION READ ONLY');
      await tx.query('INSERT INTO coins VALUES (10)');
    });
    await expect(written).rejects.toMatchObject({ status: 503 });
  });

  it('fails with 503 when a statement exceeds its time-out', async () => {
    await using impatient = await openImpatiently(database.url, 50);
    await expect(impatient.query('SELECT pg_sleep(5)')).rejects.toMatchObject({ status: 503 });
  });

  it('fails with 503 while the server is down, and works afterwards', async () => {
    await using proxy = await startTcpProxy(database.url);
    await using remote = await openPatiently(proxy.url);
    const interrupted = remote.transaction(async (tx) => {
      await tx.query('INSERT INTO coins VALUES (3)');
      proxy.takeDown();
      await tx.query('INSERT INTO coins VALUES (4)');
    });
    await expect(interrupted).rejects.toMatchObject({ status: 503 });
    await expect(remote.query('SELECT 1')).rejects.toMatchObject({ status: 503 });
    expect(await remote.healthy()).toBe(false);
    proxy.bringBack();
    await eventually(async () => expect(await remote.healthy()).toBe(true));
    expect(await remote.query('SELECT * FROM coins WHERE id IN (3, 4)')).toEqual([]);
  });

  it('fails with 503 after its time-out when the server does not answer', async () => {
    await using proxy = await startTcpProxy(database.url);
    await using remote = await openImpatiently(proxy.url, 100);
    proxy.freeze();
    await expect(remote.query('SELECT 1')).rejects.toMatchObject({ status: 503 });
  });

  it('does not open when no server listens', async () => {
    const open = openPostgres({ url: 'postgres://postgres@127.0.0.1:1/none', ...settings });
    await expect(open).rejects.toMatchObject({ status: 503 });
  });
});
