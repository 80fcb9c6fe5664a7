/** The commands of an offer's life: (offer, input, now) -> the changed offer, or the reason why not. */
import { type Lifecycle, type Offer, type OfferState, type Stop, stateAt } from '../offer.ts';

export type Decision<O, Refusal extends string> =
  | { readonly ok: true; readonly offer: O }
  | { readonly ok: false; readonly reason: Refusal };

export type PauseRefusal = 'not-found' | 'ended' | 'already-paused' | 'awaiting-payment';
export type ResumeRefusal = 'not-found' | 'ended' | 'already-running' | 'awaiting-payment';
export type DisableRefusal = 'not-found' | 'already-disabled';
export type EnableRefusal = 'not-found' | 'already-enabled';

/** Running includes Scheduled: it may be paused before its start (decision 2, pausing before the start). */
export function pause<O extends Lifecycle>(offer: O, now: Date): Decision<O, PauseRefusal> {
  const state = stateAt(offer, now);
  switch (state) {
    case 'Deleted':
      return refuse('not-found');
    case 'Ended':
      return refuse('ended');
    case 'Awaiting Payment':
      return refuse('awaiting-payment');
    case 'Paused':
      return refuse('already-paused');
    case 'Scheduled':
    case 'Active':
      return { ok: true, offer: { ...offer, pausedSince: now } };
  }
}

export function resume<O extends Lifecycle>(offer: O, now: Date): Decision<O, ResumeRefusal> {
  const state = stateAt(offer, now);
  switch (state) {
    case 'Deleted':
      return refuse('not-found');
    case 'Ended':
      return refuse('ended');
    case 'Awaiting Payment':
      return refuse('awaiting-payment');
    case 'Scheduled':
    case 'Active':
      return refuse('already-running');
    case 'Paused':
      return {
        ok: true,
        offer: { ...offer, pausedSince: null, stops: withStop(offer, offer.pausedSince, now) },
      };
  }
}

/** The admin's switch is independent of the status: a disabled offer keeps it and loses only its showing. */
export function disable<O extends Lifecycle>(offer: O, now: Date): Decision<O, DisableRefusal> {
  if (offer.deletedAt !== null) return refuse('not-found');
  if (offer.disabledSince !== null) return refuse('already-disabled');
  return { ok: true, offer: { ...offer, disabledSince: now } };
}

export function enable<O extends Lifecycle>(offer: O, now: Date): Decision<O, EnableRefusal> {
  if (offer.deletedAt !== null) return refuse('not-found');
  if (offer.disabledSince === null) return refuse('already-enabled');
  return {
    ok: true,
    offer: { ...offer, disabledSince: null, stops: withStop(offer, offer.disabledSince, now) },
  };
}

/** What a deletion begins with: an offer that awaits payment goes only after its payment page was closed. */
export type BegunDeletion<O> =
  | { readonly ok: true; readonly step: 'deleted' | 'close-page'; readonly offer: O }
  | { readonly ok: false; readonly reason: 'not-found' };

export function beginDeletion<O extends Offer>(offer: O, now: Date): BegunDeletion<O> {
  const at = effectiveAt(offer, now);
  const state = stateAt(offer, at);
  switch (state) {
    case 'Deleted':
      return refuse('not-found');
    case 'Awaiting Payment':
      return {
        ok: true,
        step: 'close-page',
        offer: { ...offer, deletingSince: at, deletions: offer.deletions + 1 },
      };
    case 'Ended':
    case 'Scheduled':
    case 'Active':
    case 'Paused':
      // Perhaps an earlier deletion is still closing the page: there is nothing left for it to do.
      return {
        ok: true,
        step: 'deleted',
        offer: deletedOffer(offer, afterPayment(offer, at)),
      };
  }
}

/** The payment that a deletion finds came before it, whatever the clocks of two replicas say. */
function afterPayment({ paymentAppliedAt }: Lifecycle, at: Date): Date {
  return paymentAppliedAt !== null && at < paymentAppliedAt ? paymentAppliedAt : at;
}

function deletedOffer<O extends Offer>(offer: O, deletedAt: Date): O {
  return { ...offer, deletingSince: null, keepingSince: null, deletedAt };
}

/** Billing's word on the payment page; `unknown`: it cannot be closed and works on. `unanswered`: it may be closed. */
export type PaymentPage = 'closed' | 'paid' | 'unknown' | 'unanswered';

/** `left-alone`: the offer is what it was before the deletion began. */
export type EndedDeletion<O> =
  | { readonly ok: true; readonly step: 'deleted'; readonly offer: O }
  | {
      readonly ok: true;
      readonly step: 'left-alone';
      readonly offer: O;
      readonly why: 'just-paid' | 'page-not-closed';
    }
  | { readonly ok: false; readonly reason: 'not-found' };

