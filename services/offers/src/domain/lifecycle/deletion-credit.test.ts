import { describe, expect, it } from '@jest/globals';
import { at, HOUR, paidOffer, unpaidOffer } from '../../../test/lifecycle/lifecycle-fixture.ts';
import { unusedTimeIfDeleted } from './deletion-credit.ts';

/** The usual offer runs from hour 1 to hour 11. */
const tenHours = 10 * HOUR;

describe('the Unused Time that a deletion would credit', () => {
  it('is the whole period before the start, and the rest of it while the offer runs', () => {
    expect(unusedTimeIfDeleted(paidOffer(), at(0.5))).toEqual({ unusedMs: tenHours, scheduledMs: tenHours });
    expect(unusedTimeIfDeleted(paidOffer(), at(4))).toEqual({ unusedMs: 7 * HOUR, scheduledMs: tenHours });
  });

  it('is none for an offer that awaits payment, has ended, or is deleted', () => {
    expect(unusedTimeIfDeleted(unpaidOffer(), at(4))).toBeNull();
    expect(unusedTimeIfDeleted(paidOffer(), at(11))).toBeNull();
    expect(unusedTimeIfDeleted({ ...paidOffer(), endAnnouncedAt: at(11) }, at(10.9))).toBeNull();
    expect(unusedTimeIfDeleted({ ...paidOffer(), deletedAt: at(2) }, at(4))).toBeNull();
  });
});
