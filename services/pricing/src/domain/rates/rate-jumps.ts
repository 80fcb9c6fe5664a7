/** Whether a fixing can be true: no currency moves by a fifth from one fixing to the next. */
import { isBilledCurrency } from '@offer-ads/contracts/values/currencies';
import type { ReferenceRates } from './exchange-rate.ts';

/**
 * The Swiss franc moved by 14 % when its peg to the euro ended (15 January 2015), the pound by 6 % after the vote to leave the
 * European Union. A decimal point in the wrong place, two columns mixed up or a rate turned upside down is far more.
 */
const MOST_PERCENT = 20n;

/**
 * The billed currencies whose published rate lies more than 20 % above or below the last good one. However long ago that was: after a
 * gap of weeks a true rate may be refused, and a person looks at it; a limit that grew with the gap would let a wrong one through.
 * Currencies that nobody is billed in may do as they like: nothing is priced by them.
 * @param stored the newest first
 */
export function jumpsOf(next: ReferenceRates, stored: readonly ReferenceRates[]): readonly string[] {
  return [...next.perEuroE8.keys()].filter((currency) => {
    if (!isBilledCurrency(currency)) return false;
    const rateE8 = next.perEuroE8.get(currency) ?? 0n;
    const lastGood = lastGoodRates(currency, next.date, stored);
    return lastGood.length > 0 && lastGood.every((goodE8) => isFar(rateE8, goodE8));
  });
}

/**
 * A correction of a fixing that is stored may be near to what it corrects or to the one before; what is older than everything stored
 * has only what came after it.
 */
function lastGoodRates(currency: string, date: string, stored: readonly ReferenceRates[]): readonly bigint[] {
  const withRate = stored.flatMap(({ date, perEuroE8 }) => {
    const rateE8 = perEuroE8.get(currency);
    return rateE8 === undefined ? [] : [{ date, rateE8 }];
  });
  const sameDate = withRate.find((fixing) => fixing.date === date);
  const before = withRate.find((fixing) => fixing.date < date);
  const after = withRate.findLast((fixing) => fixing.date > date);
  const known = [sameDate, before].filter((fixing) => fixing !== undefined);
  return (known.length > 0 ? known : [after]).flatMap((fixing) => fixing?.rateE8 ?? []);
}

function isFar(rateE8: bigint, goodE8: bigint): boolean {
  const change = rateE8 > goodE8 ? rateE8 - goodE8 : goodE8 - rateE8;
  return change * 100n > goodE8 * MOST_PERCENT;
}
