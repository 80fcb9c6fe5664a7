import { describe, expect, it } from '@jest/globals';
import { at, paidOffer, unpaidOffer } from '../../../test/lifecycle/lifecycle-fixture.ts';
import { activatedAt } from './activation.ts';

describe('an offer became live', () => {
  it('at its start when it was paid before', () => {
    expect(activatedAt(paidOffer(), at(3))).toEqual(at(1));
  });
  it('with its payment when that came later', () => {
    expect(activatedAt({ ...paidOffer(), paymentAppliedAt: at(2) }, at(3))).toEqual(at(2));
  });
  it('with the end of a stop that covered its start', () => {
    expect(activatedAt({ ...paidOffer(), stops: [{ from: at(0), to: at(2) }] }, at(3))).toEqual(at(2));
  });
  it.each([
    ['scheduled', paidOffer(), at(0.5)],
    ['unpaid', unpaidOffer(), at(3)],
    ['paused', { ...paidOffer(), pausedSince: at(2) }, at(3)],
    ['disabled', { ...paidOffer(), disabledSince: at(2) }, at(3)],
    ['ended', paidOffer(), at(11)],
    ['deleted', { ...paidOffer(), deletedAt: at(2) }, at(3)],
  ])('never while it is %s', (_, offer, now) => {
    expect(activatedAt(offer, now)).toBeNull();
  });
});
