import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { inTime } from './in-time.ts';

describe('inTime', () => {
  it('returns the result of the first try that was in time', async () => {
    const pausesMs = [200, 0, 0];
    let tries = 0;
    const work = async () => {
      await pause(pausesMs[tries]);
      return (tries += 1);
    };
    expect(await inTime(150, work)).toBeGreaterThan(1);
  });

  it('fails when no try is in time, and says how long they took', async () => {
    await expect(inTime(1, () => pause(20))).rejects.toThrow(/^took \d+, \d+, \d+ ms, and may take 1$/);
  });

  it('fails at once when the work fails', async () => {
    let tries = 0;
    const wrong = async () => {
      tries += 1;
      throw new Error('wrong');
    };
    await expect(inTime(1_000, wrong)).rejects.toThrow('wrong');
    expect(tries).toBe(1);
  });
});
