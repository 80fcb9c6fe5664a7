/**
 * All checks that can refuse a creation before billing is asked, in the order of decision 9, order of checks. They change nothing outside
 * the service.
 */

import type { ExceededLimit } from '@offer-ads/contracts/internal/billing-api';
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import type { PriceReply, QuotedField } from '@offer-ads/contracts/internal/pricing-api';
import { cardMaximumMinor, cardMinimumMinor, parseAmount } from '@offer-ads/contracts/values/currencies';
import { offerLimits } from '@offer-ads/contracts/values/offer-limits';
import { type Refused, refused } from '@offer-ads/contracts/values/refused';
import { sum } from '@offer-ads/contracts/values/sum';
import type { OffersContext } from '../context.ts';
import { type CreationForm, type OfferForm, onlyPicture } from '../domain/creation/offer-form.ts';
import { checkQuota, type Quota, type QuotaRefusal } from '../domain/creation/quota.ts';
import { acceptImage, acceptImageOf, type ReuseRefusal, type UploadRefusal } from '../images/accept-image.ts';
import type { CallContext } from '../other-services.ts';
import { factsForCreation } from './reservations-store.ts';

/** Where that is so, in the form of a group. */
type Where = { readonly places?: readonly (readonly [index: number, label: string | null])[] };

export type CheckRefusal =
  | ({ readonly reason: 'start-in-past' } & Where)
  | ({ readonly reason: 'unknown-category' } & Where)
  | ({ readonly reason: 'unknown-interests'; readonly ids: readonly number[] } & Where)
  | { readonly reason: 'terms-not-accepted' }
  | ({ readonly reason: 'quote-unknown' | 'quote-foreign' | 'quote-expired' } & Where)
  | ({ readonly reason: 'quote-differs'; readonly fields: readonly QuotedField[] } & Where)
  | { readonly reason: 'currency-not-billed'; readonly currency: string }
  | ({ readonly reason: 'no-matching-users' | 'swapped-place' } & Where)
  | { readonly reason: 'below-minimum'; readonly minimumMinor: bigint; readonly currency: string }
  | { readonly reason: 'above-maximum'; readonly maximumMinor: bigint; readonly currency: string }
  | {
      readonly reason: 'above-max-cost';
      readonly netMinor: bigint;
      readonly maxCost: string;
      readonly currency: string;
    }
  | QuotaRefusal
  | { readonly reason: 'balance-too-low'; readonly netMinor: bigint; readonly currency: string }
  | { readonly reason: 'may-not-spend' }
  | LimitRefusal
  | ((UploadRefusal | ReuseRefusal) & Where);

/** The spending limit of the caller's key, or of the caller. */
export type LimitRefusal = {
  readonly reason: 'above-limit';
  readonly whose: 'key' | 'person';
  readonly exceeded: ExceededLimit;
  readonly currency: string;
};

export type CheckRequest = CallContext & {
  readonly form: CreationForm;
  /** By their file names. Other offers of the form name the offers whose pictures are meant. */
  readonly pictures: ReadonlyMap<string, Buffer>;
  /** Only to know faults and prices: it does not matter yet how, and whether, it can be paid. */
  readonly isUnpaid?: true;
  /** By the real time, by which quotes expire. */
  readonly receivedAt: Date;
  /** The same in the time of the organisation's offers. */
  readonly now: Date;
};

/** Of each offer: its price with the members that it counts, and the name of its cleaned picture in the store. */
export type Checks = readonly {
  readonly netMinor: bigint;
  readonly matchingUsers: number;
  readonly image: string;
  /** Only of a group without quotes. */
  readonly quoteId: string | null;
}[];

type Checked = { readonly ok: true; readonly checks: Checks } | Refused<CheckRefusal>;

