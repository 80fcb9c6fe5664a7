import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Mongo, openMongo } from '@offer-ads/platform/mongo/mongo';
import { startWhenStoresServe } from '@offer-ads/platform/process/patient-start';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { testClock } from '@offer-ads/testing/clock';
import { silentLogger } from '@offer-ads/testing/logger';
import { createTestMongo, type TestMongo } from '@offer-ads/testing/stores/mongo';
import { openPace } from '../src/pace-store.ts';

let database: TestMongo;
let mongo: Mongo;
beforeAll(async () => {
  database = await createTestMongo();
  mongo = await startWhenStoresServe(() =>
    openMongo({ url: database.url, logger: silentLogger, metrics: createMetrics('test') }),
  );
});
afterAll(async () => {
  await mongo?.[Symbol.asyncDispose]();
  await database?.dispose();
});

it('each mail of all replicas reserves its own moment, and unused time gives no extra mails later', async () => {
  const clock = testClock();
  const [one, other] = [openPace(mongo, 10, clock), openPace(mongo, 10, clock)];
  expect(await one.reserve(3)).toEqual({ firstInMs: 0, everyMs: 100 });
  expect(await other.reserve(2)).toEqual({ firstInMs: 300, everyMs: 100 });
  clock.advance(200);
  expect(await one.reserve(1)).toEqual({ firstInMs: 300, everyMs: 100 });
  clock.advance(60_000);
  expect(await other.reserve(20)).toEqual({ firstInMs: 0, everyMs: 100 });
  expect(await one.reserve(1)).toEqual({ firstInMs: 2_000, everyMs: 100 });
});

it('reservations made at the same time get different moments', async () => {
  const clock = testClock('2026-07-01T12:00:00.000Z');
  const replicas = Array.from({ length: 8 }, () => openPace(mongo, 100, clock));
  const reserved = await Promise.all(replicas.map((pace) => pace.reserve(1)));
  const moments = reserved.map(({ firstInMs }) => firstInMs).toSorted((one, other) => one - other);
  expect(moments).toEqual([0, 10, 20, 30, 40, 50, 60, 70]);
});

it('a process reserves the mails of two seconds at once, and at least one', () => {
  expect([50, 0.1].map((perSecond) => openPace(mongo, perSecond).atOnce)).toEqual([100, 1]);
  expect(openPace(mongo, undefined).atOnce).toBe(Number.POSITIVE_INFINITY);
});
