/**
 * The value of one pound in the billing currency, from the European Central Bank's reference rates (decisions 15, billed currencies, and
 * 16, exchange rates).
 */
import { isBilledCurrency } from '@offer-ads/contracts/values/currencies';
import { divideHalfUp } from '@offer-ads/contracts/values/rounding';
import { frankfurtDate, isOutOfDate } from './target-calendar.ts';

/** The reference rates of one day. */
export type ReferenceRates = {
  /** `YYYY-MM-DD`. */
  readonly date: string;
  /** Units of 10^-8 of a currency per euro, by code; without the euro itself. */
  readonly perEuroE8: ReadonlyMap<string, bigint>;
};

export type ExchangeRate = {
  /** Units of 10^-6 of the currency per pound: the number that callers see and that rule 3 uses. */
  readonly perGbpE6: bigint;
  /** Null for GBP, which needs no rate. */
  readonly date: string | null;
};

const ONE_E8 = 10n ** 8n;
const pound: ExchangeRate = { perGbpE6: 1_000_000n, date: null };

/**
 * @param fixings the newest first
 * @returns null if the currency cannot be billed: it is no billed currency, has no rate, or its rate is out of date
 */
export function exchangeRateOf(
  currency: string,
  fixings: readonly ReferenceRates[],
  now: Date,
): ExchangeRate | null {
  if (currency === 'GBP') return pound;
  if (!isBilledCurrency(currency)) return null;
  const today = frankfurtDate(now);
  // A currency that is missing in a fixing keeps its previous rate until that is out of date.
  for (const { date, perEuroE8 } of fixings) {
    if (date > today) continue;
    if (isOutOfDate(date, now)) return null;
    const currencyPerEuroE8 = currency === 'EUR' ? ONE_E8 : perEuroE8.get(currency);
    const poundsPerEuroE8 = perEuroE8.get('GBP');
    if (currencyPerEuroE8 === undefined || poundsPerEuroE8 === undefined) continue;
    return { perGbpE6: roundExchangeRate(currencyPerEuroE8, poundsPerEuroE8), date };
  }
  return null;
}

/**
 * Decision 16, exchange rates: the rate per GBP = the currency's rate per EUR divided by GBP's, to 6 decimal places.
 */
function roundExchangeRate(perEuroE8: bigint, poundsPerEuroE8: bigint): bigint {
  return divideHalfUp(perEuroE8 * 1_000_000n, poundsPerEuroE8);
}

/**
 * A published rate, for example "1.1582", in units of 10^-8.
 * @returns undefined unless it is a plain positive decimal of at most 8 places
 */
export function parseRateE8(text: string): bigint | undefined {
  const match = /^(\d{1,9})(?:\.(\d{1,8}))?$/.exec(text);
  if (!match) return undefined;
  const [, whole = '', fraction = ''] = match;
  const rateE8 = BigInt(whole + fraction.padEnd(8, '0'));
  return rateE8 > 0n ? rateE8 : undefined;
}
