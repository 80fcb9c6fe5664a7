/**
 * Deletes an offer. A paid or ended offer is deleted in one transaction. An offer that awaits payment goes through the recovery point
 * *deleting*: its payment page is closed first, and the offer is deleted only if the page is closed, so that a deleted offer cannot be
 * paid. If billing does not answer, or the deadline has passed, nothing is deleted, and billing is asked to reopen the page that it may
 * have closed.
 */
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { isTooLate } from '@offer-ads/platform/postgres/postgres';
import type { OffersContext } from '../context.ts';
import {
  beginDeletion,
  type DeletionFailure,
  endDeletion,
  type PaymentPage,
  pageKept,
} from '../domain/lifecycle/lifecycle.ts';
import type { Offer } from '../domain/offer.ts';
import { type OfferReference, updateOffer } from '../offers-store.ts';
import type { CallContext } from '../other-services.ts';
import { deleted, type OfferEvent } from './offer-events.ts';

/** `just-paid` (the reply E6): the payment came first. `page-not-closed` (E7): the page may still be open. In both cases nothing is deleted. */
export type DeleteRefusal = 'not-found' | DeletionFailure;
export type DeleteOutcome = { readonly ok: true } | { readonly ok: false; readonly reason: DeleteRefusal };

export async function deleteOffer(
  o: OffersContext,
  call: CallContext & { readonly receivedAt: Date },
  reference: OfferReference,
): Promise<DeleteOutcome> {
  const now = call.receivedAt;
  const decideBegin = (offer: Offer) => {
    const decided = beginDeletion(offer, now);
    return decided.ok ? { ...decided, events: eventsOf(decided, now) } : decided;
  };
  const begun = await updateOffer(o.postgres, reference, decideBegin, call.deadline);
  if (!begun.ok) return begun;
  if (begun.step === 'deleted') return { ok: true };
  const page = await closePage(o, call, begun.offer);
  // Only a deletion must be committed by the deadline. Ending without a deletion is right at any time.
  if (page !== 'closed') return finishDeletion(o, begun.offer, page, now);
  try {
    return await finishDeletion(o, begun.offer, page, now, call.deadline);
  } catch (error) {
    if (!isTooLate(error)) throw error;
    return finishDeletion(o, begun.offer, 'unanswered', now);
  }
}

/** Never rejects: an error counts as `unanswered`, because billing may have closed the page all the same. */
export async function closePage(o: OffersContext, call: CallContext, offer: Offer): Promise<PaymentPage> {
  const { offerId, deletions } = offer;
  try {
    return (await o.otherServices.closeCheckout(call, offerId, deletions)).outcome;
  } catch (error) {
    o.logger.warn({ error, offerId }, 'the payment page could not be closed');
    return 'unanswered';
  }
}

/**
 * Ends the recovery point: the offer is deleted, or stays as it was.
 * @param begun the offer after the first step of the deletion; its `deletions` is the number of this deletion
 */
export async function finishDeletion(
  o: OffersContext,
  begun: Offer,
  page: PaymentPage,
  now: Date,
  deadline?: Deadline,
): Promise<DeleteOutcome> {
  const decideEnd = (offer: Offer) => {
    const decided = endDeletion(offer, page, now, begun.deletions);
    return decided.ok ? { ...decided, events: eventsOf(decided, now) } : decided;
  };
  const ended = await updateOffer(o.postgres, begun, decideEnd, deadline);
  if (!ended.ok) return ended;
  return ended.step === 'deleted' ? { ok: true } : { ok: false, reason: ended.why };
}

/** Tells billing that the page stays open; billing reopens it if necessary. The sweeper repeats this until billing has confirmed it. */
export async function keepPage(o: OffersContext, call: CallContext, offer: Offer): Promise<void> {
  const { offerId, failedDeletion } = offer;
  if (failedDeletion === null) throw new Error(`offer ${offerId} has no failed deletion`);
  await o.otherServices.keepCheckout(call, offerId, failedDeletion);
  const confirm = (found: Offer) =>
    ({ ok: true, offer: pageKept(found, failedDeletion), events: [] }) as const;
  await updateOffer(o.postgres, offer, confirm);
}

function eventsOf(decided: { readonly step: string; readonly offer: Offer }, now: Date): OfferEvent[] {
  return decided.step === 'deleted' ? [deleted(decided.offer, now)] : [];
}
