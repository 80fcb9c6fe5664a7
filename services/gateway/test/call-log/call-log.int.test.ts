/** The call log on a real database that goes away and comes back. */
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import { systemClock } from '@offer-ads/platform/process/clock';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { silentLogger } from '@offer-ads/testing/logger';
import { runs } from '@offer-ads/testing/profile';
import { startTcpProxy, type TcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { insertCalls } from '../../src/call-log/calls-store.ts';
import { type CallLog, startCallLog } from '../../src/public-api/call-log.ts';
import { callWith, connect, createCallsDatabase, type IssuedKey, listed } from './calls-database.ts';

const database = forAllTests(() => createCallsDatabase());

/** The log's way to the store, which a test can cut. */
let wire: TcpProxy;
let cutOff: Postgres;
let log: CallLog;
let key: IssuedKey;
beforeEach(async () => {
  wire = await startTcpProxy(database.url);
  cutOff = await connect(wire.url);
  key = await database.issueKey();
  log = startCallLog({
    write: (calls) => insertCalls(cutOff, calls),
    clock: systemClock,
    logger: silentLogger,
    metrics: createMetrics('gateway'),
    retryMs: 50,
  });
});
afterEach(async () => {
  await log[Symbol.asyncDispose]();
  await cutOff[Symbol.asyncDispose]();
  await wire[Symbol.asyncDispose]();
});

const record = (route: string) => log.record(callWith(key.sha256, { route, at: systemClock.now() }));
const routes = async () =>
  (await listed(database.postgres, key.organisationId)).map(({ route }) => route).toSorted();
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `GET /${index}`).toSorted();

it.each(['is away', 'is silent'])('while the store %s calls wait, and each is logged once', async (how) => {
  record('GET /0');
  await eventually(async () => expect(await routes()).toEqual(['GET /0']));
  if (how === 'is away') wire.takeDown();
  else wire.freeze();
  const calls = numbered(runs(2_000, 20_000));
  for (const route of calls.filter((each) => each !== 'GET /0')) record(route);
  // Some of it may be stored although the answer is lost.
  await eventually(async () => expect((await routes()).length).toBeLessThan(calls.length));
  wire.cut();
  wire.bringBack();
  await eventually(async () => expect(await routes()).toEqual(calls));
});
