import { describe, expect, it } from '@jest/globals';
import { at, HOUR, paidOffer, reservation, unpaidOffer } from '../../../test/lifecycle/lifecycle-fixture.ts';
import { isLive, stateAt, statusAt } from '../offer.ts';
import {
  applyPayment,
  beginDeletion,
  disable,
  enable,
  endDeletion,
  pause,
  resume,
  show,
} from './lifecycle.ts';
import { unusedTime } from './unused-time.ts';

const deleted = { ...paidOffer(), deletedAt: at(2) };
const paused = { ...paidOffer(), pausedSince: at(2) };

describe('pause', () => {
  it.each([
    ['a running', at(3)],
    ['a scheduled', at(0.5)],
  ])('pauses %s offer', (_, now) => {
    expect(pause(paidOffer(), now)).toMatchObject({ ok: true, offer: { pausedSince: now } });
  });

  it.each([
    ['ended', paidOffer(), at(11)],
    ['already-paused', paused, at(3)],
    ['awaiting-payment', unpaidOffer(), at(3)],
    ['not-found', deleted, at(3)],
  ] as const)('is refused as %s', (reason, offer, now) => {
    expect(pause(offer, now)).toEqual({ ok: false, reason });
  });
});

describe('resume', () => {
  it('gives Scheduled before the start and Active after it', () => {
    const early = resume({ ...paidOffer(), pausedSince: at(0.2) }, at(0.5));
    expect(early.ok && statusAt(early.offer, at(0.5))).toBe('Scheduled');
    const late = resume(paused, at(5));
    expect(late.ok && statusAt(late.offer, at(5))).toBe('Active');
  });

  it.each([
    ['ended', paused, at(11)],
    ['already-running', paidOffer(), at(3)],
    ['already-running', paidOffer(), at(0.5)],
    ['awaiting-payment', unpaidOffer(), at(3)],
    ['not-found', { ...deleted, pausedSince: at(1) }, at(3)],
  ] as const)('is refused as %s', (reason, offer, now) => {
    expect(resume(offer, now)).toEqual({ ok: false, reason });
  });

  it('that overtakes its pause adds no stop', () => {
    const resumed = resume({ ...paidOffer(), pausedSince: at(3) }, at(2.9));
    expect(resumed.ok && resumed.offer).toMatchObject({ pausedSince: null, stops: [] });
  });
});

describe('disable and enable', () => {
  it('change whether the offer is live, and not its status', () => {
    const off = disable(paidOffer(), at(3), 'its picture');
    expect(off).toMatchObject({ offer: { disabledReason: 'its picture' } });
    expect(off.ok && [statusAt(off.offer, at(4)), isLive(off.offer, at(4))]).toEqual(['Active', false]);
    const on = off.ok && enable(off.offer, at(5));
    expect(on).toMatchObject({ offer: { disabledReason: null } });
    expect(on && on.ok && [isLive(on.offer, at(5)), unusedTime(on.offer, at(9)).unusedMs]).toEqual([
      true,
      2 * HOUR,
    ]);
  });

  it.each([
    ['already-disabled', disable({ ...paidOffer(), disabledSince: at(1) }, at(2), 'again')],
    ['already-enabled', enable(paidOffer(), at(2))],
    ['not-found', disable(deleted, at(3), 'again')],
    ['not-found', enable({ ...deleted, disabledSince: at(1) }, at(3))],
  ])('are refused as %s', (reason, decision) => {
    expect(decision).toEqual({ ok: false, reason });
  });
});

