/**
 * Which estimates reveal something about single members (decision 153, revealing estimates): those of few members, and those that differ by
 * few from an earlier one that may reach the same members.
 */
import { greatCircleMetres, radiusMetres } from './great-circle.ts';
import type { Target } from './target.ts';

/** Counts below this number are few. */
export const FEW_MEMBERS = 20;

/** Slightly less than a degree of latitude, so that no overlap is missed. */
const METRES_PER_DEGREE = 111_000;

/** An earlier answer: its target and its count. */
export type Answered = {
  readonly target: Pick<Target, 'latitude' | 'longitude' | 'radiusMiles' | 'gender'>;
  readonly counted: number;
};

export function differsByFew(a: Answered, b: Answered): boolean {
  return Math.abs(a.counted - b.counted) < FEW_MEMBERS && mayShareMembers(a.target, b.target);
}

/** Interests are ignored, because a member can have several. */
function mayShareMembers(a: Answered['target'], b: Answered['target']): boolean {
  const shareGender =
    a.gender.length === 0 || b.gender.length === 0 || a.gender.some((gender) => b.gender.includes(gender));
  const reachMetres = radiusMetres(a.radiusMiles + b.radiusMiles);
  // Most are far enough apart in latitude alone, which is quicker to check.
  const apartMetres = Math.abs(a.latitude - b.latitude) * METRES_PER_DEGREE;
  return shareGender && apartMetres <= reachMetres && greatCircleMetres(a, b) <= reachMetres;
}

const sizeClasses = [
  [FEW_MEMBERS, '0 to 19'],
  [100, '20 to 99'],
  [1_000, '100 to 999'],
] as const;

/** The approximate size of an audience, as precise as a log may be. */
export function sizeClassOf(counted: number): string {
  return sizeClasses.find(([below]) => counted < below)?.[1] ?? '1000 and more';
}
