/** Examples; lifecycle-stories.test.ts compares any life of an offer with a model. */
import { describe, expect, it } from '@jest/globals';
import { at, HOUR, paidOffer } from '../../../test/lifecycle/lifecycle-fixture.ts';
import type { Lifecycle } from '../offer.ts';
import { unusedTime } from './unused-time.ts';

describe('unused time, of an offer that is created at hour 0 and scheduled from hour 1 to hour 11', () => {
  it.each<[string, Partial<Lifecycle>, now: number, hours: number]>([
    ['is nothing when it ran all the time', {}, 11, 0],
    ['is nothing when it was never paid', { paidAt: null, paymentAppliedAt: null }, 20, 0],
    ['is the whole period when it is deleted before it starts', { deletedAt: at(0.5) }, 0.5, 10],
    ['is the rest of the period when it is deleted while it runs', { deletedAt: at(4) }, 4, 7],
    ['does not count a pause before the start', { pausedSince: at(0) }, 3, 2],
    ['does not count a pause after the expiry', { pausedSince: at(9) }, 30, 2],
    [
      'counts overlapping causes once',
      {
        stops: [{ from: at(2), to: at(4) }],
        pausedSince: at(5),
        disabledSince: at(6),
        deletedAt: at(7),
      },
      8,
      2 + 6,
    ],
    [
      'counts the wait for a late payment, but no time before the creation',
      { createdAt: at(1.01), paidAt: at(2), paymentAppliedAt: at(3) },
      3,
      1.99,
    ],
    [
      'counts no time before the creation when it is deleted in the millisecond of its payment',
      { createdAt: at(2), paymentAppliedAt: at(2), deletedAt: at(2) },
      2,
      9,
    ],
    [
      'is the whole period when the payment reaches an ended offer',
      { createdAt: at(1.01), paymentAppliedAt: at(11) },
      11,
      10,
    ],
    [
      'is the whole period when the payment reaches a deleted offer',
      { deletedAt: at(2), paymentAppliedAt: at(5) },
      5,
      10,
    ],
  ])('%s', (_, facts, now, hours) => {
    const unused = { unusedMs: hours * HOUR, scheduledMs: 10 * HOUR };
    expect(unusedTime({ ...paidOffer(), ...facts }, at(now))).toEqual(unused);
  });
});
