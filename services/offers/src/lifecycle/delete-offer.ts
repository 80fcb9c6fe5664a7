/**
 * Deletes an offer. A paid or ended offer is deleted in one database transaction. An offer that awaits payment takes three steps, so that
 * a deleted offer cannot be paid:
 * 1. A transaction marks the offer (`deletingSince`).
 * 2. Billing closes the payment page.
 * 3. A second transaction removes the mark, and deletes the offer if billing has closed the page.
 * If billing does not answer, or the request's deadline has passed, nothing is deleted. Billing may have closed the page all the same, so
 * the sweeper tells it that the deletion failed. The sweeper also completes deletions whose request died (creation/recovery.ts).
 */
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { isTooLate } from '@offer-ads/platform/postgres/postgres';
import type { OffersContext } from '../context.ts';
import {
  beginDeletion,
  type ClosePageOutcome,
  type DeletionFailure,
  endDeletion,
  pageKept,
} from '../domain/lifecycle/lifecycle.ts';
import type { Offer } from '../domain/offer.ts';
import { type OfferReference, updateOffer } from '../offers-store.ts';
import type { CallContext } from '../other-services.ts';
import { deleted, type OfferEvent } from './offer-events.ts';

/**
 * `just-paid` (answered as E6): the payment came first. `page-not-closed` (answered as E7): the page may be open. In both cases nothing is
 * deleted.
 */
export type DeleteRefusal = 'not-found' | DeletionFailure;
export type DeleteOutcome = { readonly ok: true } | { readonly ok: false; readonly reason: DeleteRefusal };

export async function deleteOffer(
  o: OffersContext,
  call: CallContext & { readonly receivedAt: Date },
  reference: OfferReference,
): Promise<DeleteOutcome> {
  const { receivedAt } = call;
  const decideBegin = (offer: Offer, now: Date) => {
    const decided = beginDeletion(offer, now, receivedAt);
    return decided.ok ? { ...decided, events: eventsOf(decided, now) } : decided;
  };
  const begun = await updateOffer(o.postgres, reference, receivedAt, decideBegin, call.deadline);
  if (!begun.ok) return begun;
  if (begun.step === 'deleted') return { ok: true };
  const page = await closePage(o, call, begun.offer);
  // The deadline is only for the deletion itself. That nothing was deleted may also be stored after it.
  if (page !== 'closed') return storeDeletionEnd(o, begun.offer, page, receivedAt);
  // It has begun, so it is finished also if the caller has left.
  const { deadline } = call;
  const inTime = { ...deadline, isOver: () => deadline.remainingMs() === 0 };
  try {
    return await storeDeletionEnd(o, begun.offer, page, receivedAt, inTime);
  } catch (error) {
    if (!isTooLate(error)) throw error;
    return storeDeletionEnd(o, begun.offer, 'unanswered', receivedAt);
  }
}

/**
 * Asks billing to close the payment page. Never rejects: an error counts as `unanswered`, because billing may have closed the page all the
 * same.
 */
export async function closePage(
  o: OffersContext,
  call: CallContext,
  offer: Offer,
): Promise<ClosePageOutcome> {
  const { offerId, deletions } = offer;
  try {
    return (await o.otherServices.closeCheckout(call, offerId, deletions)).outcome;
  } catch (error) {
    o.logger.warn({ error, offerId }, 'the payment page could not be closed');
    return 'unanswered';
  }
}

/**
 * The last step: removes the mark, and deletes the offer or leaves it as it was before the deletion.
 * @param begun the offer after the first step of the deletion; its `deletions` is the number of this deletion
 * @param at the real time
 */
export async function storeDeletionEnd(
  o: OffersContext,
  begun: Offer,
  page: ClosePageOutcome,
  at: Date,
  deadline?: Deadline,
): Promise<DeleteOutcome> {
  const decideEnd = (offer: Offer, now: Date) => {
    const decided = endDeletion(offer, page, now, begun.deletions);
    return decided.ok ? { ...decided, events: eventsOf(decided, now) } : decided;
  };
  const ended = await updateOffer(o.postgres, begun, at, decideEnd, deadline);
  if (!ended.ok) return ended;
  return ended.step === 'deleted' ? { ok: true } : { ok: false, reason: ended.why };
}

/**
 * Tells billing that the deletion failed. If billing had closed the page, the link's next visit opens a new one (decision 54, after a deletion
 * answered E7). The sweeper calls this until billing has confirmed it.
 */
export async function reportFailedDeletion(o: OffersContext, call: CallContext, offer: Offer): Promise<void> {
  const { offerId, failedDeletion } = offer;
  if (failedDeletion === null) throw new Error(`offer ${offerId} has no failed deletion`);
  await o.otherServices.keepCheckout(call, offerId, failedDeletion);
  const confirm = (found: Offer) =>
    ({ ok: true, offer: pageKept(found, failedDeletion), events: [] }) as const;
  await updateOffer(o.postgres, offer, o.clock.now(), confirm);
}

function eventsOf(decided: { readonly step: string; readonly offer: Offer }, now: Date): OfferEvent[] {
  return decided.step === 'deleted' ? [deleted(decided.offer, now)] : [];
}
