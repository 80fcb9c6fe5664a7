/** How amounts and times are written in a mail: English words, with the number and time formats of the organisation's country. */
import { amountText } from '@offer-ads/contracts/values/amount-text';
import { clockOf } from '../delivery/country-clock.ts';

export type Wording = {
  /**
   * `GBP 1,234.50`, or `1.234,50 EUR` in Germany; the same text as on invoices (decision 64, language of documents).
   */
  readonly money: (minor: string | bigint, currency: string) => string;
  /** `1 June 2026 at 13:00 (UTC+1)`; the zone is always included. */
  readonly dateTime: (instant: string) => string;
};

/** For an unknown organisation: the default formats, in UTC. */
export function wordingFor(country: string | undefined): Wording {
  const clock = clockOf(country);
  return {
    money: (minor, currency) => amountText(BigInt(minor), currency, country ?? 'GB'),
    dateTime: (instant) => clock(new Date(instant)),
  };
}
