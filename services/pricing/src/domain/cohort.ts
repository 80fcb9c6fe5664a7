/**
 * The smallest number of members that an estimate tells apart, so that nobody is found by estimates (docs/prices.md,
 * decision 71, rounded counts).
 */

/**
 * What is shown of an exact count, and priced: so many whole cohorts as there are. With a minimum of 1 that is the count itself, as the
 * specification has it ("Price rules" 4); below the minimum it is 0, and the difference of two figures is never less than the minimum.
 */
export function audienceShown(counted: number, minCohort: number): number {
  return counted - (counted % minCohort);
}

/**
 * The steps of counts that are told to a caller who has used up a budget of revealing estimates (decision 154, budget
 * of revealing estimates).
 */
export const COARSE_STEP = 100;

/**
 * Rounded down to whole steps after an offset was taken off. Each question has its own secret offset, so that no caller can bring a count to
 * just below a step, where one member more would be told (decision 175, steps at secret places). Never more than were
 * counted, and less by two steps at most.
 * @param offset a secret number of the question's own, from 0 to below `step`
 */
export function audienceShownAtSecretSteps(counted: number, step: number, offset: number): number {
  return audienceShown(Math.max(0, counted - offset), step);
}
