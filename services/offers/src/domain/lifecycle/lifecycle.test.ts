import { describe, expect, it } from '@jest/globals';
import { at, HOUR, paidOffer, unpaidOffer } from '../../../test/lifecycle/lifecycle-fixture.ts';
import { unusedTimeIfDeleted } from './deletion-credit.ts';
import { applyPayment, beginDeletion, endDeletion, resume } from './lifecycle.ts';
import { unusedTime } from './unused-time.ts';

describe('resume', () => {
  it('that overtakes its pause adds no stop', () => {
    const resumed = resume({ ...paidOffer(), pausedSince: at(3) }, at(2.9));
    expect(resumed.ok && resumed.offer).toMatchObject({ pausedSince: null, stops: [] });
  });
});

describe('a deletion', () => {
  it('that is handled after the end was announced comes after the end, and credits nothing more', () => {
    const ended = { ...paidOffer(), pausedSince: at(9), endAnnouncedAt: at(11) };
    const begun = beginDeletion(ended, at(10.999));
    expect(begun).toMatchObject({ ok: true, step: 'deleted', offer: { deletedAt: at(11) } });
    expect(begun.ok && unusedTime(begun.offer, at(11))).toEqual(unusedTime(ended, at(11)));
    expect(unusedTimeIfDeleted(ended, at(10.999))).toBeNull();
    expect(beginDeletion({ ...unpaidOffer(), endAnnouncedAt: at(11) }, at(10.999))).toMatchObject({
      step: 'deleted',
    });
  });

  it('that finds a payment comes after it, though the clock of another replica was ahead', () => {
    const begun = beginDeletion({ ...paidOffer(), createdAt: at(1.5), paymentAppliedAt: at(2) }, at(1.9));
    expect(begun.ok && begun.offer.deletedAt).toEqual(at(2));
    expect(begun.ok && unusedTime(begun.offer, at(2)).unusedMs).toBe(9.5 * HOUR);
  });

  it('whose page was closed after the payment had been applied deletes nothing', () => {
    const offer = { ...unpaidOffer(), deletingSince: at(2), paidAt: at(2), paymentAppliedAt: at(2) };
    const end = { step: 'not-deleted', why: 'just-paid', offer: { deletingSince: null } };
    expect(endDeletion(offer, 'closed', at(3))).toMatchObject(end);
  });
});

describe('a payment', () => {
  const payment = { paidAt: at(0.5), vatMinor: 200n };

  it.each([
    ['a moment before', -1],
    ['in the same millisecond', 0],
    ['a moment after', 1],
  ])('of a deleted offer is wholly unused, also when the clock says %s the deletion', (_, ms) => {
    const paid = applyPayment({ ...unpaidOffer(), deletedAt: at(2) }, payment, new Date(+at(2) + ms));
    expect(paid).toMatchObject({ ok: true, outcome: 'deleted' });
    expect(paid.ok && unusedTime(paid.offer, at(2)).unusedMs).toBe(10 * HOUR);
  });

  it('that reaches the offer at its very end is wholly unused, with the time before the creation', () => {
    const paid = applyPayment({ ...unpaidOffer(), createdAt: at(1.01) }, payment, at(11));
    expect(paid.ok && unusedTime(paid.offer, at(11)).unusedMs).toBe(10 * HOUR);
  });

  it('that comes after the end was announced is wholly unused, also when the clock says otherwise', () => {
    const paid = applyPayment({ ...unpaidOffer(), endAnnouncedAt: at(11) }, payment, at(10.999));
    expect(paid).toMatchObject({ ok: true, outcome: 'ended' });
    expect(paid.ok && unusedTime(paid.offer, at(10.999)).unusedMs).toBe(10 * HOUR);
  });
});
