import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { isCallerGone } from '../process/faults.ts';
import { callerPresence, createDeadline } from './deadline.ts';

describe('a deadline', () => {
  it('never gives back more than it was given, nor less than nothing', () => {
    expect(createDeadline(1_000).remainingMs()).toBeLessThanOrEqual(1_000);
    expect(createDeadline(-5).remainingMs()).toBe(0);
  });

  it('aborts at the sooner of what remains and what a call may take', async () => {
    const aborts = () =>
      Promise.all([
        once(createDeadline(30).signal(60_000), 'abort'),
        once(createDeadline(60_000).signal(30), 'abort'),
      ]);
    await expect(inTime(2_000, aborts)).resolves.toHaveLength(2);
  });

  it('has aborted at once when nothing remains', async () => {
    const signal = createDeadline(0).signal(1_000);
    await once(signal, 'abort');
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });
});

describe('an awaited deadline', () => {
  it('is over at once when the caller leaves, and says why', () => {
    const caller = callerPresence();
    const awaited = createDeadline(60_000, caller).whileAwaited();
    const running = awaited.signal(60_000);
    expect(() => awaited.stopIfGone()).not.toThrow();
    caller.leave();
    expect(running.aborted).toBe(true);
    expect(isCallerGone(running.reason)).toBe(true);
    expect(() => awaited.stopIfGone()).toThrow(expect.objectContaining({ status: 499 }));
  });

  it('is over for what is asked after the caller left', () => {
    const caller = callerPresence();
    caller.leave();
    expect(createDeadline(60_000, caller).whileAwaited().signal(60_000).aborted).toBe(true);
  });

  it('still ends when the time is up', async () => {
    const signal = createDeadline(20).whileAwaited().signal(60_000);
    await once(signal, 'abort');
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });

  it('does not shorten the plain one, by which work that has begun is finished', () => {
    const caller = callerPresence();
    const deadline = createDeadline(60_000, caller);
    caller.leave();
    expect(deadline.signal(60_000).aborted).toBe(false);
    expect(deadline.remainingMs()).toBeGreaterThan(59_000);
  });
});
