/**
 * Offers filed under the squares of a quarter of a degree that their circles touch, so that a member's square has all offers that may be for the
 * member. A change takes effect at once, and nothing is ever built anew.
 */
import { isWithin } from '@offer-ads/contracts/audience/great-circle';
import {
  isForMember,
  radiusRadians,
  type Target,
  type TargetedMember,
} from '@offer-ads/contracts/audience/target';
import type { LiveOffer } from './live-offers.ts';

export type OfferSquares = {
  /** Adds one that is not there. */
  readonly add: (offer: LiveOffer) => void;
  readonly remove: (offer: LiveOffer) => void;
  /** Those that run at this instant and are for this member, in no order. */
  readonly matching: (member: TargetedMember, nowMs: number) => readonly LiveOffer[];
};

const SQUARES_PER_DEGREE = 4;
const COLUMNS = 360 * SQUARES_PER_DEGREE;
const RADIANS_PER_DEGREE = Math.PI / 180;
/** Of the cosine of an angle: more than its rounding. */
const MARGIN_COSINE = 1e-12;
/** Boxes are larger than circles by a metre, so that rounding leaves nobody out. */
const MARGIN_DEGREES = 1e-5;

/** An offer with the circle as a cone: who is inside is mostly decided by one product, without the rule's trigonometry. */
type Filed = Point & { readonly offer: LiveOffer; readonly cosine: number };
type Point = { readonly x: number; readonly y: number; readonly z: number };

export function offerSquares(): OfferSquares {
  const squares = new Map<number, Filed[]>();
  return {
    add: (offer) => {
      const cosine = Math.cos(radiusRadians(offer.target.radiusMiles));
      const filed = { ...onSphere(offer.target), cosine, offer };
      for (const square of squaresOf(offer.target)) {
        const there = squares.get(square);
        if (there === undefined) squares.set(square, [filed]);
        else there.push(filed);
      }
    },
    remove: (offer) => {
      for (const square of squaresOf(offer.target)) {
        const there = squares.get(square) ?? [];
        const last = there.pop();
        if (there.length === 0) squares.delete(square);
        if (last !== undefined && last.offer !== offer)
          there[there.findIndex((filed) => filed.offer === offer)] = last;
      }
    },
    matching: (member, nowMs) => {
      const { x, y, z } = onSphere(member);
      const found: LiveOffer[] = [];
      for (const filed of squares.get(squareOf(rowOf(member.latitude), columnOf(member.longitude))) ?? []) {
        const inside = filed.x * x + filed.y * y + filed.z * z - filed.cosine;
        if (inside < -MARGIN_COSINE) continue;
        const { startAtMs, expiryAtMs, target } = filed.offer;
        if (nowMs < startAtMs || nowMs >= expiryAtMs || !isForMember(target, member)) continue;
        if (inside > MARGIN_COSINE || isWithin(target, member)) found.push(filed.offer);
      }
      return found;
    },
  };
}

function onSphere(o: { readonly latitude: number; readonly longitude: number }): Point {
  const latitude = o.latitude * RADIANS_PER_DEGREE;
  const longitude = o.longitude * RADIANS_PER_DEGREE;
  const z = Math.sin(latitude);
  return { x: Math.cos(latitude) * Math.cos(longitude), y: Math.cos(latitude) * Math.sin(longitude), z };
}

const rowOf = (latitude: number) => Math.floor((latitude + 90) * SQUARES_PER_DEGREE);
const columnOf = (longitude: number) => Math.floor((longitude + 180) * SQUARES_PER_DEGREE);
/** The date line is the border of the first and the last column. */
const squareOf = (row: number, column: number) => row * COLUMNS + ((column + COLUMNS) % COLUMNS);

/** The squares of a box around the circle; of whole rows when it holds a pole. Each once. */
function* squaresOf({ latitude, longitude, radiusMiles }: Target): Generator<number> {
  const radius = radiusRadians(radiusMiles);
  const height = radius / RADIANS_PER_DEGREE + MARGIN_DEGREES;
  // The meridians that touch the circle, by the law of sines.
  const sine = Math.sin(radius) / Math.cos(latitude * RADIANS_PER_DEGREE);
  const holdsPole = Math.abs(latitude) + height >= 90 || sine >= 1;
  const width = holdsPole ? 180 : Math.asin(sine) / RADIANS_PER_DEGREE + MARGIN_DEGREES;
  const west = columnOf(longitude - width);
  const east = Math.min(columnOf(longitude + width), west + COLUMNS - 1);
  for (
    let row = rowOf(Math.max(-90, latitude - height));
    row <= rowOf(Math.min(90, latitude + height));
    row += 1
  )
    for (let column = west; column <= east; column += 1) yield squareOf(row, column);
}
