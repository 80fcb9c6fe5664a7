/** Whom an offer is for: a circle on the earth, and optionally genders and interests (specification, "Price rules" 4). */
import type { MemberGender } from '@offer-ads/contracts/values/primitives';
import { EARTH_RADIUS_METRES, radiusMetres } from './great-circle.ts';

export type Target = {
  /** Degrees. */
  readonly latitude: number;
  readonly longitude: number;
  readonly radiusMiles: number;
  /** Empty: every gender. */
  readonly gender: readonly MemberGender[];
  /** A member matches who shares any of them. Empty: no interest filter. */
  readonly interests: readonly number[];
};

/** The radius as the angle that it spans at the centre of the earth, in radians. */
export function radiusRadians(radiusMiles: number): number {
  return radiusMetres(radiusMiles) / EARTH_RADIUS_METRES;
}
