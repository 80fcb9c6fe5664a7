/**
 * Deleting an offer. A paid or ended one goes in one transaction. One that awaits payment passes the recovery point
 * *deleting*: its page is closed first, and only a closed page lets it go, so that nobody can pay for what is gone.
 */
import type { OffersContext } from './context.ts';
import { beginDeletion, endDeletion, type PaymentPage } from './domain/lifecycle.ts';
import type { Offer } from './domain/offer.ts';
import type { Errand } from './neighbours.ts';
import { deleted, type OfferNews } from './offer-events.ts';
import { type OfferReference, updateOffer } from './offers-store.ts';

/** E6: the payer was faster. E7: nobody can say whether the page is closed. Neither deletes anything. */
export type DeleteRefusal = 'not-found' | 'just-paid' | 'page-not-closed';
export type DeleteOutcome = { readonly ok: true } | { readonly ok: false; readonly reason: DeleteRefusal };

export async function deleteOffer(
  o: OffersContext,
  errand: Errand,
  reference: OfferReference,
  now: Date,
): Promise<DeleteOutcome> {
  const begun = await updateOffer(o.postgres, reference, (offer) => {
    const decided = beginDeletion(offer, now);
    return decided.ok ? { ...decided, news: newsOf(decided, now) } : decided;
  });
  if (!begun.ok) return begun;
  if (begun.step === 'deleted') return { ok: true };
  return closedOrLeftAlone(o, reference, await closePage(o, errand, reference.offerId), now);
}

/** A lost answer counts as unknown too: perhaps the page is closed, and deleting once more finds out. */
export async function closePage(o: OffersContext, errand: Errand, offerId: number): Promise<PaymentPage> {
  try {
    return (await o.neighbours.closeCheckout(errand, offerId)).outcome;
  } catch (error) {
    o.logger.warn({ error, offerId }, 'the payment page could not be closed');
    return 'unknown';
  }
}

/** Leaves the recovery point: the offer is deleted, or it is what it was. */
export async function closedOrLeftAlone(
  o: OffersContext,
  reference: OfferReference,
  page: PaymentPage,
  now: Date,
): Promise<DeleteOutcome> {
  const ended = await updateOffer(o.postgres, reference, (offer) => {
    const decided = endDeletion(offer, page, now);
    return decided.ok ? { ...decided, news: newsOf(decided, now) } : decided;
  });
  if (!ended.ok) return ended;
  return ended.step === 'deleted' ? { ok: true } : { ok: false, reason: ended.why };
}

function newsOf(decided: { readonly step: string; readonly offer: Offer }, now: Date): OfferNews[] {
  return decided.step === 'deleted' ? [deleted(decided.offer, now)] : [];
}
