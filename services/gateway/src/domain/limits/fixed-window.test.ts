import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countIn, type Limit, limitState, type Window } from './fixed-window.ts';

const limit: Limit = { name: 'test', requests: 3, windowSeconds: 60 };

/** The results for requests at these times. */
function after(timesMs: readonly number[]) {
  let window: Window | undefined;
  return timesMs.map((nowMs) => {
    window = countIn(window, limit, nowMs);
    return { nowMs, ...limitState(window, limit, nowMs) };
  });
}

describe('a window of requests', () => {
  it('begins with the first request and ends exactly its length later', () => {
    const states = after([5_000, 5_000, 64_999, 64_999, 65_000]);
    expect(states.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
      [true, 2],
      [true, 1],
      [true, 0],
      [false, 0],
      [true, 2],
    ]);
  });

  it('shows the seconds to its end rounded up, so that a client who waits them is allowed', () => {
    expect(after([0, 1, 1_000, 59_999]).map(({ resetSeconds }) => resetSeconds)).toEqual([60, 60, 59, 1]);
  });

  const increasingTimes = fc
    .array(fc.nat({ max: 40_000 }), { maxLength: 60 })
    .map((steps) => steps.map((_, index) => steps.slice(0, index + 1).reduce((sum, step) => sum + step, 0)));

  it('allows exactly the limit between its first request and its end', () => {
    fc.assert(
      fc.property(increasingTimes, (timesMs) => {
        let startMs = Number.NEGATIVE_INFINITY;
        let inWindow = 0;
        for (const state of after(timesMs)) {
          if (state.nowMs >= startMs + 60_000) [startMs, inWindow] = [state.nowMs, 0];
          inWindow += 1;
          expect(state.allowed).toBe(inWindow <= limit.requests);
          expect(state.remaining).toBe(Math.max(0, limit.requests - inWindow));
        }
      }),
    );
  });

  it('allows a client who has waited for the seconds that it was shown', () => {
    fc.assert(
      fc.property(increasingTimes, (timesMs) => {
        const last = after(timesMs).at(-1);
        if (last === undefined) return;
        const later = after([...timesMs, last.nowMs + last.resetSeconds * 1_000]).at(-1);
        expect(later).toMatchObject({ allowed: true, remaining: limit.requests - 1 });
      }),
    );
  });
});
