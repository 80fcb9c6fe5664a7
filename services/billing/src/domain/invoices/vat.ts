/** VAT on card payments (decision 13). A payment from the balance owes none: the balance was taxed when it was filled. */
import { divideHalfUp } from '@offer-ads/contracts/values/rounding';

/** Organisations registered here are charged VAT; all others pay none (price rule 6). */
const VAT_COUNTRY = 'GB';
export const VAT_PERCENT = 20;

/** Net x 20%, half up to a minor unit, which is 2 decimals in every billed currency. */
export function vatOnCardPayment(netMinor: bigint, country: string): bigint {
  return country === VAT_COUNTRY ? divideHalfUp(netMinor * BigInt(VAT_PERCENT), 100n) : 0n;
}
