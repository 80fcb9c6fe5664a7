import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Postgres } from '@offer-ads/platform/postgres/postgres';
import { systemClock } from '@offer-ads/platform/process/clock';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { runs } from '@offer-ads/testing/profile';
import { startTcpProxy, type TcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { startCallLog } from '../../src/call-log/call-log.ts';
import { openCallSpool } from '../../src/call-log/call-log-spool.ts';
import type { WriteCalls } from '../../src/call-log/call-log-writing.ts';
import { insertCalls } from '../../src/call-log/calls-store.ts';
import {
  type CallsDatabase,
  connect,
  createCallsDatabase,
  type IssuedKey,
  listed,
} from './calls-database.ts';

let database: CallsDatabase;
beforeAll(async () => {
  database = await createCallsDatabase();
});
afterAll(async () => database[Symbol.asyncDispose]());

/** The log's way to the store, which a test can cut. */
let wire: TcpProxy;
let cutOff: Postgres;
let folder: string;
let key: IssuedKey;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'call-spool-'));
  wire = await startTcpProxy(database.url);
  cutOff = await connect(wire.url);
  key = await database.issueKey();
});
afterEach(async () => {
  await cutOff[Symbol.asyncDispose]();
  await wire[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

function startLog(o: { maxInMemory?: number; write?: WriteCalls } = {}) {
  const spool = openCallSpool({ folder, logger: silentLogger });
  const log = startCallLog({
    write: (calls) => insertCalls(cutOff, calls),
    spool,
    clock: systemClock,
    logger: silentLogger,
    metrics: createMetrics('gateway'),
    retryMs: 50,
    ...o,
  });
  const record = (route: string) =>
    log.record({
      keySha256: key.sha256,
      route,
      status: 200,
      returnCode: null,
      durationMs: 1,
      at: systemClock.now(),
      requestId: 'order-17',
    });
  return { log, spool, record };
}
const routes = async () =>
  (await listed(database.postgres, key.organisationId)).map(({ route }) => route).toSorted();
const numbered = (count: number) => Array.from({ length: count }, (_, index) => `GET /${index}`);

describe('while the store is away', () => {
  it('more calls than memory holds are kept, and each is logged once when it is back', async () => {
    const atOnce = runs(50, 500);
    const { log, spool, record } = startLog({ maxInMemory: atOnce });
    wire.takeDown();
    const calls = numbered(runs(500, 5_000));
    for (let start = 0; start < calls.length; start += atOnce) {
      const before = spool.bytes();
      for (const route of calls.slice(start, start + atOnce)) record(route);
      await eventually(() => expect(spool.bytes()).toBeGreaterThan(before + atOnce * 100));
    }
    wire.bringBack();
    await eventually(() => expect(spool.bytes()).toBe(0));
    expect(await routes()).toEqual(calls.toSorted());
    await log[Symbol.asyncDispose]();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('calls are on disk before a write to a silent store has timed out', async () => {
    // Without the driver's own timeout, which would end the test early.
    const givenUp = Promise.withResolvers<void>();
    const write: WriteCalls = (calls) =>
      insertCalls(cutOff, calls).catch(async (error: unknown) => {
        await givenUp.promise;
        throw error;
      });
    const { log, spool, record } = startLog({ write });
    wire.freeze();
    record('GET /frozen');
    await eventually(() => expect(spool.bytes()).toBeGreaterThan(100));
    wire.cut();
    givenUp.resolve();
    await eventually(async () => expect(await routes()).toEqual(['GET /frozen']));
    await log[Symbol.asyncDispose]();
  });

  it('a stop loses nothing, because the next process logs it', async () => {
    const first = startLog();
    wire.takeDown();
    for (const route of numbered(10)) first.record(route);
    await first.log[Symbol.asyncDispose]();
    wire.bringBack();
    const second = startLog();
    await eventually(async () => expect(await routes()).toEqual(numbered(10)));
    await second.log[Symbol.asyncDispose]();
  });

  it.each(Array.from({ length: runs(1, 10) }, (_, run) => run))(
    'a killed process loses nothing that is on disk, and each call is logged once (%d)',
    async () => {
      const script = fileURLToPath(new URL('call-log-process.ts', import.meta.url));
      const child = spawn(process.execPath, [script, wire.url, folder, key.sha256.toString('hex')], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      using opened = new DisposableStack();
      opened.defer(() => child.kill('SIGKILL'));
      const said = createInterface(child.stdout)[Symbol.asyncIterator]();
      expect(await said.next()).toMatchObject({ value: 'ready' });
      wire.takeDown();
      for (const safe of ['100', '200']) {
        child.stdin.write('100\n');
        expect(await said.next()).toMatchObject({ value: safe });
      }
      child.kill('SIGKILL');
      await once(child, 'exit');
      wire.bringBack();
      const { log } = startLog();
      await eventually(async () => expect(await routes()).toHaveLength(200));
      await log[Symbol.asyncDispose]();
      expect(readdirSync(folder)).toEqual([]);
    },
  );
});

describe('a call that Postgres can never store', () => {
  it('is the only one that is lost', async () => {
    const { log, record } = startLog();
    for (const route of ['GET /0', 'GET /\0', 'GET /1']) record(route);
    await eventually(async () => expect(await routes()).toEqual(['GET /0', 'GET /1']));
    record('GET /2');
    await eventually(async () => expect(await routes()).toEqual(numbered(3)));
    await log[Symbol.asyncDispose]();
  });

  it('does not block the spool that contains it', async () => {
    const { log, spool, record } = startLog();
    wire.takeDown();
    for (const route of ['GET /0', 'GET /\0', 'GET /1']) record(route);
    await eventually(() => expect(spool.bytes()).toBeGreaterThan(0));
    wire.bringBack();
    await eventually(async () => expect(await routes()).toEqual(numbered(2)));
    await eventually(() => expect(spool.bytes()).toBe(0));
    await log[Symbol.asyncDispose]();
  });
});

describe('two replicas with one folder', () => {
  it('keep their calls apart, and log each of them once', async () => {
    const [one, other] = [startLog(), startLog()];
    wire.takeDown();
    for (const [index, route] of numbered(100).entries()) (index % 2 ? one : other).record(route);
    await eventually(() =>
      expect(Math.min(one.spool.bytes(), other.spool.bytes())).toBeGreaterThan(50 * 100),
    );
    wire.bringBack();
    await eventually(async () => expect(await routes()).toEqual(numbered(100).toSorted()));
    await Promise.all([one.log[Symbol.asyncDispose](), other.log[Symbol.asyncDispose]()]);
  });
});
