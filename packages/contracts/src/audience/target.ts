/**
 * The members that an offer is for: a circle on the earth, and optionally genders and interests (specification, "Price rules" 4). The limits
 * of the radius are in the contracts (`values/radius.ts`).
 */

import type { MemberGender } from '../values/member-gender.ts';
import { EARTH_RADIUS_METRES, isWithin, type Position, radiusMetres } from './great-circle.ts';

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

/** What decides whether a member is in a target. The position is rounded already, as prices count it (coarse-position.ts). */
export type TargetedMember = Position & {
  readonly gender: MemberGender;
  readonly interests: readonly number[];
};

/**
 * The rule of who counts in a price and who is shown an offer: both use it, so a member is shown an offer exactly when the price counted that
 * member (decision 201, counted is shown).
 */
export function isTargeted(target: Target, member: TargetedMember): boolean {
  return isForMember(target, member) && isWithin(target, member);
}

/** The rule without the circle. */
export function isForMember(
  { gender, interests }: Target,
  member: Omit<TargetedMember, keyof Position>,
): boolean {
  if (gender.length > 0 && !gender.includes(member.gender)) return false;
  return interests.length === 0 || interests.some((each) => member.interests.includes(each));
}
