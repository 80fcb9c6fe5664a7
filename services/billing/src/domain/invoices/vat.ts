/** VAT on card payments (decision 13, VAT). A payment from the balance has none, because the top-up of the balance was already taxed. */
import { divideHalfUp } from '@offer-ads/contracts/values/rounding';

/** Organisations registered in this country pay VAT; all others pay none (price rule 6). */
const VAT_COUNTRY = 'GB';
export const VAT_PERCENT = 20;

/** Net x 20%, rounded half up to a minor unit. Every billed currency has 2 decimals. */
export function vatOnCardPayment(netMinor: bigint, country: string): bigint {
  return country === VAT_COUNTRY ? divideHalfUp(netMinor * BigInt(VAT_PERCENT), 100n) : 0n;
}
