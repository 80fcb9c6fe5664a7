/** The grid of the Postgres that is tuned by hand: numbers of cells, row by row, so that a row's part of a circle is one range. */
import { radiusRadians, type Target } from '../../../services/pricing/src/domain/target.ts';
import { boxesOf } from './geometry.ts';

/** About a kilometre: the edge of a circle then runs through few members, and its inside is not too many ranges. */
export const CELL_E6 = 10_000;
export const CELLS_AROUND = 360_000_000 / CELL_E6 + 1;

/** Cells from `low` to `high`; of one that is wholly inside no distance need be computed. */
export type CellRange = { readonly low: number; readonly high: number; readonly inside: boolean };
type Circle = Pick<Target, 'latitude' | 'longitude' | 'radiusMiles'>;

const rowOf = (latitudeE6: number) => Math.floor((latitudeE6 + 90_000_000) / CELL_E6);
const columnOf = (longitudeE6: number) => Math.floor((longitudeE6 + 180_000_000) / CELL_E6);

export function cellOf(latitudeE6: number, longitudeE6: number): number {
  return rowOf(latitudeE6) * CELLS_AROUND + columnOf(longitudeE6);
}

export function rangesOf(circle: Circle): CellRange[] {
  const ranges: CellRange[] = [];
  const centreE6 = Math.round(circle.longitude * 1e6);
  for (const box of boxesOf(circle)) {
    const [west, east] = [columnOf(box.west), columnOf(box.east)];
    // Of a circle across the date line the centre lies beyond the edge of one of the two boxes.
    const turn = centreE6 < box.west ? 360_000_000 : centreE6 > box.east ? -360_000_000 : 0;
    for (let row = rowOf(box.south); row <= rowOf(box.north); row += 1) {
      const push = (from: number, to: number, inside: boolean) => {
        const first = row * CELLS_AROUND;
        if (from <= to) ranges.push({ low: first + from, high: first + to, inside });
      };
      const reach = Math.min(reachAt(circle, row), reachAt(circle, row + 1));
      const from = Math.max(west, columnOf(centreE6 + turn - reach) + 1);
      const to = Math.min(east, columnOf(centreE6 + turn + reach) - 1);
      if (from > to) {
        push(west, east, false);
        continue;
      }
      push(west, from - 1, false);
      push(from, to, true);
      push(to + 1, east, false);
    }
  }
  return ranges;
}

/** How far to both sides of its centre the circle reaches at the southern edge of a row; a hair less than it does. */
function reachAt({ latitude, radiusMiles }: Circle, row: number): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const [phi, centre] = [radians((row * CELL_E6) / 1e6 - 90), radians(latitude)];
  const cosine =
    (Math.cos(radiusRadians(radiusMiles)) - Math.sin(phi) * Math.sin(centre)) /
    (Math.cos(phi) * Math.cos(centre));
  // Not there at all, or all the way round near a pole: then every cell of the row is looked at.
  if (!(Math.abs(cosine) < 1)) return -CELL_E6;
  return ((Math.acos(cosine) * 180) / Math.PI) * 1e6 - 2;
}
