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
import type { OfferForm } from '../domain/creation/offer-form.ts';
import { checkQuota, type Quota, type QuotaRefusal } from '../domain/creation/quota.ts';
import { acceptImage, acceptImageOf, type ReuseRefusal, type UploadRefusal } from '../images/accept-image.ts';
import type { CallContext } from '../other-services.ts';
import { factsForCreation } from './reservations-store.ts';

export type CheckRefusal =
  | { readonly reason: 'start-in-past' }
  | { readonly reason: 'unknown-category' }
  | { readonly reason: 'unknown-interests'; readonly ids: readonly number[] }
  | { readonly reason: 'terms-not-accepted' }
  | { readonly reason: 'quote-unknown' | 'quote-foreign' | 'quote-expired' }
  | { readonly reason: 'quote-differs'; readonly fields: readonly QuotedField[] }
  | { readonly reason: 'currency-not-billed'; readonly currency: string }
  /** `places`: where that is so, in the form of a group. */
  | {
      readonly reason: 'no-matching-users' | 'swapped-place';
      readonly places?: readonly (readonly [index: number, label: string | null])[];
    }
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
  | UploadRefusal
  | ReuseRefusal;

/** The spending limit of the caller's key, or of the caller. */
export type LimitRefusal = {
  readonly reason: 'above-limit';
  readonly whose: 'key' | 'person';
  readonly exceeded: ExceededLimit;
  readonly currency: string;
};

export type CheckRequest = CallContext & {
  readonly form: OfferForm;
  /** Null: the form names the offer whose picture it is. */
  readonly picture: Buffer | null;
  /** By the real time, by which quotes expire. */
  readonly receivedAt: Date;
  /** The same in the time of the organisation's offers. */
  readonly now: Date;
};

/** The price at each place with the members that it counts, and the name of the cleaned picture in the store. */
export type Checks = {
  readonly netMinor: readonly bigint[];
  readonly matchingUsers: readonly number[];
  readonly image: string;
};

type Checked = { readonly ok: true; readonly checks: Checks } | Refused<CheckRefusal>;

export async function checkCreation(o: OffersContext, request: CheckRequest): Promise<Checked> {
  const { caller, form, now } = request;
  if (form.startAt.getTime() < now.getTime() - offerLimits.startGraceSeconds * 1_000) {
    return refused({ reason: 'start-in-past' });
  }
  const { organisationId, mode, personId } = caller;
  const { categoryId, interests, paymentMethod } = form;
  const asked = { organisationId, mode, personId, now, categoryId, interests };
  const { inUse, isCategoryKnown, knownInterests } = await factsForCreation(o.postgres, asked);
  if (!isCategoryKnown) return refused({ reason: 'unknown-category' });
  const ids = interests.filter((id) => !knownInterests.has(id));
  if (ids.length > 0) return refused({ reason: 'unknown-interests', ids });
  if (!caller.termsAccepted) return refused({ reason: 'terms-not-accepted' });
  const { access, perDayMinor, perMonthMinor } = caller.spending;
  if (paymentMethod === 'B' && access !== 'full') return refused({ reason: 'may-not-spend' });

  const isLimited = perDayMinor !== null || perMonthMinor !== null;
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
  const { maxCost } = form;
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
  const accepted = await acceptPicture(o, request);
  if (!accepted.ok) return accepted;
  const matchingUsers = prices.map((price) => price.matchingUsers);
  return { ok: true, checks: { netMinor: costs, matchingUsers, image: accepted.image } };
}

/** All places where nobody matches, so that the caller can correct them in one go. */
function refusalOfUnmatched(
  { places, isGroup }: OfferForm,
  prices: readonly PriceReply[],
): Refused<CheckRefusal> | null {
  const unmatched = prices.flatMap((price, index) => (price.matchingUsers === 0 ? [{ price, index }] : []));
  if (unmatched.length === 0) return null;
  const isSwapped = unmatched.every(({ price }) => price.isPlaceSwapped === true);
  return refused({
    reason: isSwapped ? 'swapped-place' : 'no-matching-users',
    ...(isGroup && {
      places: unmatched.map(({ index }) => [index, places[index]?.label ?? null] as const),
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
): Promise<{ readonly ok: true; readonly prices: readonly PriceReply[] } | Refused<CheckRefusal>> {
  const { startAt, expiryAt, places, isGroup, radiusMiles, gender, interests, quoteId } = request.form;
  const offer = {
    startAt: startAt.toISOString(),
    endAt: expiryAt.toISOString(),
    radiusMiles,
    gender: [...gender],
    interests: [...interests],
  };
  const positions = places.map(({ latitude, longitude }) => ({ latitude, longitude }));
  const [position] = positions;
  if (position === undefined) throw new Error('a form without a place passed its field rules');
  if (isGroup) {
    const { prices } = await o.otherServices.groupPrices(request, { ...offer, places: positions });
    if (prices.length !== places.length) throw new Error('pricing priced other places');
    return { ok: true, prices };
  }
  const single = { ...offer, ...position };
  if (quoteId === null) return { ok: true, prices: [await o.otherServices.price(request, single)] };
  const receivedAt = request.receivedAt.toISOString();
  const quoted = await o.otherServices.quotedPrice(request, { ...single, quoteId, receivedAt });
  if (quoted.outcome === 'honoured') return { ok: true, prices: [quoted.price] };
  return quoted.reason === 'differs'
    ? refused({ reason: 'quote-differs', fields: quoted.fields })
    : refused({ reason: `quote-${quoted.reason}` });
}

function acceptPicture(o: OffersContext, request: CheckRequest) {
  const { picture, form } = request;
  if (picture !== null) return acceptImage(o, request, picture);
  if (form.imageOfferId === null) throw new Error('a form without a picture passed its field rules');
  return acceptImageOf(o, request, form.imageOfferId);
}
