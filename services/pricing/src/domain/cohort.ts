/** The smallest number of members that an estimate tells apart, so that nobody is found by estimates (docs/prices.md, decision 71). */

/**
 * What is shown of an exact count, and priced: so many whole cohorts as there are. With a minimum of 1 that is the count itself, as the
 * specification has it ("Price rules" 4); below the minimum it is 0, and the difference of two figures is never less than the minimum.
 */
export function audienceShown(counted: number, minCohort: number): number {
  return counted - (counted % minCohort);
}

/** The steps of counts that are told to whoever has used up a budget of revealing estimates (decision 154). */
export const COARSE_STEP = 100;

/**
 * Rounded down to whole steps after an offset was taken off: where the steps are differs from question to question, and only their
 * places being secret keeps a caller from bringing a count to one. Never more than were counted, and less by two steps at most.
 * @param offset a secret number of the question's own, from 0 to below `step`
 */
export function audienceShownCoarsely(counted: number, step: number, offset: number): number {
  return audienceShown(Math.max(0, counted - offset), step);
}
