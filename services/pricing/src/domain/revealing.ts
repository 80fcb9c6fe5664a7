/**
 * Which estimates reveal something about single members (decision 153, revealing estimates): those that count few members, and those whose
 * count differs by few members from that of an earlier estimate that may reach the same members. `privacy-budget/replica-budgets.ts` uses these
 * rules to limit how many such estimates a caller gets.
 */
import { greatCircleMetres, radiusMetres } from '@offer-ads/contracts/audience/great-circle';
import type { Target } from '@offer-ads/contracts/audience/target';

/** Fewer members than this are few. */
export const FEW_MEMBERS = 20;

/** Slightly less than a degree of latitude, so that no overlap is missed. */
const METRES_PER_DEGREE = 111_000;

/** An answer: its target, and its exact count before rounding. */
export type Answered = {
  readonly target: Pick<Target, 'latitude' | 'longitude' | 'radiusMiles' | 'gender'>;
  readonly counted: number;
};

/** Also for equal counts: the targets may still reach different members. */
export function differsByFew(a: Answered, b: Answered): boolean {
  return Math.abs(a.counted - b.counted) < FEW_MEMBERS && mayShareMembers(a.target, b.target);
}

/** Whether the circles meet and a gender is in both targets. Interests are not compared: a member can have interests of both targets. */
function mayShareMembers(a: Answered['target'], b: Answered['target']): boolean {
  const shareGender =
    a.gender.length === 0 || b.gender.length === 0 || a.gender.some((gender) => b.gender.includes(gender));
  const reachMetres = radiusMetres(a.radiusMiles + b.radiusMiles);
  // Most pairs of circles are far enough apart in latitude alone, which is quicker to check.
  const apartMetres = Math.abs(a.latitude - b.latitude) * METRES_PER_DEGREE;
  return shareGender && apartMetres <= reachMetres && greatCircleMetres(a, b) <= reachMetres;
}

const sizeBounds = [0, FEW_MEMBERS, 100, 1_000];
const sizeClasses = sizeBounds.map((from, index) => {
  const next = sizeBounds[index + 1];
  return { from, name: next === undefined ? `${from} and more` : `${from} to ${next - 1}` };
});

/** The approximate size of an audience, for the log: an exact count there could reveal members. */
export function sizeClassOf(counted: number): string {
  return sizeClasses.findLast(({ from }) => counted >= from)?.name ?? '';
}
