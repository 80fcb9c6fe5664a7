/**
 * Deletes an offer. A paid or ended offer is deleted in one transaction. An offer that awaits payment goes through the recovery point
 * *deleting*: its payment page is closed first, and the offer is deleted only if the page is closed, so that a deleted offer cannot be
 * paid. If billing does not answer, or the deadline has passed, nothing is deleted, and billing is asked to reopen the page that it may
 * have closed.
 */
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { isTooLate } from '@offer-ads/platform/postgres/postgres';
import type { OffersContext } from '../context.ts';
import { beginDeletion, endDeletion, type PaymentPage, pageKept } from '../domain/lifecycle/lifecycle.ts';
import type { Offer } from '../domain/offer.ts';
import { type OfferReference, updateOffer } from '../offers-store.ts';
import type { CallContext } from '../other-services.ts';
import { deleted, type OfferNews } from './offer-events.ts';

/** E6: the payment came first. E7: it is unknown whether the page is closed. In both cases nothing is deleted. */
export type DeleteRefusal = 'not-found' | 'just-paid' | 'page-not-closed';
export type DeleteOutcome = { readonly ok: true } | { readonly ok: false; readonly reason: DeleteRefusal };

export async function deleteOffer(
  o: OffersContext,
  call: CallContext,
  reference: OfferReference,
  now: Date,
): Promise<DeleteOutcome> {
  const begin = (offer: Offer) => {
    const decided = beginDeletion(offer, now);
    return decided.ok ? { ...decided, news: newsOf(decided, now) } : decided;
  };
  const begun = await updateOffer(o.postgres, reference, begin, call.deadline);
  if (!begun.ok) return begun;
  if (begun.step === 'deleted') return { ok: true };
  const page = await closePage(o, call, begun.offer);
  // Only the deletion itself must meet the deadline; leaving the offer unchanged is right at any time.
  if (page !== 'closed') return closedOrLeftAlone(o, begun.offer, page, now);
  try {
    return await closedOrLeftAlone(o, begun.offer, page, now, call.deadline);
  } catch (error) {
    if (!isTooLate(error)) throw error;
    return closedOrLeftAlone(o, begun.offer, 'unanswered', now);
  }
}

export async function closePage(o: OffersContext, call: CallContext, offer: Offer): Promise<PaymentPage> {
  const { offerId, deletions } = offer;
  try {
    return (await o.otherServices.closeCheckout(call, offerId, deletions)).outcome;
  } catch (error) {
    o.logger.warn({ error, offerId }, 'the payment page could not be closed');
    return 'unanswered';
  }
}

/** Ends the recovery point: the offer is deleted or left as it was. `begun` is the offer after the first step of the deletion. */
export async function closedOrLeftAlone(
  o: OffersContext,
  begun: Offer,
  page: PaymentPage,
  now: Date,
  deadline?: Deadline,
): Promise<DeleteOutcome> {
  const end = (offer: Offer) => {
    const decided = endDeletion(offer, page, now, begun.deletions);
    return decided.ok ? { ...decided, news: newsOf(decided, now) } : decided;
  };
  const ended = await updateOffer(o.postgres, begun, end, deadline);
  if (!ended.ok) return ended;
  return ended.step === 'deleted' ? { ok: true } : { ok: false, reason: ended.why };
}

/** Tells billing that the page stays open, so that billing reopens it if necessary. Repeated until billing has confirmed it. */
export async function keepPage(o: OffersContext, call: CallContext, offer: Offer): Promise<void> {
  const { offerId, keptDeletion } = offer;
  if (keptDeletion === null) throw new Error(`offer ${offerId} has no deletion that was given up`);
  await o.otherServices.keepCheckout(call, offerId, keptDeletion);
  await updateOffer(o.postgres, offer, (found) => ({
    ok: true,
    offer: pageKept(found, keptDeletion),
    news: [],
  }));
}

function newsOf(decided: { readonly step: string; readonly offer: Offer }, now: Date): OfferNews[] {
  return decided.step === 'deleted' ? [deleted(decided.offer, now)] : [];
}
