import { describe, expect, it } from '@jest/globals';
import { timeoutWheel } from './timeout-wheel.ts';

const never = () => new Promise<never>(() => {});

describe('limited patience', () => {
  it('hands through what comes in time, good or bad', async () => {
    using patience = timeoutWheel(1_000);
    await expect(patience.wait(Promise.resolve('answer'))).resolves.toBe('answer');
    await expect(patience.wait(Promise.reject(new Error('refused')))).rejects.toThrow('refused');
  });

  it('gives up on what does not come, each call by itself', async () => {
    using patience = timeoutWheel(20);
    const startedAt = performance.now();
    await expect(Promise.allSettled([patience.wait(never()), patience.wait(never())])).resolves.toMatchObject(
      [{ status: 'rejected', reason: { message: 'no answer within 20 ms' } }, { status: 'rejected' }],
    );
    // Timers use whole milliseconds, this clock does not.
    expect(performance.now() - startedAt).toBeGreaterThan(18);
  });

  it('is not worn by time in which the process did not run', async () => {
    using patience = timeoutWheel(20);
    let answer: (text: string) => void = () => {};
    const waited = patience.wait(new Promise<string>((resolve) => (answer = resolve)));
    const busyUntil = performance.now() + 100;
    while (performance.now() < busyUntil);
    // Read in the turn after the long one, as a socket's answer would be.
    setTimeout(() => setImmediate(() => answer('came meanwhile')), 0);
    await expect(waited).resolves.toBe('came meanwhile');
  });
});
