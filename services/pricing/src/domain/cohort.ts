/** The smallest number of members that an estimate tells apart, so that nobody is found by estimates (docs/prices.md, decision 71). */

/**
 * What is shown of an exact count, and priced: so many whole cohorts as there are. With a minimum of 1 that is the count itself, as the
 * specification has it ("Price rules" 4); below the minimum it is 0, and the difference of two figures is never less than the minimum.
 */
export function audienceShown(counted: number, minCohort: number): number {
  return counted - (counted % minCohort);
}
