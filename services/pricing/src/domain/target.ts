/** Whom an offer is for: a circle on the earth, and optionally genders and interests (specification, "Price rules" 4). */
import type { MemberGender } from '@offer-ads/contracts/primitives';

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

/** The international mile, by definition. */
const METRES_PER_MILE = 1609.344;
/** Mean radius of the earth (IUGG, R1). The earth is a sphere here; `docs/prices.md` says what that means for a caller. */
const EARTH_RADIUS_METRES = 6_371_008.8;

/** The radius as the angle that it spans at the centre of the earth, in radians. */
export function radiusRadians(radiusMiles: number): number {
  return (radiusMiles * METRES_PER_MILE) / EARTH_RADIUS_METRES;
}
