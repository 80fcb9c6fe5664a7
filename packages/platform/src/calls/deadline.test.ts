import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { callerGone, isCallerGone } from '../process/faults.ts';
import { createDeadline } from './deadline.ts';

describe('a deadline', () => {
  it('never has more time left than at its start, and never less than nothing', () => {
    expect(createDeadline(1_000).remainingMs()).toBeLessThanOrEqual(1_000);
    expect(createDeadline(-5).remainingMs()).toBe(0);
  });

  it('aborts after the remaining time or after the time-out of the call, whichever is shorter', async () => {
    const aborts = () =>
      Promise.all([
        once(createDeadline(30).signal(60_000), 'abort'),
        once(createDeadline(60_000).signal(30), 'abort'),
      ]);
    await expect(inTime(2_000, aborts)).resolves.toHaveLength(2);
  });

  it('aborts at once when no time is left', async () => {
    const signal = createDeadline(0).signal(1_000);
    await once(signal, 'abort');
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });
});

describe('a deadline of work that only the caller waits for', () => {
  it('aborts at once when the caller leaves, with the reason', () => {
    const caller = new AbortController();
    const awaited = createDeadline(60_000, caller.signal).whileAwaited();
    const running = awaited.signal(60_000);
    expect(() => awaited.stopIfGone()).not.toThrow();
    caller.abort(callerGone());
    expect(running.aborted).toBe(true);
    expect(isCallerGone(running.reason)).toBe(true);
    expect(() => awaited.stopIfGone()).toThrow(expect.objectContaining({ status: 499 }));
  });

  it('is aborted from the start when the caller has left before', () => {
    const caller = new AbortController();
    caller.abort(callerGone());
    expect(createDeadline(60_000, caller.signal).whileAwaited().signal(60_000).aborted).toBe(true);
  });

  it('also aborts when the time is over', async () => {
    const signal = createDeadline(20).whileAwaited().signal(60_000);
    await once(signal, 'abort');
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('does not shorten the plain deadline, under which changes are finished', () => {
    const caller = new AbortController();
    const deadline = createDeadline(60_000, caller.signal);
    caller.abort(callerGone());
    expect(deadline.signal(60_000).aborted).toBe(false);
    expect(deadline.remainingMs()).toBeGreaterThan(59_000);
  });
});
