import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { silentLogger } from '@offer-ads/testing/logger';
import { createMetrics } from '../telemetry/metrics.ts';
import { createBreaker } from './breaker.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A breaker before a target that is up, down, or slow. */
function breakerBefore(target: { state: 'up' | 'down'; calls: number }, probe?: () => Promise<unknown>) {
  const breaker = createBreaker({
    target: 'pricing',
    logger: silentLogger,
    metrics: createMetrics('offers'),
    isHarmless: (error) => (error as Error).message === 'harmless',
    ...(probe && { probe }),
  });
  const fire = (isHarmless: boolean) =>
    breaker.fire(async () => {
      target.calls += 1;
      if (target.state === 'down') throw new Error(isHarmless ? 'harmless' : 'down');
    });
  return { ...breaker, fire };
}

describe('a circuit breaker', () => {
  it('opens at the fifth failure of ten seconds, refuses calls for two seconds, and closes when a trial succeeds', async () => {
    const target = { state: 'down' as 'up' | 'down', calls: 0 };
    const breaker = breakerBefore(target);
    for (let call = 1; call <= 5; call += 1) {
      expect(breaker.isOpen()).toBe(false);
      await expect(breaker.fire(false)).rejects.toThrow('down');
    }
    expect(breaker.isOpen()).toBe(true);
    target.state = 'up';
    jest.advanceTimersByTime(1_999);
    await expect(breaker.fire(false)).rejects.toThrow('open');
    expect(target.calls).toBe(5);
    jest.advanceTimersByTime(1);
    await breaker.fire(false);
    expect(breaker.isOpen()).toBe(false);
    breaker.shutdown();
  });

  it('stays closed while at most half of the calls of the last ten seconds failed', async () => {
    const target = { state: 'up' as 'up' | 'down', calls: 0 };
    const breaker = breakerBefore(target);
    for (let call = 0; call < 4; call += 1) await breaker.fire(false);
    target.state = 'down';
    for (let call = 0; call < 4; call += 1) await expect(breaker.fire(false)).rejects.toThrow('down');
    expect(breaker.isOpen()).toBe(false);
    jest.advanceTimersByTime(10_000);
    for (let call = 0; call < 4; call += 1) await expect(breaker.fire(false)).rejects.toThrow('down');
    expect(breaker.isOpen()).toBe(false);
    await expect(breaker.fire(false)).rejects.toThrow('down');
    expect(breaker.isOpen()).toBe(true);
    breaker.shutdown();
  });

  it('opens again when the trial fails', async () => {
    const target = { state: 'down' as 'up' | 'down', calls: 0 };
    const breaker = breakerBefore(target);
    for (let call = 0; call < 5; call += 1) await expect(breaker.fire(false)).rejects.toThrow('down');
    jest.advanceTimersByTime(2_000);
    await expect(breaker.fire(false)).rejects.toThrow('down');
    expect(breaker.isOpen()).toBe(true);
    await expect(breaker.fire(false)).rejects.toThrow('open');
    expect(target.calls).toBe(6);
    breaker.shutdown();
  });

  it('does not open for failures that do not count', async () => {
    const target = { state: 'down' as const, calls: 0 };
    const breaker = breakerBefore(target);
    for (let call = 0; call < 12; call += 1) await expect(breaker.fire(true)).rejects.toThrow('harmless');
    expect(target.calls).toBe(12);
    breaker.shutdown();
  });

  it('lets calls wait for the result of the trial, so that a burst after a silence succeeds', async () => {
    const target = { state: 'down' as 'up' | 'down', calls: 0 };
    const breaker = breakerBefore(target);
    for (let call = 0; call < 5; call += 1) await expect(breaker.fire(false)).rejects.toThrow('down');
    jest.advanceTimersByTime(60_000);
    const failed = await Promise.allSettled([1, 2, 3].map(() => breaker.fire(false)));
    expect(
      failed.map(({ status, ...rest }) => [status, String((rest as PromiseRejectedResult).reason)]),
    ).toEqual([
      ['rejected', 'Error: down'],
      ['rejected', 'Error: Breaker is open'],
      ['rejected', 'Error: Breaker is open'],
    ]);
    target.state = 'up';
    jest.advanceTimersByTime(60_000);
    await Promise.all([1, 2, 3].map(() => breaker.fire(false)));
    breaker.shutdown();
  });

  it('makes its probe the trial, if it has one, and refuses calls a second later until the probe succeeds', async () => {
    const target = { state: 'down' as 'up' | 'down', calls: 0 };
    const probed = Promise.withResolvers<void>();
    const breaker = breakerBefore(target, () => probed.promise);
    for (let call = 0; call < 5; call += 1) await expect(breaker.fire(false)).rejects.toThrow('down');
    target.state = 'up';
    jest.advanceTimersByTime(2_000);
    const [refused] = await Promise.all([
      breaker.fire(false).catch(String),
      jest.advanceTimersByTimeAsync(1_000),
    ]);
    expect(refused).toContain('open');
    probed.resolve();
    await jest.advanceTimersByTimeAsync(0);
    await breaker.fire(false);
    expect(target.calls).toBe(6);
    breaker.shutdown();
  });
});
