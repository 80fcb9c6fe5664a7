import { describe, expect, it } from '@jest/globals';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { createWindowsMemory } from './client-windows.ts';
import { createRequestLimiter, type Limit } from './request-limiter.ts';
import type { SharedCounts } from './shared-counts.ts';

const limit: Limit = { name: 'test', requests: 3, windowSeconds: 60 };

type FakeStore = SharedCounts & {
  readonly asked: { id: string; requests: number; windowSeconds: number }[];
  up: boolean;
  answers: boolean;
  silence: 'no-answer' | 'not-asked';
};

/** A store under the test's control; `answers` gives the results of the next calls. */
function fakeStore() {
  const counts = new Map<string, number>();
  const store: FakeStore = {
    asked: [],
    up: true,
    answers: true,
    silence: 'no-answer',
    isUp: () => store.up,
    add: async (id, o) => {
      store.asked.push({ id, ...o });
      if (!store.answers) {
        store.up = false;
        return store.silence;
      }
      counts.set(id, (counts.get(id) ?? 0) + o.requests);
      return { count: counts.get(id) ?? 0, msToEnd: 60_000 };
    },
    [Symbol.asyncDispose]: async () => {},
  };
  return store;
}

function limiterOn(shared: SharedCounts | undefined) {
  const time = { nowMs: 0 };
  const metrics = createMetrics('gateway');
  const limiter = createRequestLimiter({
    metrics,
    memory: createWindowsMemory(['test', 'other']),
    shared,
    elapsedMs: () => time.nowMs,
  });
  const countedInMemory = async () =>
    (await metrics.registry.getSingleMetric('rate_limit_counted_in_memory_total')?.get())?.values[0]?.value;
  return { limiter, time, countedInMemory };
}

describe('a limiter with a store', () => {
  it('asks it for each request within the limit, and not for a client that is over its limit', async () => {
    const store = fakeStore();
    const { limiter, time } = limiterOn(store);
    const states = [];
    for (let count = 0; count < 6; count += 1) states.push(await limiter.consume(limit, 'a'));
    expect(states.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
      [false, 0],
      [false, 0],
    ]);
    expect(store.asked).toHaveLength(3);
    time.nowMs = 60_000;
    await limiter.consume(limit, 'a');
    expect(store.asked).toHaveLength(4);
  });

  it('asks it for a client over one limit that is within another of the same name', async () => {
    const store = fakeStore();
    const { limiter } = limiterOn(store);
    for (let count = 0; count < 4; count += 1) await limiter.consume(limit, 'a');
    expect((await limiter.consume({ ...limit, requests: 10 }, 'a')).allowed).toBe(true);
  });

  it('counts in memory the request that it did not answer, and further ones without asking', async () => {
    const store = fakeStore();
    const { limiter, countedInMemory } = limiterOn(store);
    await limiter.consume(limit, 'a');
    store.answers = false;
    expect(await limiter.consume(limit, 'a')).toMatchObject({ allowed: true, remaining: 1 });
    expect(await limiter.consume(limit, 'a')).toMatchObject({ allowed: true, remaining: 0 });
    expect(await limiter.consume(limit, 'a')).toMatchObject({ allowed: false });
    expect(store.asked).toHaveLength(2);
    expect(await countedInMemory()).toBe(3);
  });

  it('adds the requests of an outage once, without the one that the silent store may have counted', async () => {
    const store = fakeStore();
    const { limiter, time } = limiterOn(store);
    await limiter.consume(limit, 'a');
    store.answers = false;
    for (let count = 0; count < 3; count += 1) await limiter.consume(limit, 'a');
    store.answers = true;
    store.up = true;
    time.nowMs = 20_500;
    await Promise.all([limiter.consume(limit, 'a'), limiter.consume({ ...limit, requests: 99 }, 'a')]);
    expect(store.asked.slice(-2)).toEqual([
      // Two requests were counted in memory without asking the store; their window has 39.5 seconds left.
      { id: 'test:a', requests: 3, windowSeconds: 40 },
      { id: 'test:a', requests: 1, windowSeconds: 60 },
    ]);
  });

  it('adds also the request that the store was not asked to count, and what it was to add with it', async () => {
    const store = fakeStore();
    const { limiter } = limiterOn(store);
    store.answers = false;
    store.silence = 'not-asked';
    await limiter.consume({ ...limit, requests: 99 }, 'a');
    store.up = true;
    await limiter.consume({ ...limit, requests: 99 }, 'a');
    store.up = true;
    store.answers = true;
    await limiter.consume({ ...limit, requests: 99 }, 'a');
    expect(store.asked.map(({ requests }) => requests)).toEqual([1, 2, 3]);
  });
});

describe('a limiter without a store', () => {
  it('counts each client and each limit separately', async () => {
    const { limiter, countedInMemory } = limiterOn(undefined);
    for (let count = 0; count < 3; count += 1) await limiter.consume(limit, 'a');
    expect((await limiter.consume(limit, 'a')).allowed).toBe(false);
    expect((await limiter.consume(limit, 'b')).allowed).toBe(true);
    expect((await limiter.consume({ ...limit, name: 'other' }, 'a')).allowed).toBe(true);
    expect(await countedInMemory()).toBe(0);
  });
});
