import { describe, expect, it } from '@jest/globals';
import { timeoutWheel } from './timeout-wheel.ts';

const never = () => new Promise<never>(() => {});

describe('a timeout wheel', () => {
  it('returns the result or the error of a call in time', async () => {
    using timeouts = timeoutWheel(1_000);
    await expect(timeouts.wait(Promise.resolve('answer'))).resolves.toBe('answer');
    await expect(timeouts.wait(Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  });

  it('rejects each call that takes too long', async () => {
    using timeouts = timeoutWheel(20);
    const startedAt = performance.now();
    await expect(Promise.allSettled([timeouts.wait(never()), timeouts.wait(never())])).resolves.toMatchObject(
      [{ status: 'rejected', reason: { message: 'no answer within 20 ms' } }, { status: 'rejected' }],
    );
    // Timers use whole milliseconds, this clock does not.
    expect(performance.now() - startedAt).toBeGreaterThan(18);
  });

  it('does not count time in which the process was blocked', async () => {
    using timeouts = timeoutWheel(20);
    let answer: (text: string) => void = () => {};
    const waited = timeouts.wait(new Promise<string>((resolve) => (answer = resolve)));
    const busyUntil = performance.now() + 100;
    while (performance.now() < busyUntil);
    // Read in the turn after the long one, as a socket's answer would be.
    setTimeout(() => setImmediate(() => answer('came meanwhile')), 0);
    await expect(waited).resolves.toBe('came meanwhile');
  });
});
