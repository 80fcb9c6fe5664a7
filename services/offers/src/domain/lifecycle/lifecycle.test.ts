import { describe, expect, it } from '@jest/globals';
import { fc } from '@offer-ads/testing/profile';
import { at, paidOffer, reservation, unpaidOffer } from '../../../test/lifecycle/lifecycle-fixture.ts';
import { isLive, type Offer, stateAt, statusAt } from '../offer.ts';
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

describe('the status follows from facts and the clock', () => {
  it('goes from Scheduled to Active to Ended at the instant', () => {
    expect(statusAt(paidOffer(), new Date(at(1).getTime() - 1))).toBe('Scheduled');
    expect(statusAt(paidOffer(), at(1))).toBe('Active');
    expect(statusAt(paidOffer(), new Date(at(11).getTime() - 1))).toBe('Active');
    expect(statusAt(paidOffer(), at(11))).toBe('Ended');
  });

  it('is Ended at expiry for a paused and for an unpaid offer too', () => {
    expect(statusAt(paused, at(11))).toBe('Ended');
    expect(statusAt(unpaidOffer(), at(10))).toBe('Awaiting Payment');
    expect(statusAt(unpaidOffer(), at(11))).toBe('Ended');
  });
});

describe('pause', () => {
  it('pauses a running and a scheduled offer', () => {
    expect(pause(paidOffer(), at(3))).toMatchObject({ ok: true, offer: { pausedSince: at(3) } });
    expect(pause(paidOffer(), at(0.5))).toMatchObject({ ok: true });
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

  it('keeps the pause as unused time', () => {
    const resumed = resume(paused, at(5));
    expect(resumed.ok && unusedTime(resumed.offer, at(9)).unusedMs).toBe(3 * 3_600_000);
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

  it('that overtakes its pause loses nothing and gains nothing', () => {
    const resumed = resume({ ...paidOffer(), pausedSince: at(3) }, at(2.9));
    expect(resumed.ok && resumed.offer).toMatchObject({ pausedSince: null, stops: [] });
  });
});

describe('disable and enable', () => {
  it('leave the status alone and take the offer out of sight', () => {
    const off = disable(paidOffer(), at(3));
    expect(off.ok && [statusAt(off.offer, at(4)), isLive(off.offer, at(4))]).toEqual(['Active', false]);
    const on = off.ok && enable(off.offer, at(5));
    expect(on && on.ok && isLive(on.offer, at(5))).toBe(true);
    expect(on && on.ok && unusedTime(on.offer, at(9)).unusedMs).toBe(2 * 3_600_000);
  });

  it('are refused when there is nothing to change', () => {
    expect(disable({ ...paidOffer(), disabledSince: at(1) }, at(2))).toMatchObject({
      reason: 'already-disabled',
    });
    expect(enable(paidOffer(), at(2))).toMatchObject({ reason: 'already-enabled' });
    expect(disable(deleted, at(3))).toMatchObject({ reason: 'not-found' });
    expect(enable(deleted, at(3))).toMatchObject({ reason: 'not-found' });
  });
});

describe('deletion', () => {
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

  it('that takes its turn after the end was told comes after it, and credits nothing more', () => {
    const over = { ...paidOffer(), pausedSince: at(9), endedToldAt: at(11) };
    const begun = beginDeletion(over, at(10.999));
    expect(begun).toMatchObject({ ok: true, step: 'deleted', offer: { deletedAt: at(11) } });
    expect(begun.ok && unusedTime(begun.offer, at(11))).toEqual(unusedTime(over, at(11)));
    expect(beginDeletion({ ...unpaidOffer(), endedToldAt: at(11) }, at(10.999))).toMatchObject({
      step: 'deleted',
    });
  });

  it('that finds a payment comes after it, though the clock of another replica was ahead', () => {
    const begun = beginDeletion({ ...paidOffer(), createdAt: at(1.5), paymentAppliedAt: at(2) }, at(1.9));
    expect(begun.ok && begun.offer.deletedAt).toEqual(at(2));
    expect(begun.ok && unusedTime(begun.offer, at(2)).unusedMs).toBe(9.5 * 3_600_000);
  });

  it('ends only when the page is closed and nothing was paid', () => {
    const deleting = { ...unpaidOffer(), deletingSince: at(2) };
    const gone = { step: 'deleted', offer: { deletedAt: at(3), deletingSince: null } };
    const left = { step: 'left-alone', offer: { deletedAt: null, deletingSince: null } };
    expect(endDeletion(deleting, 'closed', at(3))).toMatchObject(gone);
    expect(endDeletion(deleting, 'paid', at(3))).toMatchObject({ ...left, why: 'just-paid' });
    expect(endDeletion(deleting, 'unknown', at(3))).toMatchObject({ ...left, why: 'page-not-closed' });
    const paidMeanwhile = { ...deleting, paidAt: at(2), paymentAppliedAt: at(2) };
    expect(endDeletion(paidMeanwhile, 'closed', at(3))).toMatchObject({ ...left, why: 'just-paid' });
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
    expect(applyPayment(offer, payment, now)).toMatchObject({ ok: true, outcome, offer: { vatMinor: 200n } });
  });

  it('never revives a deleted or ended offer', () => {
    const late = applyPayment({ ...unpaidOffer(), deletedAt: at(2) }, payment, at(3));
    expect(late.ok && stateAt(late.offer, at(3))).toBe('Deleted');
  });

  it.each([
    ['a moment before', -1],
    ['in the same millisecond', 0],
    ['a moment after', 1],
  ])('of a deleted offer is wholly unused, also when the clock says %s the deletion', (_, ms) => {
    const paid = applyPayment({ ...unpaidOffer(), deletedAt: at(2) }, payment, new Date(+at(2) + ms));
    expect(paid).toMatchObject({ ok: true, outcome: 'deleted' });
    expect(paid.ok && unusedTime(paid.offer, at(2)).unusedMs).toBe(10 * 3_600_000);
  });

  it('that comes after the end was told is wholly unused, also when the clock says otherwise', () => {
    const paid = applyPayment({ ...unpaidOffer(), endedToldAt: at(11) }, payment, at(10.999));
    expect(paid).toMatchObject({ ok: true, outcome: 'ended' });
    expect(paid.ok && unusedTime(paid.offer, at(10.999)).unusedMs).toBe(10 * 3_600_000);
  });

  it('counts once', () => {
    expect(applyPayment(paidOffer(), payment, at(2))).toEqual({ ok: false, reason: 'already-paid' });
  });

  it('that comes before the creation is finished is kept and counts when the offer is shown', () => {
    const kept = applyPayment(reservation(), payment, at(0.6));
    expect(kept).toMatchObject({ ok: true, outcome: 'kept', offer: { paymentAppliedAt: null } });
    const billed = { paymentUrl: 'https://pay.example', vatMinor: 200n, paidAt: null };
    const shown = kept.ok && show(kept.offer, billed, at(0.7));
    expect(shown && [shown.paidAt, shown.paymentAppliedAt]).toEqual([at(0.5), at(0.7)]);
  });
});

describe('any sequence of commands', () => {
  const command = fc.constantFrom('pause', 'resume', 'disable', 'enable', 'pay', 'delete', 'close');
  const story = fc.array(fc.tuple(command, fc.integer({ min: 1, max: 3 })), { maxLength: 20 });

  it('keeps unused time within the schedule and never takes it back, and agrees with the simplest model of the state', () => {
    fc.assert(
      fc.property(story, (steps) => {
        let offer = unpaidOffer();
        const model = { paid: false, paused: false, deleted: false };
        let hour = 0;
        let unusedMs = 0;
        for (const [name, pauseHours] of steps) {
          hour += pauseHours;
          const now = at(hour);
          const running = model.paid && hour < 11 && !model.deleted;
          if (name === 'pause' && running) model.paused = true;
          if (name === 'resume' && running) model.paused = false;
          if (name === 'pay') model.paid = true;
          if (name === 'delete' && (model.paid || hour >= 11)) model.deleted = true;
          if (name === 'close' && !model.paid) model.deleted = true;
          offer = apply(offer, name, now);
          expect(stateAt(offer, now)).toBe(modelState(model, hour));
          const unused = unusedTime(offer, now);
          expect(unused.unusedMs).toBeGreaterThanOrEqual(unusedMs);
          expect(unused.unusedMs).toBeLessThanOrEqual(unused.scheduledMs);
          unusedMs = unused.unusedMs;
        }
      }),
    );
  });
});

function apply(offer: Offer, name: string, now: Date): Offer {
  const decisions = {
    pause: () => pause(offer, now),
    resume: () => resume(offer, now),
    disable: () => disable(offer, now),
    enable: () => enable(offer, now),
    pay: () => applyPayment(offer, { paidAt: now, vatMinor: 0n }, now),
    delete: () => beginDeletion(offer, now),
    close: () => endDeletion(offer, 'closed', now),
  };
  const decision = decisions[name as keyof typeof decisions]();
  return decision.ok ? decision.offer : offer;
}

function modelState(model: { paid: boolean; paused: boolean; deleted: boolean }, hour: number): string {
  if (model.deleted) return 'Deleted';
  if (hour >= 11) return 'Ended';
  if (!model.paid) return 'Awaiting Payment';
  if (model.paused) return 'Paused';
  return hour >= 1 ? 'Active' : 'Scheduled';
}
