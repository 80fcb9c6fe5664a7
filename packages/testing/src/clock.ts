/** A clock that only the test moves. */
import type { Clock } from '@offer-ads/platform/process/clock';

export type TestClock = Clock & {
  readonly set: (instant: string | Date) => void;
  readonly advance: (milliseconds: number) => void;
};

export function testClock(start: string | Date = '2026-06-01T12:00:00.000Z'): TestClock {
  let nowMs = new Date(start).getTime();
  return {
    now: () => new Date(nowMs),
    set: (instant) => {
      nowMs = new Date(instant).getTime();
    },
    advance: (milliseconds) => {
      nowMs += milliseconds;
    },
  };
}
