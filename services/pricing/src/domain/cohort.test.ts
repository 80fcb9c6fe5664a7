import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { audienceShown } from './cohort.ts';

const count = fc.nat(2_000_000_000);
const cohort = fc.integer({ min: 1, max: 1_000 });

describe('what is shown of an audience', () => {
  it.each([
    [1_649, 1, 1_649],
    [0, 5, 0],
    [4, 5, 0],
    [5, 5, 5],
    [1_649, 5, 1_645],
  ])('is of %i members, with a minimum of %i, %i', (counted, minCohort, shown) => {
    expect(audienceShown(counted, minCohort)).toBe(shown);
  });

  it('is never more than there are, nor a whole cohort less: nobody pays for members who are not there', () => {
    fc.assert(
      fc.property(count, cohort, (counted, minCohort) => {
        const shown = audienceShown(counted, minCohort);
        expect(shown <= counted && counted < shown + minCohort).toBe(true);
      }),
    );
  });

  it('differs between two audiences by nothing or by a whole cohort and more, and never falls when members join', () => {
    const more = fc.oneof(fc.nat(2_000), count);
    fc.assert(
      fc.property(count, more, cohort, (counted, more, minCohort) => {
        const difference = audienceShown(counted + more, minCohort) - audienceShown(counted, minCohort);
        expect(difference === 0 || difference >= minCohort).toBe(true);
      }),
    );
  });
});
