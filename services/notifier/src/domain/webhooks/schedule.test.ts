import { describe, expect, it } from '@jest/globals';
import { attemptsAtMost, failingAfter, isDelivered, isGivenUp, retryInMs } from './schedule.ts';

const hour = 3_600_000;
const day = 24 * hour;
const start = new Date('2026-06-01T12:00:00.000Z');
const later = (ms: number) => new Date(start.getTime() + ms);

describe('a message that is not delivered', () => {
  it('is tried ten times in about three days', () => {
    const pauses = Array.from({ length: attemptsAtMost }, (_, index) => retryInMs(index + 1, 0));
    expect(pauses).toEqual([
      5_000,
      300_000,
      1_800_000,
      2 * hour,
      5 * hour,
      10 * hour,
      14 * hour,
      20 * hour,
      24 * hour,
      undefined,
    ]);
    const total = pauses.reduce<number>((sum, pause) => sum + (pause ?? 0), 0);
    expect(total / day).toBeGreaterThan(3);
    expect(total / day).toBeLessThan(3.2);
  });

  it('waits up to a tenth longer by chance, and never shorter', () => {
    expect([retryInMs(2, 0), retryInMs(2, 0.5), retryInMs(2, 1)]).toEqual([300_000, 315_000, 330_000]);
  });
});

describe('an endpoint', () => {
  const failedAt = (...times: readonly number[]) =>
    times.map(later).reduce<ReturnType<typeof failingAfter> | undefined>(failingAfter, undefined);

  it('is given up when all attempts of five days have failed', () => {
    const daily = [0, day, 2 * day, 3 * day, 4 * day];
    expect(isGivenUp(failedAt(...daily)!)).toBe(false);
    expect(isGivenUp(failedAt(...daily, 5 * day - 1)!)).toBe(false);
    expect(isGivenUp(failedAt(...daily, 5 * day)!)).toBe(true);
  });

  it('is not given up for two failures with days without any message between them', () => {
    expect(isGivenUp(failedAt(0, 6 * day)!)).toBe(false);
  });

  it('is not given up by a clock that was set back', () => {
    expect(isGivenUp(failedAt(0, -10 * day)!)).toBe(false);
  });
});

it('only 2xx is a delivery: no redirect is followed, and no answer is none', () => {
  expect([200, 204, 299].map(isDelivered)).toEqual([true, true, true]);
  expect([undefined, 100, 199, 300, 301, 304, 400, 410, 500].map(isDelivered)).not.toContain(true);
});
