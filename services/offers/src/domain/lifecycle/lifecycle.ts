/** The commands of an offer's life cycle: (offer, input, now) -> the changed offer, or the reason for a refusal. */
import { type Lifecycle, type Offer, type OfferState, type Stop, stateAt, timeOf } from '../offer.ts';
import { awaitReview } from './edit-content.ts';

type Refused<Refusal extends string> = { readonly ok: false; readonly reason: Refusal };

/** `at`: when the command took effect. */
export type Decision<Refusal extends string> =
  | { readonly ok: true; readonly offer: Offer; readonly at: Date }
  | Refused<Refusal>;

export type PauseRefusal = 'not-found' | 'ended' | 'already-paused' | 'awaiting-payment';
export type ResumeRefusal = 'not-found' | 'ended' | 'already-running' | 'awaiting-payment';
export type DisableRefusal = 'not-found' | 'already-disabled';
export type EnableRefusal = 'not-found' | 'already-enabled';

/** A Scheduled offer counts as running: it may be paused before its start (decision 2, pausing before the start). */
export function pause(offer: Offer, now: Date): Decision<PauseRefusal> {
  switch (stateAt(offer, now)) {
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
      return { ok: true, offer: { ...offer, pausedSince: now }, at: now };
  }
}

export function resume(offer: Offer, now: Date): Decision<ResumeRefusal> {
  switch (stateAt(offer, now)) {
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
        at: now,
      };
  }
}

/**
 * The admin's switch is independent of the status: a disabled offer keeps its status and is only not shown. Who disables it has looked at
 * it, so it waits for no review; an edit, or its advertiser's request, makes it wait again.
 */
export function disable(offer: Offer, now: Date, reason: string): Decision<DisableRefusal> {
  if (offer.deletedAt !== null) return refuse('not-found');
  if (offer.disabledSince !== null) return refuse('already-disabled');
  const at = timeOf(offer, now);
  return {
    ok: true,
    offer: { ...offer, disabledSince: at, disabledReason: reason, reviewWaitingSince: null },
    at,
  };
}

export function enable(offer: Offer, now: Date): Decision<EnableRefusal> {
  if (offer.deletedAt !== null) return refuse('not-found');
  if (offer.disabledSince === null) return refuse('already-enabled');
  const at = timeOf(offer, now);
  const stops = withStop(offer, offer.disabledSince, at);
  return { ok: true, offer: { ...offer, disabledSince: null, disabledReason: null, stops }, at };
}

/** The first step of a deletion. An offer that awaits payment is deleted only after its payment page was closed. */
export type BegunDeletion =
  | { readonly ok: true; readonly step: 'deleted' | 'close-page'; readonly offer: Offer }
  | Refused<'not-found'>;

/** @param markedAt the real time, which may differ from the offer's time: the mark says how long the deletion has been running */
export function beginDeletion(offer: Offer, now: Date, markedAt: Date = now): BegunDeletion {
  const at = timeOf(offer, now);
  switch (stateAt(offer, at)) {
    case 'Deleted':
      return refuse('not-found');
    case 'Awaiting Payment':
      return {
        ok: true,
        step: 'close-page',
        offer: { ...offer, deletingSince: markedAt, deletions: offer.deletions + 1 },
      };
    case 'Ended':
    case 'Scheduled':
    case 'Active':
    case 'Paused':
      // An earlier deletion may still be closing the page; it will find nothing left to delete.
      return { ok: true, step: 'deleted', offer: deletedOffer(offer, afterPayment(offer, at)) };
  }
}

/**
 * The offers of a group that await payment are deleted together, because one page is for all (decision 270, offer groups).
 * @param together the offer alone, or all offers of its group
 * @param isForAll whether paid and ended ones are deleted together too
 * @returns the changed offers
 */
export function beginDeletionOf(
  offerId: number,
  together: readonly Offer[],
  now: Date,
  markedAt: Date,
  isForAll = false,
):
  | {
      readonly ok: true;
      readonly step: 'deleted' | 'close-page';
      readonly offers: readonly [Offer, ...Offer[]];
    }
  | Refused<'not-found'> {
  const offer = together.find((each) => each.offerId === offerId);
  if (offer === undefined) return refuse('not-found');
  const begun = beginDeletion(offer, now, markedAt);
  if (!begun.ok) return begun;
  const { step } = begun;
  if (step === 'deleted' && !isForAll) return { ok: true, step, offers: [begun.offer] };
  const others = together.flatMap((each) => {
    const other = beginDeletion(each, now, markedAt);
    return each !== offer && other.ok && other.step === step ? [other.offer] : [];
  });
  if (step === 'deleted') return { ok: true, step, offers: [begun.offer, ...others] };
  const deletions = Math.max(...together.map((each) => each.deletions)) + 1;
  const marked = (each: Offer) => ({ ...each, deletions });
  return { ok: true, step, offers: [marked(begun.offer), ...others.map(marked)] };
}

/** If a deletion sees the payment, the payment came first, even if the clocks of two replicas differ. */
function afterPayment({ paymentAppliedAt }: Lifecycle, at: Date): Date {
  return paymentAppliedAt !== null && at < paymentAppliedAt ? paymentAppliedAt : at;
}

function deletedOffer(offer: Offer, deletedAt: Date): Offer {
  return { ...offer, deletingSince: null, keepingSince: null, deletedAt };
}

/**
 * Billing's answer to the request to close the payment page. `unknown`: billing could not close it, and it still works. `unanswered`: the
 * page may be closed or open.
 */
