import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { createDeadline } from './deadline.ts';

describe('a deadline', () => {
  it('never gives back more than it was given, nor less than nothing', () => {
    expect(createDeadline(1_000).remainingMs()).toBeLessThanOrEqual(1_000);
    expect(createDeadline(-5).remainingMs()).toBe(0);
  });

  it('aborts at the sooner of what remains and what a call may take', async () => {
    const startedAt = performance.now();
    await Promise.all([
      once(createDeadline(30).signal(60_000), 'abort'),
      once(createDeadline(60_000).signal(30), 'abort'),
    ]);
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('has aborted at once when nothing remains', async () => {
    const signal = createDeadline(0).signal(1_000);
    await once(signal, 'abort');
    expect(signal.reason).toMatchObject({ name: 'TimeoutError' });
  });
});
