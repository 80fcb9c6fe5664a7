import { describe, expect, it } from '@jest/globals';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { testClock } from '@offer-ads/testing/clock';
import { silentLogger } from '@offer-ads/testing/logger';
import { createPictureBudget } from './admission.ts';

/** Replicas that share a store in memory. */
function replicas(count: number, maxMsPerHour = 10_000) {
  const clock = testClock('2026-06-01T12:45:00.000Z');
  const hours = new Map<string, number>();
  const told: number[] = [];
  const store = {
    isAway: false,
    add: async (organisationId: number, hour: Date, ms: number) => {
      if (store.isAway) throw new Error('away');
      told.push(ms);
      const key = `${organisationId} ${hour.toISOString()}`;
      const all = (hours.get(key) ?? 0) + ms;
      hours.set(key, all);
      return all;
    },
  };
  const budgets = Array.from({ length: count }, () =>
    createPictureBudget({
      maxMsPerHour,
      store,
      clock,
      logger: silentLogger,
      metrics: createMetrics('moderation'),
    }),
  );
  const [first, second = first] = budgets;
  if (first === undefined || second === undefined) throw new Error('there is no replica');
  return { first, second, clock, store, told };
}

const afterOtherWork = () => new Promise(setImmediate);

describe('the processor time of an organisation', () => {
  it('used up refuses its pictures, and no others, until the hour is over', () => {
    const { first, clock } = replicas(1);
    first.count(1, 9_999);
    expect(() => first.check(1)).not.toThrow();
    first.count(1, 1);
    expect(() => first.check(1)).toThrow(expect.objectContaining({ status: 429, retryAfterSeconds: 900 }));
    expect(() => first.check(2)).not.toThrow();
    clock.advance(899_999);
    expect(() => first.check(1)).toThrow(expect.objectContaining({ retryAfterSeconds: 1 }));
    clock.advance(1);
    expect(() => first.check(1)).not.toThrow();
  });

  it('counts over all replicas: one that has just started knows it after a second of its own', async () => {
    const { first, second } = replicas(2);
    first.count(1, 9_500);
    await afterOtherWork();
    second.count(1, 999);
    await afterOtherWork();
    expect(() => second.check(1)).not.toThrow();
    second.count(1, 1);
    await afterOtherWork();
    expect(() => second.check(1)).toThrow(expect.objectContaining({ status: 429 }));
  });

  it('is stored once for many pictures', async () => {
    const { first, told } = replicas(1);
    for (let picture = 0; picture < 100; picture += 1) {
      first.count(1, 20);
      await afterOtherWork();
    }
    expect(told).toEqual([1_000, 1_000]);
  });

  it('is not lost while the store is away', async () => {
    const { first, store, told } = replicas(1);
    store.isAway = true;
    first.count(1, 6_000);
    await afterOtherWork();
    store.isAway = false;
    first.count(1, 4_000);
    await afterOtherWork();
    expect(told).toEqual([10_000]);
    expect(() => first.check(1)).toThrow(expect.objectContaining({ status: 429 }));
  });
});
