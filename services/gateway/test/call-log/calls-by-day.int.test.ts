import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import { tryWithLeadership } from '@offer-ads/platform/process/loops';
import { testClock } from '@offer-ads/testing/clock';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { silentLogger } from '@offer-ads/testing/logger';
import { retainCalls } from '../../src/call-log/call-retention.ts';
import { listDays, makeDays } from '../../src/call-log/calls-partitions-store.ts';
import { insertCalls } from '../../src/call-log/calls-store.ts';
import { callWith, connect, createCallsDatabase, listed } from './calls-database.ts';

const database = forAllTests(() => createCallsDatabase());
let postgres: Postgres;
beforeAll(() => {
  postgres = database.postgres;
});
/** Another replica's connections. */
const replica = forAllTests(() => connect(database.url));

const days = async () => (await listDays(postgres)).map(({ day }) => day);
const retainAt = (now: string | Date) =>
  retainCalls({ postgres, clock: testClock(now), logger: silentLogger });
const callsAt = (sha256: string, ...times: string[]) =>
  times.map((at) => callWith(sha256, { at: new Date(at) }));

/** Holds a transaction open around `work`. */
async function during(sql: string, work: () => Promise<void>): Promise<void> {
  await replica.transaction(async (tx) => {
    await tx.query(sql);
    await work();
  });
}

describe('the retention job', () => {
  it('creates today and the next seven days', async () => {
    const from = new Date('2019-12-29T23:59:59.999Z');
    await retainAt(from);
    const december = ['2019-12-29', '2019-12-30', '2019-12-31'];
    const january = ['2020-01-01', '2020-01-02', '2020-01-03', '2020-01-04', '2020-01-05'];
    expect(await days()).toEqual(expect.arrayContaining([...december, ...january]));
    expect(await days()).not.toContain('2020-01-06');
  });

  it('drops a day as soon as its last millisecond is older than 90 days', async () => {
    const { organisationId, sha256 } = await database.issueKey();
    await insertCalls(
      postgres,
      callsAt(sha256, '2020-06-01T23:59:59.999Z', '2020-06-02T00:00:00.000Z', '2020-06-01T00:00:00.000Z'),
    );
    await retainAt('2020-08-30T23:59:59.999Z');
    expect(await days()).toEqual(expect.arrayContaining(['2020-06-01', '2020-06-02']));
    expect(await listed(postgres, organisationId)).toHaveLength(3);
    await retainAt('2020-08-31T00:00:00.000Z');
    expect(await days()).not.toContain('2020-06-01');
    expect((await listed(postgres, organisationId)).map(({ at }) => at)).toEqual([
      new Date('2020-06-02T00:00:00.000Z'),
    ]);
  });

  it('drops nothing if its clock is ahead of the database', async () => {
    const { organisationId, sha256 } = await database.issueKey();
    await insertCalls(postgres, [callWith(sha256, { at: new Date() })]);
    await retainAt(new Date(Date.now() + 1_000 * 24 * 60 * 60 * 1_000));
    expect(await listed(postgres, organisationId)).toHaveLength(1);
  });

  it('runs in one replica at a time', async () => {
    await tryWithLeadership(replica, 'gateway call-retention', () => retainAt('2018-01-01T00:00:00.000Z'));
    expect(await days()).not.toContain('2018-01-01');
  });

  it('drops days that a dead job has half detached, or detached and not dropped', async () => {
    const { sha256 } = await database.issueKey();
    await insertCalls(postgres, callsAt(sha256, '2017-01-01T12:00:00.000Z', '2017-01-02T12:00:00.000Z'));
    await postgres.query('ALTER TABLE calls DETACH PARTITION calls_2017_01_01');
    // With the statement timeout of production, which ends it.
    await using impatient = await connect(database.url);
    await during('SELECT * FROM calls_2017_01_02', async () => {
      const cutShort = impatient.query('ALTER TABLE calls DETACH PARTITION calls_2017_01_02 CONCURRENTLY');
      await expect(cutShort).rejects.toThrow('postgres');
    });
    expect(await listDays(postgres)).toEqual(
      expect.arrayContaining([
        { day: '2017-01-01', state: 'detached' },
        { day: '2017-01-02', state: 'detaching' },
      ]),
    );
    await retainAt('2017-06-01T00:00:00.000Z');
    expect(await days()).not.toContain('2017-01-01');
    expect(await days()).not.toContain('2017-01-02');
  });
});

describe('concurrent work on days and calls', () => {
  it('lets replicas write calls of a day that does not exist yet, and loses none', async () => {
    const { organisationId, sha256 } = await database.issueKey();
    const batches = Array.from({ length: 6 }, (_, index) =>
      callsAt(sha256, '2026-02-01T00:00:00.000Z', `2026-02-0${index + 1}T12:00:00.000Z`),
    );
    await Promise.all(batches.map((batch, index) => insertCalls(index % 2 ? postgres : replica, batch)));
    expect(await listed(postgres, organisationId)).toHaveLength(12);
  });

  it('creates and drops days while calls are written', async () => {
    const { organisationId, keyId, sha256 } = await database.issueKey();
    await insertCalls(postgres, callsAt(sha256, '2020-01-01T12:00:00.000Z', '2021-06-01T12:00:00.000Z'));
    await during(
      `INSERT INTO calls (id, called_at, organisation_id, key_id, duration_ms, status, route, request_id)
       VALUES (gen_random_uuid(), '2021-06-01T13:00:00Z', ${organisationId}, ${keyId}, 1, 200, 'GET /offers', 'order-17')`,
      () => makeDays(postgres, ['2021-06-02']),
    );
    await retainAt('2021-06-02T00:00:00.000Z');
    expect(await listed(postgres, organisationId)).toHaveLength(2);
  });

  it('gives up a day soon if its lock is taken, and writes calls meanwhile', async () => {
    const { organisationId, sha256 } = await database.issueKey();
    await insertCalls(postgres, callsAt(sha256, '2021-07-01T12:00:00.000Z'));
    await during('LOCK TABLE calls IN SHARE UPDATE EXCLUSIVE MODE', async () => {
      const making = makeDays(postgres, ['2021-07-02']);
      await insertCalls(postgres, callsAt(sha256, '2021-07-01T13:00:00.000Z'));
      await expect(making).rejects.toThrow('lock timeout');
    });
    expect(await listed(postgres, organisationId)).toHaveLength(2);
    expect(await days()).not.toContain('2021-07-02');
  });
});
