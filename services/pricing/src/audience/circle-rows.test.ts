import { expect, it } from '@jest/globals';
import { greatCircleMetres, isWithin } from '@offer-ads/contracts/audience/great-circle';
import { fc, runs } from '@offer-ads/testing/profile';
import { COLUMNS, columnOf, positionOf, ROWS, rowOf } from './cells.ts';
import { eachSpan } from './circle-rows.ts';

const METRES_PER_MILE = 1609.344;

/** For each column of a row, how many spans have it. */
function spansOver(circle: Parameters<typeof eachSpan>[0], row: number): Uint8Array {
  const spans = new Uint8Array(COLUMNS);
  eachSpan(circle, (of, first, last) => {
    if (of !== row) return;
    for (let column = first; column <= last; column += 1) spans[column] = (spans[column] as number) + 1;
  });
  return spans;
}

const latitude = fc.oneof(
  fc.double({ min: -90, max: 90, noNaN: true }),
  fc.constantFrom(-90, 90, 0, 89.99, -89.995),
);
const longitude = fc.oneof(
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.constantFrom(-180, 180, 0, 179.999, -179.995),
);
const anywhere = fc.record({ latitude, longitude });
const radius = fc.oneof(
  { weight: 6, arbitrary: fc.double({ min: 0, max: 30, noNaN: true }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 70, 6_000, 12_400, 12_437.6, 13_000) },
);

it('each cell of a circle is in one span, and no other cell is in any', () => {
  fc.assert(
    fc.property(anywhere, radius, fc.integer({ min: -80, max: 80 }), (centre, radiusMiles, rowOffset) => {
      const circle = { ...centre, radiusMiles };
      const row = Math.max(0, Math.min(ROWS - 1, rowOf(centre.latitude) + rowOffset));
      const spans = spansOver(circle, row);
      for (let column = 0; column < COLUMNS; column += 1)
        if (spans[column] !== (isWithin(circle, positionOf(row, column)) ? 1 : 0))
          throw new Error(`${JSON.stringify(circle)}: row ${row}, column ${column}`);
    }),
    { numRuns: runs(60, 5_000) },
  );
});

it('a cell exactly on the border is in a span if the rule says so', () => {
  fc.assert(
    fc.property(
      anywhere,
      anywhere,
      fc.constantFrom(1, 1 + 2e-16, 1 - 2e-16, 1 + 1e-12, 1 - 1e-12),
      (centre, other, factor) => {
        const [row, column] = [rowOf(other.latitude), columnOf(other.longitude)];
        const place = positionOf(row, column);
        const circle = {
          ...centre,
          radiusMiles: (greatCircleMetres(centre, place) / METRES_PER_MILE) * factor,
        };
        expect(spansOver(circle, row)[column]).toBe(isWithin(circle, place) ? 1 : 0);
      },
    ),
    {
      numRuns: runs(100, 20_000),
      // Half a turn to both sides, of which the east one is rounded up: no column may be in it twice.
      examples: [
        [{ latitude: 0, longitude: -1.8189894035458568e-14 }, { latitude: -90, longitude: -180 }, 1],
      ],
    },
  );
});

it('cells have the positions to which members are rounded', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: ROWS - 1 }),
      fc.integer({ min: 0, max: COLUMNS - 1 }),
      (row, column) => {
        const { latitude, longitude } = positionOf(row, column);
        expect([rowOf(latitude), columnOf(longitude)]).toEqual([row, column]);
      },
    ),
  );
  expect(positionOf(rowOf(51.5074), columnOf(-0.1278))).toEqual({ latitude: 51.51, longitude: -0.13 });
});