export async function checkCreation(o: OffersContext, request: CheckRequest): Promise<Checked> {
  const { caller, form, now } = request;
  const { offers } = form;
  const earliest = now.getTime() - offerLimits.startGraceSeconds * 1_000;
  const past = where(form, ({ startAt }) => startAt.getTime() < earliest);
  if (past !== null) return refused({ reason: 'start-in-past', ...past });
  const { organisationId, mode, personId } = caller;
  const paymentMethod = request.isUnpaid === true ? null : offers[0].paymentMethod;
  const categoryIds = offers.map(({ categoryId }) => categoryId);
  const interests = [...new Set(offers.flatMap((offer) => offer.interests))];
  const asked = { organisationId, mode, personId, now, categoryIds, interests };
  const { inUse, knownCategories, knownInterests } = await factsForCreation(o.postgres, asked);
  const uncategorised = where(form, ({ categoryId }) => !knownCategories.has(categoryId));
  if (uncategorised !== null) return refused({ reason: 'unknown-category', ...uncategorised });
  const ids = interests.filter((id) => !knownInterests.has(id));
  const uninteresting = where(form, (offer) => offer.interests.some((id) => ids.includes(id)));
  if (uninteresting !== null) return refused({ reason: 'unknown-interests', ids, ...uninteresting });
  if (!caller.termsAccepted) return refused({ reason: 'terms-not-accepted' });
  const { access, perDayMinor, perMonthMinor } = caller.spending;
  if (paymentMethod === 'B' && access !== 'full') return refused({ reason: 'may-not-spend' });

  const isLimited = paymentMethod !== null && (perDayMinor !== null || perMonthMinor !== null);
  const spending = isLimited ? o.otherServices.spending(request) : undefined;
  const balance = paymentMethod === 'B' ? o.otherServices.balance(request) : undefined;
  // All are asked at once. If a reply is not needed in the end, it does not matter whether billing answered.
  balance?.catch(() => {});
  spending?.catch(() => {});
  const priced = await askPrices(o, request);
  if (!priced.ok) return priced;
  const { prices } = priced;
  const { currency } = caller;
  const costs = prices.map(({ money }) => money && BigInt(money.costMinor)).filter((cost) => cost !== null);
  if (costs.length < prices.length) return refused({ reason: 'currency-not-billed', currency });
  const unmatched = refusalOfUnmatched(form, prices);
  if (unmatched !== null) return unmatched;
  const netMinor = sum(costs);
  const [{ maxCost }] = offers;
  if (maxCost !== null && netMinor > (parseAmount(maxCost, currency) ?? -1n))
    return refused({ reason: 'above-max-cost', netMinor, maxCost, currency });
  const minimumMinor = cardMinimumMinor(currency);
  if (paymentMethod === 'E' && minimumMinor !== undefined && netMinor < minimumMinor) {
    return refused({ reason: 'below-minimum', minimumMinor, currency });
  }

  // Billing checks the maximum with VAT. A net price above the maximum is refused here, before the picture is judged and a row is written.
  const maximumMinor = cardMaximumMinor(currency);
  if (paymentMethod === 'E' && netMinor > maximumMinor) {
    return refused({ reason: 'above-maximum', maximumMinor, currency });
  }

  const quotaRefusal = checkQuota(quotaOf(o, caller), inUse, { mode, netMinor: costs });
  if (quotaRefusal !== null) return refused(quotaRefusal);
  if (balance !== undefined && BigInt((await balance).balanceMinor) < netMinor) {
    return refused({ reason: 'balance-too-low', netMinor, currency });
  }
  // Billing checks the limits again where money moves, and a card payment with its VAT.
  const { day = null, month = null } = (await spending) ?? {};
  for (const [per, left] of [
    ['day', day],
    ['month', month],
  ] as const)
    if (left !== null && BigInt(left.leftMinor) < netMinor)
      return refused(aboveLimit(caller, { per, ...left, costMinor: `${netMinor}` }));
  // The last check, because it is the slowest.
  const accepted = await acceptPictures(o, request);
  if (!accepted.ok) return accepted;
  const checks = prices.map(({ matchingUsers, quoteId = null }, index) => ({
    netMinor: costs[index] ?? 0n,
    matchingUsers,
    image: accepted.images[index] ?? '',
    quoteId,
  }));
  return { ok: true, checks };
}

/** @returns the places of a group for which it is so, unless it is so for all; null if it is for none */
function where({ offers, isGroup }: CreationForm, isSo: (offer: OfferForm) => boolean): Where | null {
  const places = offers.flatMap((offer, index) => (isSo(offer) ? [[index, offer.placeLabel] as const] : []));
  if (places.length === 0) return null;
  return isGroup && places.length < offers.length ? { places } : {};
}

/** All places where nobody matches, so that the caller can correct them in one go. */
function refusalOfUnmatched(
  { offers, isGroup }: CreationForm,
  prices: readonly PriceReply[],
): Refused<CheckRefusal> | null {
  const unmatched = prices.flatMap((price, index) => (price.matchingUsers === 0 ? [{ price, index }] : []));
  if (unmatched.length === 0) return null;
  const isSwapped = unmatched.every(({ price }) => price.isPlaceSwapped === true);
  return refused({
    reason: isSwapped ? 'swapped-place' : 'no-matching-users',
    ...(isGroup && {
      places: unmatched.map(({ index }) => [index, offers[index]?.placeLabel ?? null] as const),
    }),
  });
}

