import { describe, expect, it, jest } from '@jest/globals';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { testClock } from '@offer-ads/testing/clock';
import { silentLogger } from '@offer-ads/testing/logger';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { startCallLog } from './call-log.ts';
import type { CallSpool } from './call-log-spool.ts';
import type { AnsweredCall } from './call-log-writing.ts';

const clock = testClock();
const call = (route: string, at = clock.now()) => ({ route, at }) as AnsweredCall;

/** Postgres's error for a value that does not fit its column. */
const unwritable = () => Object.assign(new Error('invalid byte sequence'), { code: '22021' });

/** A store that can be unavailable or slow, and records what it was given. */
function startWith(o: { maxInMemory?: number; spool?: CallSpool } = {}) {
  const store = {
    away: false,
    refused: 0,
    written: [] as string[],
    ids: [] as string[],
    batches: 0,
    poison: 'none',
  };
  const refusing = () => eventually(() => expect(store.refused).toBeGreaterThan(0));
  let answering: Promise<void> = Promise.resolve();
  const metrics = createMetrics('gateway');
  const log = startCallLog({
    write: async (calls) => {
      await answering;
      if (store.away) {
        store.refused += 1;
        throw new Error('store away');
      }
      if (calls.some(({ route }) => route === store.poison)) throw unwritable();
      store.batches += 1;
      store.written.push(...calls.map(({ route }) => route));
      store.ids.push(...calls.map(({ id }) => id));
    },
    clock,
    logger: silentLogger,
    metrics,
    retryMs: 20,
    ...o,
  });
  const callLogLines = async () =>
    (await metrics.registry.metrics()).split('\n').filter((each) => each.startsWith('call_log'));
  const shows = (line: string) => eventually(async () => expect(await callLogLines()).toContain(line));
  const hang = () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    answering = promise;
    return resolve;
  };
  return { store, log, shows, refusing, hang };
}

/** A spool whose disk can fail. */
function spoolInMemory() {
  const disk = { broken: false, calls: [] as string[], closed: false };
  const kept: Parameters<CallSpool['add']>[0][number][] = [];
  const spool: CallSpool = {
    add: async (calls) => {
      if (disk.broken) throw new Error('EIO');
      kept.push(...calls);
      disk.calls = kept.map(({ route }) => route);
      return calls.length;
    },
    oldest: async () => {
      const calls = [...kept];
      const remove = async () => void kept.splice(0, calls.length);
      return calls.length === 0 ? null : { calls, skip: () => {}, remove };
    },
    adopt: async () => {},
    bytes: () => kept.length,
    oldestAtMs: () => kept[0]?.at.getTime(),
    [Symbol.asyncDispose]: async () => {
      disk.closed = true;
    },
  };
  return { disk, spool };
}

