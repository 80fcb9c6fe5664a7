/** Replies to the estimate: one row per refusal, and the numbers of a price as JSON. */

import type { PriceReply, QuotedPriceReply } from '@offer-ads/contracts/internal/pricing-api';
import type { EstimateReply, Refusal } from '@offer-ads/contracts/public/api';
import type { GroupEstimateReply } from '@offer-ads/contracts/public/groups-api';
import { minorUnitDigits } from '@offer-ads/contracts/values/currencies';
import type { Place } from '@offer-ads/contracts/values/places';
import { sum } from '@offer-ads/contracts/values/sum';
import type { EstimateRefusal } from '../domain/estimate-form.ts';
import { roundAdUnitPriceForReply } from '../domain/price.ts';
import type { OfferPrice } from '../price-offer.ts';
import type { GivenQuote, Quotes } from '../quotes.ts';

/** POST /offers/price-estimate, "Codes". */
const refusalCodes = {
  'invalid-input': { return_code: 'E1', code: 400 },
  'invalid-date-time': { return_code: 'E2', code: 400 },
  'other-mode': { return_code: 'E1', code: 403 },
} as const satisfies Record<EstimateRefusal['reason'], Pick<Refusal, 'return_code' | 'code'>>;

/** The body of a refusal (decision 19, bodies of refusals); `code` is the HTTP status. */
export function refusalReply(refusal: EstimateRefusal): Refusal {
  const { return_code, code } = refusalCodes[refusal.reason];
  return { return_code, status: 'Error', code, message: messageOf(refusal) };
}

function messageOf(refusal: EstimateRefusal): string {
  if (refusal.reason !== 'other-mode') return refusal.faults.join('; ');
  return `This API key works in ${refusal.keyMode} mode only; environment names the other mode`;
}

const swappedInPlaces = 'No users match here, but some would with latitude and longitude exchanged';
const swappedPlace =
  'No users match here, but some would with the two numbers of location exchanged: latitude comes first, then longitude';

/** @param quote undefined if none was asked for, null if there is no price to hold */
export function estimateReply(price: OfferPrice, currency: string, quote?: GivenQuote | null): EstimateReply {
  const { money } = price;
  const adUnits = decimal(price.adUnitsHundredths, 2);
  return {
    return_code: 'S1',
    price_estimate: adUnits,
    ad_units: adUnits,
    matching_users: price.matchingUsers,
    ad_unit_price: money && decimal(roundAdUnitPriceForReply(money.adUnitPriceE8), 6),
    estimated_cost: money && decimal(money.costMinor, minorUnitDigits(currency)),
    currency,
    exchange_rate_per_gbp: money && decimal(money.exchangeRate.perGbpE6, 6),
    exchange_rate_date: money && money.exchangeRate.date,
    ...(quote !== undefined && {
      quote_id: quote && quote.quoteId,
      quote_expiry_datetime: quote && quote.expiresAt.toISOString(),
    }),
    ...(price.isPlaceSwapped === true && { warnings: [swappedPlace] }),
  };
}

export function groupEstimateReply(
  places: readonly Place[],
  prices: readonly OfferPrice[],
  currency: string,
): GroupEstimateReply {
  const costs = prices.flatMap(({ money }) => money ?? []).map(({ costMinor }) => costMinor);
  const isBilled = costs.length === prices.length;
  const each = prices.map((price) => estimateReply(price, currency));
  const { price_estimate: _, matching_users: __, warnings: ___, ...rate } = each[0] as EstimateReply;
  return {
    ...rate,
    ad_units: decimal(sum(prices.map(({ adUnitsHundredths }) => adUnitsHundredths)), 2),
    estimated_cost: isBilled ? decimal(sum(costs), minorUnitDigits(currency)) : null,
    places: each.map(({ ad_units, matching_users, estimated_cost, warnings }, index) => ({
      label: places[index]?.label ?? null,
      ad_units,
      matching_users,
      estimated_cost,
      warnings: warnings && [swappedInPlaces],
    })),
  };
}

/** The internal reply keeps every number exact. */
export function priceReply({
  matchingUsers,
  adUnitsHundredths,
  money,
  isPlaceSwapped,
}: OfferPrice): PriceReply {
  return {
    matchingUsers,
    adUnitsHundredths: adUnitsHundredths.toString(),
    ...(isPlaceSwapped === true && { isPlaceSwapped }),
    money: money && {
      costMinor: money.costMinor.toString(),
      adUnitPriceE8: money.adUnitPriceE8.toString(),
      exchangeRatePerGbpE6: money.exchangeRate.perGbpE6.toString(),
      exchangeRateDate: money.exchangeRate.date,
    },
  };
}

export function quotedPriceReply(redeemed: ReturnType<Quotes['redeem']>): QuotedPriceReply {
  if (redeemed.ok) return { outcome: 'honoured', price: priceReply(redeemed.price) };
  const { ok: _, ...refusal } = redeemed;
  return { outcome: 'refused', ...refusal };
}

/** JSON has only floating point; up to 15 digits are exact. */
function decimal(scaled: bigint, places: number): number {
  return Number(`${scaled}e-${places}`);
}