export type ClosePageOutcome = 'closed' | 'paid' | 'unknown' | 'unanswered';

/** `not-deleted`: the offer is as it was before the deletion began. */
export type EndedDeletion =
  | { readonly ok: true; readonly step: 'deleted'; readonly offer: Offer }
  | { readonly ok: true; readonly step: 'not-deleted'; readonly offer: Offer; readonly why: DeletionFailure }
  | Refused<'not-found'>;
export type DeletionFailure = 'just-paid' | 'page-not-closed';

/** @param deletion the number of the deletion that ends; another one may have begun meanwhile */
export function endDeletion(
  offer: Offer,
  page: ClosePageOutcome,
  now: Date,
  deletion: number = offer.deletions,
): EndedDeletion {
  if (offer.deletedAt !== null) return refuse('not-found');
  const left = deletion === offer.deletions ? { ...offer, deletingSince: null } : offer;
  // The payment may also have arrived while its page was being closed.
  if (page === 'paid' || offer.paidAt !== null)
    return { ok: true, step: 'not-deleted', offer: left, why: 'just-paid' };
  // This deletion has failed meanwhile, so billing reopens the page that it closed for it.
  const hasFailed = offer.failedDeletion !== null && deletion <= offer.failedDeletion;
  if (page === 'closed' && !hasFailed) return { ok: true, step: 'deleted', offer: deletedOffer(offer, now) };
  const unchanged = page === 'unanswered' && !hasFailed ? keepPage(left, deletion, now) : left;
  return { ok: true, step: 'not-deleted', offer: unchanged, why: 'page-not-closed' };
}

/** The caller is told that nothing was deleted, so nothing may be deleted, and billing must reopen the page if it closed it. */
function keepPage(offer: Offer, deletion: number, now: Date): Offer {
  return { ...offer, failedDeletion: deletion, keepingSince: offer.keepingSince ?? now };
}

/** Billing has confirmed that the page stays open although this deletion asked for it to be closed. */
export function pageKept(offer: Offer, deletion: number): Offer {
  return offer.failedDeletion === deletion ? { ...offer, keepingSince: null } : offer;
}

/** What billing charged, or will charge when the payer pays. */
export type Billed = {
  readonly paymentUrl: string | null;
  readonly vatMinor: bigint;
  /** Null if the payment page is still open. */
  readonly paidAt: Date | null;
};

/**
 * Ends the creation: the reservation becomes a shown offer. A payment that arrived earlier was stored on it and is applied now.
 * @param reviewFrom the real time, by which the platform's staff work
 */
export function show(reservation: Offer, billed: Billed, now: Date, reviewFrom: Date = now): Offer {
  const paidAt = reservation.paidAt ?? billed.paidAt;
  const shown = {
    ...reservation,
    shownAt: now,
    paymentUrl: billed.paymentUrl,
    vatMinor: billed.vatMinor,
    paidAt,
  };
  if (paidAt === null) return { ...shown, paymentAppliedAt: null };
  return awaitReview({ ...shown, paymentAppliedAt: now }, reviewFrom);
}

/** The result of a payment. `deferred`: the creation is not finished, and applies the payment when it finishes. */
export type PaymentOutcome = 'active' | 'scheduled' | 'ended' | 'deleted' | 'deferred';

export type AppliedPayment =
  | { readonly ok: true; readonly offer: Offer; readonly outcome: PaymentOutcome }
  | Refused<'already-paid'>;

/**
 * Card payments can arrive at any time, and more than once (decision 7, late card payments).
 * @param reviewFrom the real time, by which the platform's staff work
 */
export function applyPayment(
  offer: Offer,
  payment: { readonly paidAt: Date; readonly vatMinor: bigint },
  now: Date,
  reviewFrom: Date = now,
): AppliedPayment {
  if (offer.paidAt !== null) return { ok: false, reason: 'already-paid' };
  if (offer.shownAt === null) return { ok: true, offer: { ...offer, ...payment }, outcome: 'deferred' };
  const at = afterDeletion(offer, timeOf(offer, now));
  const paid = awaitReview({ ...offer, ...payment, paymentAppliedAt: at }, reviewFrom);
  return { ok: true, offer: paid, outcome: paymentOutcome(stateAt(paid, at)) };
}

/** If a payment finds its offer deleted, it came later, even if the clocks differ. Its Unused Time is then the whole period. */
function afterDeletion({ deletedAt }: Lifecycle, at: Date): Date {
  return deletedAt !== null && at <= deletedAt ? new Date(deletedAt.getTime() + 1) : at;
}

export function paymentOutcome(state: OfferState): Exclude<PaymentOutcome, 'deferred'> {
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

/** `now` may be before `since`: each request carries the time of its arrival, and a later request can be handled first. */
function withStop(offer: Lifecycle, since: Date | null, now: Date): readonly Stop[] {
  return since === null || now <= since ? offer.stops : merged([...offer.stops, { from: since, to: now }]);
}

/** Overlapping stops become one, so the list has one entry per separate period. */
function merged(stops: readonly Stop[]): Stop[] {
  const disjoint: Stop[] = [];
  for (const stop of stops.toSorted((a, b) => a.from.getTime() - b.from.getTime())) {
    const last = disjoint.at(-1);
    if (last === undefined || stop.from > last.to) disjoint.push(stop);
    else if (stop.to > last.to) disjoint[disjoint.length - 1] = { from: last.from, to: stop.to };
  }
  return disjoint;
}

function refuse<Refusal extends string>(reason: Refusal): Refused<Refusal> {
  return { ok: false, reason };
}
