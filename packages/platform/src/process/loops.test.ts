import { describe, expect, it } from '@jest/globals';
import { collectingLogger } from '@offer-ads/testing/logger';
import { pino } from 'pino';
import { createMetrics } from '../telemetry/metrics.ts';
import { startLoop } from './loops.ts';

const settings = {
  name: 'test',
  everyMs: 60_000,
  logger: pino({ level: 'silent' }),
  metrics: createMetrics('offers'),
};

/** Work that waits until the test releases it. */
function heldWork() {
  const releases: (() => void)[] = [];
  let started = 0;
  return {
    started: () => started,
    release: () => releases.shift()?.(),
    work: () => {
      started += 1;
      return new Promise<void>((resolve) => releases.push(resolve));
    },
  };
}

describe('startLoop', () => {
  it('runs at once, one run at a time, and calls that come meanwhile share the next run', async () => {
    const held = heldWork();
    const loop = startLoop({ ...settings, work: held.work });
    expect(held.started()).toBe(1);
    const first = loop.runNow();
    const second = loop.runNow();
    held.release();
    await Promise.resolve();
    while (held.started() < 2) await new Promise(setImmediate);
    held.release();
    await Promise.all([first, second]);
    expect(held.started()).toBe(2);
    await loop[Symbol.asyncDispose]();
  });

  it('goes on after a run that failed, and `runNow` rejects', async () => {
    let runs = 0;
    const work = async () => {
      runs += 1;
      if (runs === 2) throw new Error('second run');
    };
    await using loop = startLoop({ ...settings, work });
    await expect(loop.runNow()).rejects.toThrow('second run');
    await expect(loop.runNow()).resolves.toBeUndefined();
  });

  it('logs an error that comes again once, another error, and the end of both', async () => {
    const { logger, lines } = collectingLogger();
    const outcomes = ['away', 'away', 'slow', undefined, undefined];
    const work = async () => {
      const outcome = outcomes.shift();
      if (outcome !== undefined) throw new Error(outcome);
    };
    await using loop = startLoop({ ...settings, logger, work });
    while (outcomes.length > 0) await loop.runNow().catch(() => {});
    expect(lines).toEqual([
      expect.stringContaining('away'),
      expect.stringContaining('slow'),
      expect.stringContaining('repeated work succeeds again'),
    ]);
  });

  it('repeats by itself', async () => {
    let runs = 0;
    const thrice = Promise.withResolvers<void>();
    const work = async () => {
      runs += 1;
      if (runs === 3) thrice.resolve();
    };
    await using _loop = startLoop({ ...settings, everyMs: 1, work });
    await thrice.promise;
    expect(runs).toBeGreaterThanOrEqual(3);
  });

  it('aborts the signal of the current run when it is stopped, and waits for the run', async () => {
    let finished = false;
    const loop = startLoop({
      ...settings,
      work: async (signal) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        finished = true;
      },
    });
    await loop[Symbol.asyncDispose]();
    expect(finished).toBe(true);
    await expect(loop.runNow()).rejects.toThrow('has stopped');
  });
});
