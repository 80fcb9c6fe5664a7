import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { at, HOUR, paidOffer, unpaidOffer } from '../../../test/lifecycle/lifecycle-fixture.ts';
import type { Offer } from '../offer.ts';
import { unusedTimeIfDeleted } from './deletion-credit.ts';
import { beginDeletion, type Decision, disable, pause, resume } from './lifecycle.ts';
import { unusedTime } from './unused-time.ts';

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
    expect(unusedTimeIfDeleted({ ...paidOffer(), endedToldAt: at(11) }, at(10.9))).toBeNull();
    expect(unusedTimeIfDeleted({ ...paidOffer(), deletedAt: at(2) }, at(4))).toBeNull();
  });

  it('is what the deletion tells billing, to the millisecond, whatever happened to the offer before', () => {
    const steps: ((offer: Offer, now: Date) => Decision<Offer, string>)[] = [pause, resume, disable];
    const step = fc.record({
      which: fc.constantFrom(...steps),
      hour: fc.double({ min: 0, max: 10, noNaN: true }),
    });
    fc.assert(
      fc.property(
        fc.array(step, { maxLength: 6 }),
        fc.double({ min: 0, max: 10.9, noNaN: true }),
        (story, end) => {
          let offer: Offer = paidOffer();
          for (const { which, hour } of story.toSorted((a, b) => a.hour - b.hour)) {
            const decided = which(offer, at(Math.min(hour, end)));
            if (decided.ok) offer = decided.offer;
          }
          const now = new Date(Math.round(at(end).getTime()));
          const deletion = beginDeletion(offer, now);
          if (!deletion.ok || deletion.offer.deletedAt === null) throw new Error('it can be deleted');
          expect(unusedTimeIfDeleted(offer, now)).toEqual(
            unusedTime(deletion.offer, deletion.offer.deletedAt),
          );
        },
      ),
    );
  });
});
