import { describe, expect, it } from '@jest/globals';
import { eventually } from './eventually.ts';

describe('eventually', () => {
  it('returns the result of the assertion when it passes', async () => {
    let tries = 0;
    const result = await eventually(() => {
      tries += 1;
      expect(tries).toBe(3);
      return 'held';
    });
    expect(result).toBe('held');
  });

  it('fails with the last error of the assertion after the time-out', async () => {
    let tries = 0;
    const hopeless = eventually(
      () => {
        tries += 1;
        throw new Error(`try ${tries}`);
      },
      { timeoutMs: 100 },
    );
    await expect(hopeless).rejects.toThrow(/^try \d+$/);
    expect(tries).toBeGreaterThan(1);
  });
});
