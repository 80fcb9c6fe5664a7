import { describe, expect, it } from '@jest/globals';
import { openSandbox } from './sandbox.ts';

describe('made-up members', () => {
  const london = { latitude: 51.5074, longitude: -0.1278, radiusMiles: 10, gender: [], interests: [] };

  it('match interests of any catalogue, and each member once', async () => {
    const { count } = openSandbox(1_000);
    const withInterests = (...interests: number[]) => count({ ...london, interests });
    expect(await withInterests(1)).toBeGreaterThan(0);
    expect(await withInterests(1, 31, 9_991)).toBe(await withInterests(1));
    expect(await withInterests(612)).toBe(await withInterests(12));
  });

  it('live where positions rounded like those of real members are', async () => {
    const { count } = openSandbox(1_000);
    expect(await count(london)).toBeGreaterThan(0);
    const betweenCells = { ...london, latitude: 51.505, longitude: -0.125, radiusMiles: 0.1 };
    expect(await count(betweenCells)).toBe(0);
  });
});