describe('the call log', () => {
  it('continues after a beat without calls, when a slow write has taken them', async () => {
    jest.useFakeTimers();
    try {
      const { store, log, hang } = startWith();
      const release = hang();
      log.record(call('a'));
      await jest.advanceTimersByTimeAsync(60);
      log.record(call('b'));
      release();
      await jest.advanceTimersByTimeAsync(10);
      expect(store.written).toEqual(['a', 'b']);
      await jest.advanceTimersByTimeAsync(100);
      log.record(call('c'));
      await jest.advanceTimersByTimeAsync(100);
      expect(store.written).toEqual(['a', 'b', 'c']);
      await log[Symbol.asyncDispose]();
    } finally {
      jest.useRealTimers();
    }
  });

  it('writes calls in batches, in order, soon after they were made', async () => {
    const { store, log } = startWith();
    for (const route of ['a', 'b', 'c']) log.record(call(route));
    await eventually(() => expect(store).toMatchObject({ written: ['a', 'b', 'c'], batches: 1 }));
    await log[Symbol.asyncDispose]();
  });

  it('gives a call to the store within 50 ms, whatever else is recorded meanwhile', async () => {
    jest.useFakeTimers();
    try {
      const { store, log } = startWith();
      log.record(call('first'));
      await jest.advanceTimersByTimeAsync(30);
      log.record(call('second'));
      expect(store.written).toEqual([]);
      await jest.advanceTimersByTimeAsync(20);
      expect(store.written).toEqual(['first', 'second']);
      log.record(call('third'));
      await jest.advanceTimersByTimeAsync(50);
      expect(store.written).toEqual(['first', 'second', 'third']);
      await log[Symbol.asyncDispose]();
    } finally {
      jest.useRealTimers();
    }
  });

  it('gives each call a unique id, also over several processes', async () => {
    const [one, other] = [startWith(), startWith()];
    for (const { log } of [one, other]) for (let count = 0; count < 300; count += 1) log.record(call('a'));
    for (const { log } of [one, other]) await log[Symbol.asyncDispose]();
    const ids = [...one.store.ids, ...other.store.ids];
    expect(new Set(ids).size).toBe(600);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });

  it('keeps calls while the store is away and writes them when it is back', async () => {
    const { store, log, shows, refusing } = startWith();
    store.away = true;
    log.record(call('during the outage'));
    await refusing();
    await shows('call_log_waiting_calls{service="gateway"} 1');
    log.record(call('still away'));
    store.away = false;
    await eventually(() => expect(store.written).toEqual(['during the outage', 'still away']));
    await log[Symbol.asyncDispose]();
  });

  it('measures how long ago the oldest waiting call was made', async () => {
    const { store, log, shows, refusing } = startWith();
    await shows('call_log_oldest_call_age_seconds{service="gateway"} 0');
    store.away = true;
    log.record(call('oldest', new Date(clock.now().getTime() - 90_000)));
    log.record(call('newer'));
    await refusing();
    await shows('call_log_oldest_call_age_seconds{service="gateway"} 90');
    store.away = false;
    await shows('call_log_oldest_call_age_seconds{service="gateway"} 0');
    await log[Symbol.asyncDispose]();
    expect(store.written).toEqual(['oldest', 'newer']);
  });

  it('holds a limited number of calls; further ones are counted as lost', async () => {
    const { store, log, shows } = startWith({ maxInMemory: 2 });
    for (const route of ['a', 'b', 'c']) log.record(call(route));
    await log[Symbol.asyncDispose]();
    expect(store.written).toEqual(['a', 'b']);
    await shows('call_log_lost_total{service="gateway"} 1');
  });

  it('holds a limited number of calls while the store is away', async () => {
    const { store, log, shows, refusing } = startWith({ maxInMemory: 2 });
    store.away = true;
    log.record(call('a'));
    await refusing();
    await shows('call_log_waiting_calls{service="gateway"} 1');
    for (const route of ['b', 'c', 'd']) log.record(call(route));
    await shows('call_log_lost_total{service="gateway"} 2');
    store.away = false;
    await eventually(() => expect(store.written).toEqual(['a', 'b']));
    await log[Symbol.asyncDispose]();
  });

  it('keeps few calls with keys that no look-up has found, and these take no room from others', async () => {
    const { store, log, shows, refusing } = startWith({ maxInMemory: 1 });
    store.away = true;
    for (let count = 0; count < 3_000; count += 1) log.record(call('made up'), false);
    await refusing();
    log.record(call('of a known key'));
    await shows('call_log_waiting_calls{service="gateway"} 2001');
    await shows('call_log_unfound_keys_lost_total{service="gateway"} 1000');
    await shows('call_log_lost_total{service="gateway"} 0');
    store.away = false;
    await eventually(() => expect(store.written).toHaveLength(2_001));
    expect(store.written).toContain('of a known key');
    await log[Symbol.asyncDispose]();
  });

  it('writes all calls when the service stops', async () => {
    const { store, log } = startWith();
    log.record(call('the last one'));
    await log[Symbol.asyncDispose]();
    expect(store.written).toEqual(['the last one']);
  });

  it('does not delay the stop if the store stays away', async () => {
    const { store, log, shows } = startWith();
    store.away = true;
    log.record(call('lost'));
    await log[Symbol.asyncDispose]();
    expect(store.written).toEqual([]);
    await shows('call_log_lost_total{service="gateway"} 1');
  });

  it('loses a call that can never be written, and no other', async () => {
    const { store, log, shows } = startWith();
    store.poison = 'p';
    for (const route of ['a', 'b', 'p', 'c', 'd', 'e', 'p']) log.record(call(route));
    await eventually(() => expect(store.written).toEqual(['a', 'b', 'c', 'd', 'e']));
    await shows('call_log_lost_total{service="gateway"} 2');
    log.record(call('afterwards'));
    await log[Symbol.asyncDispose]();
    expect(store.written).toContain('afterwards');
  });

  it('leaves out what is older than the log holds', async () => {
    const { store, log } = startWith();
    log.record(call('too old', new Date('2026-03-03T11:59:59.999Z')));
    log.record(call('just kept', new Date('2026-03-03T12:00:00.000Z')));
    await log[Symbol.asyncDispose]();
    expect(store.written).toEqual(['just kept']);
  });
});

describe('the call log with a spool', () => {
  it('puts calls on disk while the store is away, and writes them in order when it is back', async () => {
    const { disk, spool } = spoolInMemory();
    const { store, log, shows } = startWith({ spool });
    store.away = true;
    for (const route of ['a', 'b']) {
      log.record(call(route));
      await eventually(() => expect(disk.calls).toContain(route));
    }
    await shows('call_log_waiting_calls{service="gateway"} 0');
    store.away = false;
    await eventually(() => expect(store.written).toEqual(['a', 'b']));
    await log[Symbol.asyncDispose]();
    expect(disk.closed).toBe(true);
  });

  it('puts calls on disk while the store is slow, and stores each once', async () => {
    const { disk, spool } = spoolInMemory();
    const { store, log, hang } = startWith({ spool });
    const answer = hang();
    log.record(call('in flight'));
    await eventually(() => expect(disk.calls).toEqual(['in flight']));
    log.record(call('behind it'));
    await eventually(() => expect(disk.calls).toEqual(['in flight', 'behind it']));
    answer();
    await eventually(() => expect(store.written.toSorted()).toEqual(['behind it', 'in flight', 'in flight']));
    expect(new Set(store.ids).size).toBe(2);
    await log[Symbol.asyncDispose]();
  });

  it('leaves calls on disk if the service stops while the store is away', async () => {
    const { disk, spool } = spoolInMemory();
    const { store, log, shows } = startWith({ spool });
    store.away = true;
    log.record(call('a'));
    await eventually(() => expect(disk.calls).toEqual(['a']));
    log.record(call('b'));
    await log[Symbol.asyncDispose]();
    expect(disk).toMatchObject({ calls: ['a', 'b'], closed: true });
    await shows('call_log_lost_total{service="gateway"} 0');
  });

  it('keeps calls in memory while disk and store are both broken', async () => {
    const { disk, spool } = spoolInMemory();
    const { store, log, shows, refusing } = startWith({ spool });
    disk.broken = true;
    store.away = true;
    for (const route of ['a', 'b']) log.record(call(route));
    await refusing();
    await shows('call_log_waiting_calls{service="gateway"} 2');
    store.away = false;
    await eventually(() => expect(store.written).toEqual(['a', 'b']));
    await log[Symbol.asyncDispose]();
  });
});
