import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import { tryWithLeadership } from '@offer-ads/platform/process/loops';
import { testClock } from '@offer-ads/testing/clock';
import { silentLogger } from '@offer-ads/testing/logger';
import { runs } from '@offer-ads/testing/profile';
import { callLogReader } from '../../src/call-log/call-log-reader.ts';
import { retainCalls } from '../../src/call-log/call-retention.ts';
import { listDays, makeDays } from '../../src/call-log/calls-partitions-store.ts';
import { insertCalls } from '../../src/call-log/calls-store.ts';
import { daysFrom } from '../../src/domain/call-days.ts';
import { type CallsDatabase, callWith, connect, createCallsDatabase, listed } from './calls-database.ts';

const source = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

let database: CallsDatabase;
let postgres: Postgres;
/** Another replica's connections. */
let replica: Postgres;
beforeAll(async () => {
  database = await createCallsDatabase();
  postgres = database.postgres;
  replica = await connect(database.url);
});
afterAll(async () => {
  await replica[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

const days = async () => (await listDays(postgres)).map(({ day }) => day);
const retainAt = (now: string | Date) =>
  retainCalls({ postgres, clock: testClock(now), logger: silentLogger });
const callsAt = (sha256: Buffer, ...times: string[]) =>
  times.map((at) => callWith(sha256, { at: new Date(at) }));

/** Holds a transaction open around `work`. */
async function during(sql: string, work: () => Promise<void>): Promise<void> {
  await replica.transaction(async (tx) => {
    await tx.query(sql);
    await work();
  });
}

describe('the job of days', () => {
  it('makes today and a week ahead, also over the end of a year', async () => {
    await retainAt('2019-12-29T23:59:59.999Z');
    expect(await days()).toEqual(expect.arrayContaining(daysFrom(new Date('2019-12-29T00:00:00.000Z'), 8)));
    expect(await days()).toContain('2020-01-05');
    expect(await days()).not.toContain('2020-01-06');
  });

  it('drops a day when the last instant of it is older than 90 days, and not before', async () => {
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

  it('drops nothing because of a clock that runs ahead of the database', async () => {
    const { organisationId, sha256 } = await database.issueKey();
    await insertCalls(postgres, [callWith(sha256, { at: new Date() })]);
    await retainAt(new Date(Date.now() + 1_000 * 24 * 60 * 60 * 1_000));
    expect(await listed(postgres, organisationId)).toHaveLength(1);
  });

  it('is done by one replica at a time', async () => {
    await tryWithLeadership(replica, 'gateway call-retention', () => retainAt('2018-01-01T00:00:00.000Z'));
    expect(await days()).not.toContain('2018-01-01');
  });

  it('ends what a job that died had begun: days half detached, or detached and not dropped', async () => {
    const { sha256 } = await database.issueKey();
    await insertCalls(postgres, callsAt(sha256, '2017-01-01T12:00:00.000Z', '2017-01-02T12:00:00.000Z'));
    await postgres.query('ALTER TABLE calls DETACH PARTITION calls_2017_01_01');
    // With the patience of production, which is what ends.
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

  it('is a command too', async () => {
    const { sha256 } = await database.issueKey();
    await insertCalls(postgres, callsAt(sha256, '2016-01-01T12:00:00.000Z'));
    await promisify(execFile)(process.execPath, [source('src/retain-calls.ts')], {
      env: { ...process.env, GATEWAY_DATABASE_URL: database.url },
    });
    expect(await days()).not.toContain('2016-01-01');
    // One less than it made, for the case that a day has begun meanwhile.
    expect(await days()).toEqual(expect.arrayContaining(daysFrom(new Date(), 7)));
  });
});

describe('days and calls at the same time', () => {
  it('replicas that make the same days at once all succeed', async () => {
    for (let run = 0; run < runs(3, 20); run += 1) {
      const week = daysFrom(new Date(Date.UTC(2030, 0, 1 + run * 7)), 7);
      const makers = [postgres, replica, postgres, replica].map((on) => makeDays(on, week));
      await Promise.all(makers);
      expect(await days()).toEqual(expect.arrayContaining(week));
    }
  });

  it('replicas that write calls of a day that nobody has made both succeed, and nothing is lost', async () => {
    const { organisationId, sha256 } = await database.issueKey();
    const batches = Array.from({ length: 6 }, (_, index) =>
      callsAt(sha256, '2026-02-01T00:00:00.000Z', `2026-02-0${index + 1}T12:00:00.000Z`),
    );
    await Promise.all(batches.map((batch, index) => insertCalls(index % 2 ? postgres : replica, batch)));
    expect(await listed(postgres, organisationId)).toHaveLength(12);
  });

  it('a day is made and another dropped while calls are being written', async () => {
    const { organisationId, keyId, sha256 } = await database.issueKey();
    await insertCalls(postgres, callsAt(sha256, '2020-01-01T12:00:00.000Z', '2021-06-01T12:00:00.000Z'));
    await during(
      `INSERT INTO calls (id, called_at, organisation_id, key_id, duration_ms, status, route)
       VALUES (gen_random_uuid(), '2021-06-01T13:00:00Z', ${organisationId}, ${keyId}, 1, 200, 'GET /offers')`,
      () => makeDays(postgres, ['2021-06-02']),
    );
    await retainAt('2021-06-02T00:00:00.000Z');
    expect(await listed(postgres, organisationId)).toHaveLength(2);
  });

  it('whoever cannot make a day gives up soon, and calls are written meanwhile', async () => {
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

describe('a reader', () => {
  it('is shown a record of exactly 90 days and none that is older, though its day is still stored', async () => {
    const { organisationId, sha256 } = await database.issueKey();
    await insertCalls(postgres, callsAt(sha256, '2021-08-01T11:59:59.999Z', '2021-08-01T12:00:00.000Z'));
    const clock = testClock('2021-10-30T12:00:00.000Z');
    const read = callLogReader({ postgres, clock });
    const everything = { organisationId, limit: 10, from: new Date(0) };
    expect((await read(everything)).calls).toMatchObject([{ at: new Date('2021-08-01T12:00:00.000Z') }]);
    clock.advance(1);
    expect((await read(everything)).calls).toEqual([]);
  });
});