export function aboveLimit({ spending, currency }: CallerContext, exceeded: ExceededLimit): LimitRefusal {
  const whose = spending.spender.startsWith('person/') ? 'person' : 'key';
  return { reason: 'above-limit', whose, exceeded, currency };
}

/**
 * Checked twice: early, so that a refusal costs nothing, and under the quota's lock, so that the limit is exact (decision 9, order of
 * checks).
 */
export function quotaOf({ freeLiveOffersPerDay }: OffersContext, { quota }: CallerContext): Quota {
  return { ...quota, freePerDay: freeLiveOffersPerDay };
}

/**
 * The prices of now, or the price of the quote that the request names. A quote holds without a new count and a new rate, so E5 and E6 do not
 * occur with it (decision 215, quotes).
 */
async function askPrices(
  o: OffersContext,
  request: CheckRequest,
): Promise<{ readonly ok: true; readonly prices: readonly GivenPrice[] } | Refused<CheckRefusal>> {
  const { offers, isGroup } = request.form;
  if (isGroup && offers.every(({ quoteId }) => quoteId === null)) {
    const { prices } = await o.otherServices.groupPrices(request, { offers: offers.map(priceRequestOf) });
    if (prices.length !== offers.length) throw new Error('pricing priced other offers');
    return { ok: true, prices };
  }
  const priced = await Promise.all(offers.map((offer) => askPrice(o, request, offer)));
  const prices: GivenPrice[] = [];
  for (const [index, each] of priced.entries()) {
    if (!each.ok) return isGroup ? { ...each, places: [[index, offers[index]?.placeLabel ?? null]] } : each;
    prices.push(each.price);
  }
  return { ok: true, prices };
}

type GivenPrice = PriceReply & { readonly quoteId?: string | null };

async function askPrice(
  o: OffersContext,
  request: CheckRequest,
  offer: OfferForm,
): Promise<
  | { readonly ok: true; readonly price: PriceReply }
  | Extract<Refused<CheckRefusal>, { readonly reason: `quote-${string}` }>
> {
  const { quoteId } = offer;
  const asked = priceRequestOf(offer);
  if (quoteId === null) return { ok: true, price: await o.otherServices.price(request, asked) };
  const receivedAt = request.receivedAt.toISOString();
  const quoted = await o.otherServices.quotedPrice(request, { ...asked, quoteId, receivedAt });
  if (quoted.outcome === 'honoured') return { ok: true, price: quoted.price };
  return quoted.reason === 'differs'
    ? refused({ reason: 'quote-differs', fields: quoted.fields })
    : refused({ reason: `quote-${quoted.reason}` });
}

function priceRequestOf(offer: OfferForm) {
  const { startAt, expiryAt, latitude, longitude, radiusMiles, gender, interests } = offer;
  return {
    startAt: startAt.toISOString(),
    endAt: expiryAt.toISOString(),
    latitude,
    longitude,
    radiusMiles,
    gender: [...gender],
    interests: [...interests],
  };
}

/** One after the other: each is judged once, also if several offers have it. */
async function acceptPictures(
  o: OffersContext,
  request: CheckRequest,
): Promise<{ readonly ok: true; readonly images: readonly string[] } | Refused<CheckRefusal>> {
  const { form } = request;
  const pictureOf = ({ imageOfferId, imageName }: OfferForm) => imageOfferId ?? imageName;
  const images = new Map<number | string | null, string>();
  for (const offer of form.offers) {
    const picture = pictureOf(offer);
    if (images.has(picture)) continue;
    const accepted = await acceptPicture(o, request, offer);
    if (!accepted.ok) return { ...accepted, ...where(form, (other) => pictureOf(other) === picture) };
    images.set(picture, accepted.image);
  }
  return { ok: true, images: form.offers.map((offer) => images.get(pictureOf(offer)) ?? '') };
}

function acceptPicture(o: OffersContext, request: CheckRequest, { imageOfferId, imageName }: OfferForm) {
  if (imageOfferId !== null) return acceptImageOf(o, request, imageOfferId);
  const { pictures } = request;
  const picture = imageName === null ? onlyPicture(pictures) : pictures.get(imageName);
  if (!picture) throw new Error('a form without a picture passed its field rules');
  return acceptImage(o, request, picture);
}
