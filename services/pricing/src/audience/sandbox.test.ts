import { describe, expect, it } from '@jest/globals';
import { openSandbox } from './sandbox.ts';

describe('made-up members', () => {
  const london = { latitude: 51.5074, longitude: -0.1278, radiusMiles: 10, gender: [], interests: [] };
  const onTheGrid = { ...london, latitude: 52, longitude: 0 };

  it('match interests of any catalogue, and each member once', async () => {
    const { count } = await openSandbox({ members: 1_000, positionDecimals: 6 });
    const withInterests = (...interests: number[]) => count({ ...london, interests });
    expect(await withInterests(1)).toBeGreaterThan(0);
    expect(await withInterests(1, 31, 9_991)).toBe(await withInterests(1));
    expect(await withInterests(612)).toBe(await withInterests(12));
  });

  it('live where positions rounded like those of real members are', async () => {
    const fine = await openSandbox({ members: 1_000, positionDecimals: 6 });
    const coarse = await openSandbox({ members: 1_000, positionDecimals: 0 });
    expect(await fine.count(london)).toBeGreaterThan(0);
    expect(await coarse.count(london)).toBe(0);
    expect(await coarse.count(onTheGrid)).toBeGreaterThan(await fine.count(onTheGrid));
  });
});
