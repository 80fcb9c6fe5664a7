/** The squares of a quarter of a degree that a circle touches. */
import { radiusRadians, type Target } from '@offer-ads/contracts/audience/target';

const SQUARES_PER_DEGREE = 4;
const COLUMNS = 360 * SQUARES_PER_DEGREE;
const RADIANS_PER_DEGREE = Math.PI / 180;
/** Boxes are larger than circles by a metre, so that rounding leaves nobody out. */
const MARGIN_DEGREES = 1e-5;

const rowOf = (latitude: number) => Math.floor((latitude + 90) * SQUARES_PER_DEGREE);
const columnOf = (longitude: number) => Math.floor((longitude + 180) * SQUARES_PER_DEGREE);
/** The date line is the border of the first and the last column. */
const squareAt = (row: number, column: number) => row * COLUMNS + ((column + COLUMNS) % COLUMNS);

/** The number of the square in which a place lies. */
export function squareOf(o: { readonly latitude: number; readonly longitude: number }): number {
  return squareAt(rowOf(o.latitude), columnOf(o.longitude));
}

/** The numbers of the squares of a box around the circle; of whole rows when it holds a pole. Each once. */
export function* squaresOf({ latitude, longitude, radiusMiles }: Target): Generator<number> {
  const radius = radiusRadians(radiusMiles);
  const height = radius / RADIANS_PER_DEGREE + MARGIN_DEGREES;
  // The meridians that touch the circle, by the law of sines.
  const sine = Math.sin(radius) / Math.cos(latitude * RADIANS_PER_DEGREE);
  const holdsPole = Math.abs(latitude) + height >= 90 || sine >= 1;
  const width = holdsPole ? 180 : Math.asin(sine) / RADIANS_PER_DEGREE + MARGIN_DEGREES;
  const west = columnOf(longitude - width);
  const east = Math.min(columnOf(longitude + width), west + COLUMNS - 1);
  const north = rowOf(Math.min(90, latitude + height));
  for (let row = rowOf(Math.max(-90, latitude - height)); row <= north; row += 1)
    for (let column = west; column <= east; column += 1) yield squareAt(row, column);
}
