import { describe, expect, test } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { isWithin } from '../../../services/pricing/src/domain/great-circle.ts';
import { cellOf, rangesOf } from './cells.ts';
import { boxesOf, chordSquared, pointOf } from './geometry.ts';

const degreesE6 = (most: number) => fc.integer({ min: -most * 1_000_000, max: most * 1_000_000 });
const circles = fc.record({
  latitude: fc.oneof(degreesE6(90), fc.constantFrom(-90_000_000, 90_000_000, 0)).map((e6) => e6 / 1e6),
  longitude: fc
    .oneof(degreesE6(180), fc.constantFrom(-180_000_000, 180_000_000, 179_900_000))
    .map((e6) => e6 / 1e6),
  radiusMiles: fc.integer({ min: 5, max: 30 }),
});
/** Near enough that every other one lies inside. */
const offsets = fc.record({ north: degreesE6(1), east: degreesE6(1) });

function beside(
  circle: { latitude: number; longitude: number },
  { north, east }: { north: number; east: number },
) {
  const latitudeE6 = Math.round(circle.latitude * 1e6) + Math.round(north / 2);
  const stretch = 1 / Math.max(0.01, Math.cos((circle.latitude * Math.PI) / 180));
  const longitudeE6 = Math.round(circle.longitude * 1e6 + (east / 2) * stretch);
  return {
    latitudeE6: Math.max(-90_000_000, Math.min(90_000_000, latitudeE6)),
    longitudeE6: ((((longitudeE6 + 180_000_000) % 360_000_000) + 360_000_000) % 360_000_000) - 180_000_000,
  };
}

describe('whoever is inside a circle', () => {
  test('is in exactly one of its boxes and in exactly one range of cells, and ranges inside hold nobody else', () => {
    fc.assert(
      fc.property(circles, offsets, (circle, offset) => {
        const { latitudeE6, longitudeE6 } = beside(circle, offset);
        const inside = isWithin(circle, { latitude: latitudeE6 / 1e6, longitude: longitudeE6 / 1e6 });
        const boxes = boxesOf(circle).filter(
          ({ south, north, west, east }) =>
            latitudeE6 >= south && latitudeE6 <= north && longitudeE6 >= west && longitudeE6 <= east,
        );
        const cell = cellOf(latitudeE6, longitudeE6);
        const ranges = rangesOf(circle).filter(({ low, high }) => cell >= low && cell <= high);
        expect(boxes.length).toBeLessThan(2);
        expect(ranges.length).toBeLessThan(2);
        if (inside) expect([boxes.length, ranges.length]).toEqual([1, 1]);
        if (ranges[0]?.inside === true) expect(inside).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test('is within the chord of its radius', () => {
    fc.assert(
      fc.property(circles, offsets, (circle, offset) => {
        const { latitudeE6, longitudeE6 } = beside(circle, offset);
        const place = { latitude: latitudeE6 / 1e6, longitude: longitudeE6 / 1e6 };
        const [a, b] = [circle, place].map(({ latitude, longitude }) => pointOf(latitude, longitude));
        const squared = (a!.x - b!.x) ** 2 + (a!.y - b!.y) ** 2 + (a!.z - b!.z) ** 2;
        expect(squared <= chordSquared(circle.radiusMiles)).toBe(isWithin(circle, place));
      }),
    );
  });
});

test('of a circle of a city most cells need no distance', () => {
  const ranges = rangesOf({ latitude: 51.5, longitude: -0.13, radiusMiles: 30 });
  const cells = (which: boolean) =>
    ranges.filter(({ inside }) => inside === which).reduce((sum, { low, high }) => sum + high - low + 1, 0);
  expect(cells(true)).toBeGreaterThan(2 * cells(false));
});
