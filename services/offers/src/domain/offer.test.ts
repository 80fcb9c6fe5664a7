import { describe, expect, it } from '@jest/globals';
import { at, paidOffer, unpaidOffer } from '../../test/lifecycle/lifecycle-fixture.ts';
import { activatedAt, statusAt } from './offer.ts';

const justBefore = (instant: Date) => new Date(instant.getTime() - 1);

describe('the status follows from facts and the clock', () => {
  it.each([
    ['Scheduled', 'just before its start', paidOffer(), justBefore(at(1))],
    ['Active', 'at its start', paidOffer(), at(1)],
    ['Active', 'just before its expiry', paidOffer(), justBefore(at(11))],
    ['Ended', 'at its expiry', paidOffer(), at(11)],
    ['Ended', 'at its expiry, when it is paused', { ...paidOffer(), pausedSince: at(2) }, at(11)],
    ['Awaiting Payment', 'just before its expiry, when it is unpaid', unpaidOffer(), justBefore(at(11))],
    ['Ended', 'at its expiry, when it is unpaid', unpaidOffer(), at(11)],
  ] as const)('an offer is %s %s', (status, _, offer, now) => {
    expect(statusAt(offer, now)).toBe(status);
  });
});

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

  it.each([
    ['scheduled', paidOffer(), at(0.5)],
    ['unpaid', unpaidOffer(), at(3)],
    ['paused', { ...paidOffer(), pausedSince: at(2) }, at(3)],
    ['disabled', { ...paidOffer(), disabledSince: at(2) }, at(3)],
    ['ended', paidOffer(), at(11)],
    ['deleted', { ...paidOffer(), deletedAt: at(2) }, at(3)],
  ])('is null while the offer is %s', (_, offer, now) => {
    expect(activatedAt(offer, now)).toBeNull();
  });
});
