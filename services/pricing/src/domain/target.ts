/**
 * The members that an offer is for: a circle on the earth, and optionally genders and interests (specification, "Price rules" 4). The limits
 * of the radius are in the contracts (`values/radius.ts`).
 */
import type { MemberGender } from '@offer-ads/contracts/values/primitives';
import { EARTH_RADIUS_METRES, radiusMetres } from './great-circle.ts';

export type Target = {
  /** Degrees. */
  readonly latitude: number;
  readonly longitude: number;
  readonly radiusMiles: number;
  /** Empty: every gender. */
  readonly gender: readonly MemberGender[];
  /** A member matches with at least one of them. Empty: no filter by interests. */
  readonly interests: readonly number[];
};

/** The radius as an angle at the centre of the earth, in radians. */
export function radiusRadians(radiusMiles: number): number {
  return radiusMetres(radiusMiles) / EARTH_RADIUS_METRES;
}
