/** An offer that follows another one: it begins when that ends, or now, and has the same length, texts, picture and target. */
import type { PortalOffer } from '@offer-ads/contracts/portal/offers-api';
import { offerTexts } from '@offer-ads/contracts/values/offer-texts';
import { contentOf, type Draft, periodOf } from '../new/draft.ts';

/**
 * @param now in the time of the offers
 * @param endAt null: as long as the offer itself. Otherwise as the input field gives it
 */
export function followingDraft(
  offer: PortalOffer,
  now: Date,
  { endAt, paymentMethod }: { readonly endAt: string | null; readonly paymentMethod: Draft['paymentMethod'] },
): Draft {
  const lastsMs = Date.parse(offer.expiry_datetime) - Date.parse(offer.start_datetime);
  const isOver = new Date(offer.expiry_datetime) <= now;
  const start = isOver ? now : new Date(offer.expiry_datetime);
  return {
    ...contentOf(offer),
    copiedFromId: offer.offer_id,
    starts: isOver ? 'now' : 'later',
    // With milliseconds, which the input fields do not have: the new offer begins in the moment in which the other one ends.
    startAt: start.toISOString(),
    runs: 'until',
    endAt: endAt ?? new Date(start.getTime() + lastsMs).toISOString(),
    paymentMethod,
  };
}

/**
 * The places of a group that follows these offers, as POST /offer-groups takes them: each with everything of its offer.
 * @param quotes of the check, in the order of the offers
 */
export function followingPlaces(
  offers: readonly PortalOffer[],
  { now, endAt }: { readonly now: Date; readonly endAt: string | null },
  quotes: readonly (string | null)[] = [],
): readonly object[] {
  return offers.map((offer, index) => {
    const period = periodOf(followingDraft(offer, now, { endAt, paymentMethod: 'B' }), now);
    return {
      latitude: offer.latitude,
      longitude: offer.longitude,
      label: offer.place_label,
      category_id: offer.category_id,
      ...Object.fromEntries(Object.values(offerTexts).map(({ field }) => [field, offer[field] ?? ''])),
      url: offer.url,
      radius: offer.radius,
      gender: offer.gender,
      interests: offer.interests.map(({ interest_id: id }) => id),
      start_datetime: period?.start.toISOString(),
      expiry_datetime: period?.end.toISOString(),
      image_offer_id: offer.offer_id,
      ...(quotes[index] && { quote_id: quotes[index] }),
    };
  });
}

type Linked = {
  readonly before: PortalOffer | null;
  readonly after: PortalOffer | null;
  readonly last: PortalOffer;
  /** Whether no later one can be missing. */
  readonly isLastKnown: boolean;
};

/**
 * The offers directly before and after an offer, and the last one after it. No relation is stored: an offer follows another one when it
 * begins in the very millisecond in which the other one ends, and has the same title, category and target. That is what "Extend" makes,
 * and other offers do not meet it by chance.
 * @param others the newest offers with this title. What follows an offer is newer, so none is missing if the offer itself is among them
 */
export function linkedOffers(offer: PortalOffer, others: readonly PortalOffer[]): Linked {
  const alike = others.filter((other) => other.offer_id !== offer.offer_id && isAlike(other, offer));
  const after = (one: PortalOffer) =>
    alike.find(({ start_datetime }) => isSameMoment(start_datetime, one.expiry_datetime));
  let last = offer;
  // Each offer ends after its start, so the way goes forward in time and ends.
  for (let next = after(offer); next !== undefined; next = after(last)) last = next;
  return {
    before: alike.find(({ expiry_datetime }) => isSameMoment(expiry_datetime, offer.start_datetime)) ?? null,
    after: after(offer) ?? null,
    last,
    isLastKnown: others.some((other) => other.offer_id === offer.offer_id),
  };
}

function isAlike(one: PortalOffer, other: PortalOffer): boolean {
  return (['title', 'category_id', 'latitude', 'longitude', 'radius'] as const).every(
    (field) => one[field] === other[field],
  );
}

function isSameMoment(one: string, other: string): boolean {
  return Date.parse(one) === Date.parse(other);
}