/** @param deletion which one ends: another may have begun meanwhile */
export function endDeletion<O extends Offer>(
  offer: O,
  page: PaymentPage,
  now: Date,
  deletion: number = offer.deletions,
): EndedDeletion<O> {
  if (offer.deletedAt !== null) return refuse('not-found');
  const left = deletion === offer.deletions ? { ...offer, deletingSince: null } : offer;
  // The payment itself may have come while its page was being closed.
  if (page === 'paid' || offer.paidAt !== null)
    return { ok: true, step: 'left-alone', offer: left, why: 'just-paid' };
  // What billing has closed for a deletion that was given up since, it opens again.
  const isGivenUp = offer.keptDeletion !== null && deletion <= offer.keptDeletion;
  if (page === 'closed' && !isGivenUp) return { ok: true, step: 'deleted', offer: deletedOffer(offer, now) };
  const kept = page === 'unanswered' && !isGivenUp ? keepPage(left, deletion, now) : left;
  return { ok: true, step: 'left-alone', offer: kept, why: 'page-not-closed' };
}

/** The caller is told that nothing was deleted, so nothing may be: whatever billing did, it is to open the page again. */
function keepPage<O extends Offer>(offer: O, deletion: number, now: Date): O {
  return { ...offer, keptDeletion: deletion, keepingSince: offer.keepingSince ?? now };
}

/** Billing has heard that the page stays although this deletion had asked for it to be closed. */
export function pageKept<O extends Offer>(offer: O, deletion: number): O {
  return offer.keptDeletion === deletion ? { ...offer, keepingSince: null } : offer;
}

/** What billing took, or will take when the payer comes. */
export type Billed = {
  readonly paymentUrl: string | null;
  readonly vatMinor: bigint;
  /** Null: the payment page is open. */
  readonly paidAt: Date | null;
};

/** Ends the creation: the reservation becomes an offer. A payment that came first was kept on it and counts now. */
export function show<O extends Offer>(reservation: O, billed: Billed, now: Date): O {
  const paidAt = reservation.paidAt ?? billed.paidAt;
  return {
    ...reservation,
    shownAt: now,
    paymentUrl: billed.paymentUrl,
    vatMinor: billed.vatMinor,
    paidAt,
    paymentAppliedAt: paidAt === null ? null : now,
  };
}

/** What a payment makes of its offer; `kept`: the creation is not finished and will find it. */
export type PaymentOutcome = 'active' | 'scheduled' | 'ended' | 'deleted' | 'kept';

export type AppliedPayment<O> =
  | { readonly ok: true; readonly offer: O; readonly outcome: PaymentOutcome }
  | { readonly ok: false; readonly reason: 'already-paid' };

/** Card payments arrive at any moment, and more than once (decision 7, late card payments). */
export function applyPayment<O extends Offer>(
  offer: O,
  payment: { readonly paidAt: Date; readonly vatMinor: bigint },
  now: Date,
): AppliedPayment<O> {
  if (offer.paidAt !== null) return { ok: false, reason: 'already-paid' };
  if (offer.shownAt === null) return { ok: true, offer: { ...offer, ...payment }, outcome: 'kept' };
  const at = afterDeletion(offer, effectiveAt(offer, now));
  const paid = { ...offer, ...payment, paymentAppliedAt: at };
  return { ok: true, offer: paid, outcome: paymentOutcome(stateAt(paid, at)) };
}

/** A payment that finds its offer deleted came later, whatever the clocks say: that makes it wholly unused. */
function afterDeletion({ deletedAt }: Lifecycle, at: Date): Date {
  return deletedAt !== null && at <= deletedAt ? new Date(deletedAt.getTime() + 1) : at;
}

export function paymentOutcome(state: OfferState): Exclude<PaymentOutcome, 'kept'> {
  switch (state) {
    case 'Active':
      return 'active';
    case 'Scheduled':
      return 'scheduled';
    case 'Ended':
      return 'ended';
    case 'Deleted':
      return 'deleted';
    case 'Awaiting Payment':
    case 'Paused':
      throw new Error(`an offer that has just been paid cannot be ${state}`);
  }
}

/**
 * When a command takes effect. Its `now` was frozen when it arrived, and clocks of replicas differ; but once the end has been
 * told, and Unused Time settled with it, whatever still comes is after the end.
 */
export function effectiveAt(offer: Pick<Offer, 'endedToldAt'>, now: Date): Date {
  return offer.endedToldAt !== null && now < offer.endedToldAt ? offer.endedToldAt : now;
}

/** `now` may lie before `since`: requests carry the instant of their arrival and may overtake each other. */
function withStop(offer: Lifecycle, since: Date | null, now: Date): readonly Stop[] {
  return since === null || now <= since ? offer.stops : merged([...offer.stops, { from: since, to: now }]);
}

/** Overlapping stops become one, so the list holds no more than what really happened apart. */
function merged(stops: readonly Stop[]): Stop[] {
  const disjoint: Stop[] = [];
  for (const stop of stops.toSorted((a, b) => a.from.getTime() - b.from.getTime())) {
    const last = disjoint.at(-1);
    if (last === undefined || stop.from > last.to) disjoint.push(stop);
    else if (stop.to > last.to) disjoint[disjoint.length - 1] = { from: last.from, to: stop.to };
  }
  return disjoint;
}

function refuse<Refusal extends string>(reason: Refusal): { readonly ok: false; readonly reason: Refusal } {
  return { ok: false, reason };
}
