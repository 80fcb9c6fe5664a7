/**
 * The only price function: estimates and creations are both priced here (specification, "Price rules"; rule 1 is its item 1). Every
 * number is a scaled integer, so nothing is lost between the roundings. The end of a name is its scale: a number in E8 counts units
 * of 10^-8.
 */
import { divideHalfUp } from '@offer-ads/contracts/values/rounding';
import type { ExchangeRate } from './rates/exchange-rate.ts';

type PriceInput = {
  readonly durationMs: number;
  readonly matchingUsers: number;
  /** Null if there is no price in the organisation's currency: it is never billed, or its rate is missing or out of date. */
  readonly exchangeRate: ExchangeRate | null;
};

export type Price = {
  readonly matchingUsers: number;
  readonly adUnitsHundredths: bigint;
  /** Null without an exchange rate; the Ad Units are computed anyway. */
  readonly money: {
    readonly costMinor: bigint;
    /** The price of one Ad Unit in the currency. */
    readonly adUnitPriceE8: bigint;
    readonly exchangeRate: ExchangeRate;
  } | null;
};

export function priceOf({ durationMs, matchingUsers, exchangeRate }: PriceInput): Price {
  const adUnitsHundredths = roundAdUnits(BigInt(durationMs) * BigInt(matchingUsers));
  if (exchangeRate === null) return { matchingUsers, adUnitsHundredths, money: null };
  const adUnitPriceE8 = roundAdUnitPrice(exchangeRate.perGbpE6);
  const costMinor = roundCost(adUnitsHundredths * adUnitPriceE8);
  return { matchingUsers, adUnitsHundredths, money: { costMinor, adUnitPriceE8, exchangeRate } };
}

/** Rule 1: Ad Units = hours x matching users, to 2 decimal places. The hours come as milliseconds, because those are whole numbers. */
function roundAdUnits(userMilliseconds: bigint): bigint {
  const millisecondsPerHundredthOfAnHour = 36_000n;
  return divideHalfUp(userMilliseconds, millisecondsPerHundredthOfAnHour);
}

/** Rule 3: the Ad Unit price = 0.001 pounds x rate, to 8 decimal places. The rate has 6, so the product has 9, of which the last is rounded. */
function roundAdUnitPrice(perGbpE6: bigint): bigint {
  return divideHalfUp(perGbpE6, 10n);
}

/**
 * Rule 2: cost = Ad Units x Ad Unit price, to 2 decimal places. Only currencies with two are billed (decision 15,
 * billed currencies).
 */
function roundCost(costE10: bigint): bigint {
  return divideHalfUp(costE10, 10n ** 8n);
}

/** Specification, "Rounding": `ad_unit_price` is calculated with 8 decimal places and shown with 6. Returns units of 10^-6 of the currency. */
export function roundAdUnitPriceForReply(adUnitPriceE8: bigint): bigint {
  return divideHalfUp(adUnitPriceE8, 100n);
}
