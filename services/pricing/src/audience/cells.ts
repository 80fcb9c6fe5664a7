/**
 * The grid of cells. Members' positions are rounded to 0.01 degrees before they are stored (decision 152, rounded positions), so a member lives
 * in a cell: a row (latitude) and a column (longitude). All members of a cell are inside a circle, or none is.
 */
import type { Position } from '@offer-ads/contracts/audience/great-circle';

const STEPS_PER_DEGREE = 100;

/** Row 0 is the south pole, the last row the north pole. */
export const ROWS = 180 * STEPS_PER_DEGREE + 1;
/** From one date line to the other: the first and the last column are the same meridian, written as -180 and as 180. */
export const COLUMNS = 360 * STEPS_PER_DEGREE + 1;

export function rowOf(latitude: number): number {
  return Math.round(latitude * STEPS_PER_DEGREE) + (ROWS - 1) / 2;
}

export function columnOf(longitude: number): number {
  return Math.round(longitude * STEPS_PER_DEGREE) + (COLUMNS - 1) / 2;
}

/** The position of everybody in this cell. */
export function positionOf(row: number, column: number): Position {
  return { latitude: latitudeOf(row), longitude: (column - (COLUMNS - 1) / 2) / STEPS_PER_DEGREE };
}

export function latitudeOf(row: number): number {
  return (row - (ROWS - 1) / 2) / STEPS_PER_DEGREE;
}

/** Where a position that is not rounded lies between the rows, and between the columns. */
export function betweenRows(latitude: number): number {
  return latitude * STEPS_PER_DEGREE + (ROWS - 1) / 2;
}

export function betweenColumns(longitude: number): number {
  return longitude * STEPS_PER_DEGREE + (COLUMNS - 1) / 2;
}
