/**
 * The cells of a circle, as spans of columns row by row. Solved for the longitude, the haversine formula gives the half width of a row:
 *
 *     hav(radius) = hav(latitudes) + cos(latitude) cos(latitude of the centre) hav(half width)
 *
 * Only cells so near to the border that rounding could decide are asked for by the rule itself (`isWithin`), so the spans are exact.
 */
import { isWithin, type Position } from '@offer-ads/contracts/audience/great-circle';
import { radiusRadians } from '@offer-ads/contracts/audience/target';
import { betweenColumns, betweenRows, COLUMNS, latitudeOf, positionOf, ROWS } from './cells.ts';

type Circle = Position & { readonly radiusMiles: number };

/** Called with a row, and the first and the last column of a span in it. No cell is in two spans. */
export type VisitSpan = (row: number, first: number, last: number) => void;

const RADIANS_PER_DEGREE = Math.PI / 180;
const CELLS_PER_RADIAN = (COLUMNS - 1) / (2 * Math.PI);
/** The columns once around the earth: the last one is the first again. */
const TURN = COLUMNS - 1;
/** Far more than the rounding errors of both formulas: a part of hav(radius), and of a column or row. */
const MARGIN = 1e-9;
const MARGIN_CELLS = 1e-6;

const cosines = Float64Array.from({ length: ROWS }, (_, row) =>
  Math.cos(latitudeOf(row) * RADIANS_PER_DEGREE),
);

export function eachSpan(circle: Circle, visit: VisitSpan): void {
  // A radius may be longer than the way to the other side of the earth.
  const radius = Math.min(Math.PI, radiusRadians(circle.radiusMiles));
  const havRadius = haversine(radius);
  const margin = havRadius * MARGIN;
  const cosine = Math.cos(circle.latitude * RADIANS_PER_DEGREE);
  const centre = betweenColumns(circle.longitude);
  const middle = betweenRows(circle.latitude);
  const reach = radius * CELLS_PER_RADIAN * (1 + MARGIN) + MARGIN_CELLS;
  const lastRow = Math.min(ROWS - 1, Math.floor(middle + reach));
  for (let row = Math.max(0, Math.ceil(middle - reach)); row <= lastRow; row += 1) {
    const remaining = havRadius - haversine((latitudeOf(row) - circle.latitude) * RADIANS_PER_DEGREE);
    const shrink = cosine * (cosines[row] as number);
    const inner = halfWidth((remaining - margin) / shrink) - MARGIN_CELLS;
    const outer = halfWidth((remaining + margin) / shrink) + MARGIN_CELLS;
    if (inner >= TURN / 2 - MARGIN_CELLS) {
      visit(row, 0, COLUMNS - 1);
      continue;
    }
    // Exclusive on the west, and never more than a turn, so that no column is there twice: the east may be rounded up.
    const west = Math.floor(centre - Math.min(outer, TURN / 2)) + 1;
    const east = Math.min(west + TURN - 1, Math.floor(centre + Math.min(outer, TURN / 2)));
    const first = inner < 0 ? east + 1 : Math.floor(centre - inner) + 1;
    const last = inner < 0 ? east : Math.floor(centre + inner);
    if (first <= last) visitTurned(row, first, last, visit);
    for (let column = west; column < first; column += 1) decide(circle, row, column, visit);
    for (let column = Math.max(first, last + 1); column <= east; column += 1)
      decide(circle, row, column, visit);
  }
}

function haversine(angle: number): number {
  return Math.sin(angle / 2) ** 2;
}

/** In columns; below zero: the row is not reached. */
function halfWidth(hav: number): number {
  if (hav < 0) return -1;
  return hav >= 1 ? TURN / 2 : 2 * Math.asin(Math.sqrt(hav)) * CELLS_PER_RADIAN;
}

/** A span may begin before the first column, or end after the last one: it crosses the date line. */
function visitTurned(row: number, first: number, last: number, visit: VisitSpan): void {
  if (first <= TURN && last >= 0) visit(row, Math.max(0, first), Math.min(TURN, last));
  if (first <= 0) visit(row, first + TURN, Math.min(TURN, last + TURN));
  if (last >= TURN) visit(row, Math.max(0, first - TURN), last - TURN);
}

function decide(circle: Circle, row: number, column: number, visit: VisitSpan): void {
  visitTurned(row, column, column, (_, only) => {
    if (isWithin(circle, positionOf(row, only))) visit(row, only, only);
  });
}
