/** How amounts and instants read in a mail: words in English, figures and clocks as the organisation's country has them. */
import { amountText } from '@offer-ads/contracts/values/amount-text';
import { clockOf } from '../delivery/country-clock.ts';

export type Wording = {
  /**
   * `GBP 1,234.50`, or `1.234,50 EUR` in Germany; the same text as on invoices (decision 64, language of documents).
   */
  readonly money: (minor: string | bigint, currency: string) => string;
  /** `1 June 2026 at 13:00 (UTC+1)`; the zone is always said. */
  readonly dateTime: (instant: string) => string;
};

/** Of an organisation that nothing is known of yet, the sender's habits, in UTC. */
export function wordingFor(country: string | undefined): Wording {
  const clock = clockOf(country);
  return {
    money: (minor, currency) => amountText(BigInt(minor), currency, country ?? 'GB'),
    dateTime: (instant) => clock(new Date(instant)),
  };
}
