import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@offer-ads/testing/logger';
import { createEmptyDatabase, type TestDatabase } from '@offer-ads/testing/stores/database';
import { startTcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { createDeadline } from '../src/calls/deadline.ts';
import { isTooLate, openPostgres, type Postgres } from '../src/postgres/postgres.ts';
import { startWhenStoresServe } from '../src/process/patient-start.ts';
import { createMetrics } from '../src/telemetry/metrics.ts';

const settings = { logger: silentLogger, metrics: createMetrics('offers') };
/** For what is not about time: a busy machine is waited for. */
const patient = { ...settings, statementTimeoutMs: 60_000 };

/** Opening is a statement too, which may take too long: a service that starts tries again. */
const openImpatiently = (url: string, statementTimeoutMs: number) =>
  startWhenStoresServe(() => openPostgres({ url, ...settings, statementTimeoutMs }));

describe('postgres', () => {
  let database: TestDatabase;
  let postgres: Postgres;
  beforeAll(async () => {
    database = await createEmptyDatabase();
    postgres = await openPostgres({ url: database.url, ...patient });
    await postgres.query('CREATE TABLE coins (id bigint PRIMARY KEY)');
    await postgres.query('CREATE TABLE purses (coin bigint REFERENCES coins DEFERRABLE INITIALLY DEFERRED)');
  });
  afterAll(async () => {
    await postgres[Symbol.asyncDispose]();
    await database.dispose();
  });

  it('reads money and ids exactly, instants as dates and days as text', async () => {
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

  it('has a prepared statement parsed once for each connection, whatever its values are', async () => {
    const doubled = { name: 'doubled', sql: 'SELECT $1::bigint * 2 AS twice' };
    const parsed = await postgres.transaction(async (tx) => {
      expect(await tx.query(doubled, [2])).toEqual([{ twice: 4n }]);
      expect(await tx.query(doubled, [3])).toEqual([{ twice: 6n }]);
      return tx.query('SELECT name, generic_plans + custom_plans AS runs FROM pg_prepared_statements');
    });
    expect(parsed).toEqual([{ name: 'doubled', runs: 2n }]);
  });

  it('tells of a transaction once it has committed, and never of one that throws or whose commit fails', async () => {
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
    // Only the commit finds out that there is no such coin.
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

  it('writes nothing of a transaction that throws', async () => {
    const work = postgres.transaction(async (tx) => {
      await tx.query('INSERT INTO coins VALUES (1)');
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    expect(await postgres.query('SELECT * FROM coins')).toEqual([]);
  });

  it('commits nothing after the deadline by the clock of the database, whatever the clock of the process says', async () => {
    const [shown] = await postgres.query<{ ms: number }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
    );
    const shownMs = Math.floor(shown?.ms ?? 0);
    const untilStoreTime = (commitByMs: number) => createDeadline(60_000, undefined, undefined, commitByMs);
    const late = postgres.transaction(
      (tx) => tx.query('INSERT INTO coins VALUES (5)'),
      untilStoreTime(shownMs),
    );
    await expect(late).rejects.toMatchObject({ status: 503 });
    expect(isTooLate(await late.catch((error: unknown) => error))).toBe(true);
    await postgres.transaction(
      (tx) => tx.query('INSERT INTO coins VALUES (6)'),
      untilStoreTime(shownMs + 60_000),
    );
    expect(await postgres.query('SELECT id FROM coins WHERE id IN (5, 6)')).toEqual([{ id: 6n }]);
  });

  it('frees the rows of a transaction that stands still beyond its deadline, and commits nothing of it', async () => {
    const freed = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const standing = postgres.transaction(async (tx) => {
      await tx.query('INSERT INTO coins VALUES (7)');
      locked.resolve();
      await freed.promise;
    }, createDeadline(50));
    standing.catch(() => {});
    await locked.promise;
    // It waits for the other to end.
    await postgres.query('INSERT INTO coins VALUES (7)');
    freed.resolve();
    expect(isTooLate(await standing.catch((error: unknown) => error))).toBe(true);
  });

  it('shows a clock that is never ahead of the database and follows it closely', async () => {
    const before = postgres.clock.nowMs();
    const [shown] = await postgres.query<{ ms: number }>(
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
    );
    const shownMs = shown?.ms ?? 0;
    expect(before).toBeLessThanOrEqual(shownMs);
    await eventually(async () => {
      await postgres.healthy();
      expect(postgres.clock.nowMs()).toBeGreaterThan(shownMs);
    });
  });

  it('leaves what the server says about a statement to the store', async () => {
    await postgres.query('INSERT INTO coins VALUES (2)');
    await expect(postgres.query('INSERT INTO coins VALUES (2)')).rejects.toMatchObject({ code: '23505' });
  });

  it('answers 503 when the server only reads, as a primary does that has been replaced', async () => {
    const written = postgres.transaction(async (tx) => {
      await tx.query('SET TRANSACTION READ ONLY');
      await tx.query('INSERT INTO coins VALUES (10)');
    });
    await expect(written).rejects.toMatchObject({ status: 503 });
  });

  it('answers 503 when a statement takes longer than its time-out', async () => {
    await using impatient = await openImpatiently(database.url, 50);
    await expect(impatient.query('SELECT pg_sleep(5)')).rejects.toMatchObject({ status: 503 });
  });

  it('answers 503 while the server is away and works again when it is back', async () => {
    await using wire = await startTcpProxy(database.url);
    await using remote = await openPostgres({ url: wire.url, ...patient });
    const interrupted = remote.transaction(async (tx) => {
      await tx.query('INSERT INTO coins VALUES (3)');
      wire.takeDown();
      await tx.query('INSERT INTO coins VALUES (4)');
    });
    await expect(interrupted).rejects.toMatchObject({ status: 503 });
    await expect(remote.query('SELECT 1')).rejects.toMatchObject({ status: 503 });
    expect(await remote.healthy()).toBe(false);
    wire.bringBack();
    await eventually(async () => expect(await remote.healthy()).toBe(true));
    expect(await remote.query('SELECT * FROM coins WHERE id IN (3, 4)')).toEqual([]);
  });

  it('answers 503 in bounded time when the network swallows everything', async () => {
    await using wire = await startTcpProxy(database.url);
    await using remote = await openImpatiently(wire.url, 100);
    wire.freeze();
    await expect(remote.query('SELECT 1')).rejects.toMatchObject({ status: 503 });
  });

  it('does not open at an address where nobody answers', async () => {
    const open = openPostgres({ url: 'postgres://postgres@127.0.0.1:1/none', ...settings });
    await expect(open).rejects.toMatchObject({ status: 503 });
  });
});
