/**
 * The smallest difference in members that an estimate shows, so that no member can be located by estimates (docs/prices.md, decision 71,
 * rounded counts).
 */

/**
 * The shown and priced count: the exact count rounded down to whole cohorts. With a minimum of 1 it is the exact count, as the
 * specification requires ("Price rules" 4). Below the minimum it is 0, and two different counts always differ by at least the minimum.
 */
export function audienceShown(counted: number, minCohort: number): number {
  return counted - (counted % minCohort);
}

/** The step of counts for a caller who has used up a privacy budget (decision 154, privacy budget). */
export const COARSE_STEP = 100;

/**
 * Rounds down to whole steps after subtracting an offset. Each question has its own secret offset, so that no caller can bring a count to
 * just below a step, where one more member would be visible (decision 175, steps at secret places). The result is never more than the
 * count, and at most two steps less.
 * @param offset a secret number for the question, from 0 to below `step`
 */
export function audienceShownAtSecretSteps(counted: number, step: number, offset: number): number {
  return audienceShown(Math.max(0, counted - offset), step);
}
