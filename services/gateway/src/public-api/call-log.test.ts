import { describe, expect, it, jest } from '@jest/globals';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { testClock } from '@offer-ads/testing/clock';
import { silentLogger } from '@offer-ads/testing/logger';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Call } from '../call-log/calls-store.ts';
import { newCallId, startCallLog } from './call-log.ts';

const clock = testClock();
const call = (route: string, { at = clock.now(), status = 200 } = {}) => ({ route, at, status }) as Call;

/** As Postgres refuses a character that no text column takes. */
const unwritable = Object.assign(new Error('invalid byte sequence'), { code: '22021' });

/** A store that can be away, and records what it was given. */
function startWith(o: { maxWaiting?: number } = {}) {
  const store = { away: false, refused: 0, written: [] as string[], batches: 0 };
  const metrics = createMetrics('gateway');
  const log = startCallLog({
    write: async (calls) => {
      if (store.away) {
        store.refused += 1;
        throw new Error('store away');
      }
      if (calls.some(({ route }) => route.includes('\0'))) throw unwritable;
      store.batches += 1;
      store.written.push(...calls.map(({ route }) => route));
    },
    clock,
    logger: silentLogger,
    metrics,
    retryMs: 20,
    ...o,
  });
  const shows = (line: string) =>
    eventually(async () => expect((await metrics.registry.metrics()).split('\n')).toContain(line));
  const refusing = () => eventually(() => expect(store.refused).toBeGreaterThan(0));
  return { store, log, shows, refusing };
}

describe('the call log', () => {
  it('gives calls to the store in batches, in order, within 50 ms', async () => {
    jest.useFakeTimers();
    try {
      const { store, log } = startWith();
      log.record(call('first'));
      await jest.advanceTimersByTimeAsync(30);
      log.record(call('second'));
      expect(store.written).toEqual([]);
      await jest.advanceTimersByTimeAsync(20);
      expect(store).toMatchObject({ written: ['first', 'second'], batches: 1 });
      log.record(call('third'));
      await jest.advanceTimersByTimeAsync(50);
      expect(store.written).toEqual(['first', 'second', 'third']);
      await log[Symbol.asyncDispose]();
    } finally {
      jest.useRealTimers();
    }
  });

  it('keeps calls while the store is away, shows them, and writes them in order when it is back', async () => {
    const { store, log, shows, refusing } = startWith();
    store.away = true;
    log.record(call('oldest', { at: new Date(clock.now().getTime() - 90_000) }));
    await refusing();
    log.record(call('newer'));
    await shows('call_log_waiting_calls{service="gateway"} 2');
    store.away = false;
    await eventually(() => expect(store.written).toEqual(['oldest', 'newer']));
    await shows('call_log_waiting_calls{service="gateway"} 0');
    await log[Symbol.asyncDispose]();
  });

  it('holds a limited number of calls; further ones are counted as lost', async () => {
    const { store, log, shows, refusing } = startWith({ maxWaiting: 2 });
    store.away = true;
    for (const route of ['a', 'b', 'c']) log.record(call(route));
    await refusing();
    log.record(call('d'));
    await shows('call_log_lost_total{service="gateway"} 2');
    store.away = false;
    await eventually(() => expect(store.written).toEqual(['a', 'b']));
    log.record(call('e'));
    await log[Symbol.asyncDispose]();
    expect(store.written).toEqual(['a', 'b', 'e']);
  });

  it('keeps few calls over a limit, so that they leave room for the others', async () => {
    const { store, log, shows } = startWith({ maxWaiting: 100 });
    store.away = true;
    for (let count = 0; count < 200; count += 1) log.record(call('over', { status: 429 }));
    await shows('call_log_waiting_calls{service="gateway"} 2');
    for (let count = 0; count < 98; count += 1) log.record(call('within'));
    await shows('call_log_lost_total{service="gateway"} 198');
    store.away = false;
    await eventually(() => expect(store.written).toHaveLength(100));
    log.record(call('over again', { status: 429 }));
    await log[Symbol.asyncDispose]();
    expect(store.written).toContain('over again');
  });

  it('writes what waits when the service stops, and counts what the store does not take as lost', async () => {
    const { store, log } = startWith();
    log.record(call('the last one'));
    await log[Symbol.asyncDispose]();
    expect(store.written).toEqual(['the last one']);

    jest.useFakeTimers();
    try {
      const other = startWith();
      other.store.away = true;
      other.log.record(call('lost'));
      const stopped = other.log[Symbol.asyncDispose]();
      await jest.advanceTimersByTimeAsync(6_000);
      await stopped;
      jest.useRealTimers();
      await other.shows('call_log_lost_total{service="gateway"} 1');
    } finally {
      jest.useRealTimers();
    }
  });

  it('loses of a batch only the call that the store can never take', async () => {
    const { store, log, shows } = startWith();
    for (const route of ['GET /0', 'GET /\0', 'GET /1']) log.record(call(route));
    await shows('call_log_lost_total{service="gateway"} 1');
    await log[Symbol.asyncDispose]();
    expect(store.written).toEqual(['GET /0', 'GET /1']);
  });

  it('leaves out calls whose time is more than 90 days away, because a clock was wrong', async () => {
    const { store, log } = startWith();
    for (const at of [
      '2026-03-03T11:59:59.999Z',
      '2026-03-03T12:00:00.000Z',
      '2026-08-30T12:00:00.000Z',
      '2026-08-30T12:00:00.001Z',
    ])
      log.record(call(at, { at: new Date(at) }));
    await log[Symbol.asyncDispose]();
    expect(store.written).toEqual(['2026-03-03T12:00:00.000Z', '2026-08-30T12:00:00.000Z']);
  });
});

describe('the id of a call', () => {
  it('is a UUID of version 7, unique, and ordered by the time of the call', () => {
    const ids = Array.from({ length: 1_000 }, (_, ms) => newCallId(new Date(clock.now().getTime() + ms)));
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(Array.from({ length: 1_000 }, () => newCallId(clock.now()))).size).toBe(1_000);
  });
});
