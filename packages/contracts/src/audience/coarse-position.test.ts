import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { coarsePosition } from './coarse-position.ts';
import { greatCircleMetres } from './great-circle.ts';

const position = fc.record({
  latitude: fc.double({ min: -90, max: 90, noNaN: true }),
  longitude: fc.double({ min: -180, max: 180, noNaN: true }),
});

describe('a coarse position', () => {
  it.each([
    [
      { latitude: 51.50735, longitude: -0.12776 },
      { latitude: 51.51, longitude: -0.13 },
    ],
    [
      { latitude: -0.004, longitude: 179.996 },
      { latitude: 0, longitude: 180 },
    ],
    [
      { latitude: 89.999, longitude: -179.999 },
      { latitude: 90, longitude: -180 },
    ],
  ])('of %j is %j', (exact, coarse) => {
    expect(coarsePosition(exact)).toStrictEqual(coarse);
  });

  it('is a position, at most half a step away, and the same when it is rounded again', () => {
    fc.assert(
      fc.property(position, (exact) => {
        const coarse = coarsePosition(exact);
        expect(Math.abs(coarse.latitude)).toBeLessThanOrEqual(90);
        expect(Math.abs(coarse.longitude)).toBeLessThanOrEqual(180);
        // Half a step in both directions, at the equator, where steps are longest.
        expect(greatCircleMetres(exact, coarse)).toBeLessThanOrEqual(787);
        expect(coarsePosition(coarse)).toStrictEqual(coarse);
      }),
    );
  });
});
