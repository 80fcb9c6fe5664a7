/** Whether a fixing is plausible: no currency moves by a fifth between two fixings. */
import { isBilledCurrency } from '@offer-ads/contracts/values/currencies';
import type { ReferenceRates } from './exchange-rate.ts';

/**
 * The Swiss franc moved by 14 % when its peg to the euro ended (15 January 2015), the pound by 6 % after the vote to leave the European
 * Union. A misplaced decimal point, two mixed-up columns or an inverted rate cause a far larger change.
 */
const MAX_PERCENT = 20n;

/**
 * The billed currencies whose published rate is more than 20 % above or below the last good one, however old that is. After a gap of weeks
 * a true rate may be refused, and a person looks at it; a limit that grew with the gap would accept a wrong rate. Other currencies are
 * ignored, because nothing is priced in them.
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
 * A correction of a stored fixing may be close to the fixing that it corrects or to the previous one. A fixing older than all stored ones
 * can only be compared with the next one.
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
  return change * 100n > goodE8 * MAX_PERCENT;
}