describe('a deletion', () => {
  it.each([
    ['a scheduled', paidOffer(), at(0.5)],
    ['an active', paidOffer(), at(3)],
    ['a paused', paused, at(3)],
    ['an ended', paidOffer(), at(12)],
    ['an unpaid ended', unpaidOffer(), at(12)],
  ] as const)('of %s offer is done at once', (_, offer, now) => {
    expect(beginDeletion(offer, now)).toMatchObject({ step: 'deleted', offer: { deletedAt: now } });
  });

  it('of an offer that awaits payment asks for the page to be closed first', () => {
    expect(beginDeletion(unpaidOffer(), at(3))).toMatchObject({
      step: 'close-page',
      offer: { deletingSince: at(3), deletedAt: null },
    });
  });

  it('of a deleted offer is refused', () => {
    expect(beginDeletion(deleted, at(3))).toEqual({ ok: false, reason: 'not-found' });
    expect(endDeletion(deleted, 'closed', at(3))).toEqual({ ok: false, reason: 'not-found' });
  });

  it('that is handled after the end was announced comes after the end, and credits nothing more', () => {
    const ended = { ...paidOffer(), pausedSince: at(9), endAnnouncedAt: at(11) };
    const begun = beginDeletion(ended, at(10.999));
    expect(begun).toMatchObject({ ok: true, step: 'deleted', offer: { deletedAt: at(11) } });
    expect(begun.ok && unusedTime(begun.offer, at(11))).toEqual(unusedTime(ended, at(11)));
    expect(beginDeletion({ ...unpaidOffer(), endAnnouncedAt: at(11) }, at(10.999))).toMatchObject({
      step: 'deleted',
    });
  });

  it('that finds a payment comes after it, though the clock of another replica was ahead', () => {
    const begun = beginDeletion({ ...paidOffer(), createdAt: at(1.5), paymentAppliedAt: at(2) }, at(1.9));
    expect(begun.ok && begun.offer.deletedAt).toEqual(at(2));
    expect(begun.ok && unusedTime(begun.offer, at(2)).unusedMs).toBe(9.5 * HOUR);
  });

  const deleting = { ...unpaidOffer(), deletingSince: at(2) };
  const paidMeanwhile = { ...deleting, paidAt: at(2), paymentAppliedAt: at(2) };
  it.each([
    ['closed', deleting, { step: 'deleted', offer: { deletedAt: at(3), deletingSince: null } }],
    ['paid', deleting, { step: 'not-deleted', why: 'just-paid', offer: { deletedAt: null } }],
    ['unknown', deleting, { step: 'not-deleted', why: 'page-not-closed', offer: { deletingSince: null } }],
    ['closed', paidMeanwhile, { step: 'not-deleted', why: 'just-paid', offer: { deletingSince: null } }],
  ] as const)('whose page is %s ends so', (page, offer, end) => {
    expect(endDeletion(offer, page, at(3))).toMatchObject(end);
  });
});

describe('a payment', () => {
  const payment = { paidAt: at(0.5), vatMinor: 200n };

  it.each([
    ['scheduled', unpaidOffer(), at(0.6)],
    ['active', unpaidOffer(), at(2)],
    ['ended', unpaidOffer(), at(12)],
    ['deleted', { ...unpaidOffer(), deletedAt: at(2) }, at(3)],
  ] as const)('makes its offer %s', (outcome, offer, now) => {
    const paid = applyPayment(offer, payment, now);
    expect(paid).toMatchObject({ ok: true, outcome, offer: { vatMinor: 200n } });
    expect(paid.ok && stateAt(paid.offer, now).toLowerCase()).toBe(outcome);
  });

  it.each([
    ['a moment before', -1],
    ['in the same millisecond', 0],
    ['a moment after', 1],
  ])('of a deleted offer is wholly unused, also when the clock says %s the deletion', (_, ms) => {
    const paid = applyPayment({ ...unpaidOffer(), deletedAt: at(2) }, payment, new Date(+at(2) + ms));
    expect(paid).toMatchObject({ ok: true, outcome: 'deleted' });
    expect(paid.ok && unusedTime(paid.offer, at(2)).unusedMs).toBe(10 * HOUR);
  });

  it('that comes after the end was announced is wholly unused, also when the clock says otherwise', () => {
    const paid = applyPayment({ ...unpaidOffer(), endAnnouncedAt: at(11) }, payment, at(10.999));
    expect(paid).toMatchObject({ ok: true, outcome: 'ended' });
    expect(paid.ok && unusedTime(paid.offer, at(10.999)).unusedMs).toBe(10 * HOUR);
  });

  it('counts once', () => {
    expect(applyPayment(paidOffer(), payment, at(2))).toEqual({ ok: false, reason: 'already-paid' });
  });

  it('that comes before the creation is finished is stored, and applied when the offer is shown', () => {
    const paid = applyPayment(reservation(), payment, at(0.6));
    expect(paid).toMatchObject({ ok: true, outcome: 'deferred', offer: { paymentAppliedAt: null } });
    const billed = { paymentUrl: 'https://pay.example', vatMinor: 200n, paidAt: null };
    const shown = paid.ok && show(paid.offer, billed, at(0.7));
    expect(shown && [shown.paidAt, shown.paymentAppliedAt]).toEqual([at(0.5), at(0.7)]);
  });
});
