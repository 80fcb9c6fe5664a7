import { describe, expect, it } from '@jest/globals';
import { at, paidOffer } from '../../test/lifecycle/lifecycle-fixture.ts';
import { activatedAt } from './offer.ts';

describe('the time when an offer became live', () => {
  it.each([
    ['its start, when it was paid before', paidOffer(), at(1)],
    ['its payment, when that came later', { ...paidOffer(), paymentAppliedAt: at(2) }, at(2)],
    [
      'the end of a stop that covered its start',
      { ...paidOffer(), stops: [{ from: at(0), to: at(2) }] },
      at(2),
    ],
  ])('is %s', (_, offer, since) => {
    expect(activatedAt(offer, at(3))).toEqual(since);
  });
});
