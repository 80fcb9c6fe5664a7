import { describe, expect, it } from '@jest/globals';
import { eventually } from './eventually.ts';

describe('eventually', () => {
  it('returns what the assertion returns once it holds', async () => {
    let tries = 0;
    const result = await eventually(() => {
      tries += 1;
      expect(tries).toBe(3);
      return 'held';
    });
    expect(result).toBe('held');
  });

  it("fails with the assertion's last error when the bound is reached", async () => {
    let tries = 0;
    const hopeless = eventually(
      () => {
        tries += 1;
        throw new Error(`try ${tries}`);
      },
      { timeoutMs: 400 },
    );
    await expect(hopeless).rejects.toThrow(/^try \d+$/);
    expect(tries).toBeGreaterThan(1);
  });
});
