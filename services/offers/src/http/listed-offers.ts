/** Offers as the listings return them. */
import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import type { ListedOffer as ListedOfferReply, ListReply, OfferReply } from '@offer-ads/contracts/public/api';
import { actionsOf } from '@offer-ads/contracts/values/offer-actions';
import { listedTexts } from '@offer-ads/contracts/values/offer-texts';
import type { OfferStatus } from '@offer-ads/contracts/values/primitives';
import type { OffersContext } from '../context.ts';
import { ranMs } from '../domain/lifecycle/unused-time.ts';
import { type Lifecycle, statusAt } from '../domain/offer.ts';
import { listedAddressExpiry } from '../images/addresses.ts';
import type { ListedOffer } from '../listing/listing-store.ts';
import type { OfferWithFigures } from '../listing/portal-listing-store.ts';

type ListedParts = Pick<OffersContext, 'addresses' | 'clock'>;

/**
 * "Offer (as returned by View Offers)".
 * @param now the time of the caller's offers
 */
export function listedOffer(
  { addresses, clock }: ListedParts,
  now: Date,
): (offer: ListedOffer) => ListedOfferReply {
  // Browsers load pictures by the real time.
  const imageExpiry = listedAddressExpiry(clock.now());
  return (offer) => ({
    offer_id: offer.offerId,
    ...listedTexts(offer),
    category: offer.categoryName,
    url: offer.url,
    image: addresses.sign(offer.image, imageExpiry),
    latitude: offer.latitude,
    longitude: offer.longitude,
    radius: offer.radiusMiles,
    gender: [...offer.gender],
    interests: [...offer.interestNames],
    start_datetime: offer.startAt.toISOString(),
    expiry_datetime: offer.expiryAt.toISOString(),
    creation_datetime: offer.createdAt.toISOString(),
    // The same time as the filter uses.
    offer_status: statusOf(offer, now),
    status: offer.disabledSince === null ? 'enabled' : 'disabled',
  });
}

/** One offer of the public API. */
export function offerWithActions(o: ListedParts, now: Date): (offer: ListedOffer) => OfferReply {
  const listed = listedOffer(o, now);
  return (offer) => {
    const asListed = listed(offer);
    const status = asListed.offer_status;
    return {
      ...asListed,
      payment_url: paymentUrl(offer, status),
      disabled_reason: offer.disabledReason,
      matching_users: offer.matchingUsers,
      group_id: offer.groupId,
      place_label: offer.placeLabel,
      actions: [...actionsOf(status)],
    };
  };
}

/** A deleted offer keeps the status that it had then. */
export function statusOf(offer: Lifecycle, now: Date): OfferStatus {
  return statusAt(offer, offer.deletedAt ?? now);
}

/** An offer that no longer awaits payment keeps its link, but nobody can pay there. */
function paymentUrl(offer: ListedOffer, status: OfferStatus): string | null {
  return status === 'Awaiting Payment' && offer.deletedAt === null ? offer.paymentUrl : null;
}

/** The same for the portal, with price, payment method and figures. Of a deleted offer it has what it was when it was deleted. */
export function portalOffer(o: ListedParts, now: Date): (offer: OfferWithFigures) => PortalOffer {
  const listed = listedOffer(o, now);
  return (offer) => {
    const asListed = listed(offer);
    return {
      ...asListed,
      category_id: offer.categoryId,
      payment_method: offer.paymentMethod,
      payment_url: offer.deletedAt === null ? paymentUrl(offer, asListed.offer_status) : null,
      paid_datetime: offer.paidAt?.toISOString() ?? null,
      disabled_reason: offer.disabledReason,
      currency: offer.currency,
      cost_minor: `${offer.netMinor}`,
      vat_minor: `${offer.vatMinor}`,
      deleted_datetime: offer.deletedAt?.toISOString() ?? null,
      credited_minor: null,
      review_waiting_datetime:
        offer.disabledSince === null ? null : (offer.reviewWaitingSince?.toISOString() ?? null),
      group_id: offer.groupId,
      place_label: offer.placeLabel,
      group_offers: offer.groupOffers,
      views: offer.views,
      clicks: offer.clicks,
      spend_minor: `${offer.spendMinor}`,
      trading_name: offer.tradingName,
      matching_users: offer.matchingUsers,
      ran_seconds: Math.floor(ranMs(offer, now) / 1_000),
    };
  };
}

export function pagination(limit: number, count: number, next: string | null): ListReply['pagination'] {
  return { limit, count, has_more: next !== null, next_cursor: next };
}
