/** How amounts and instants read in a mail. */
import { formatMinor } from '@offer-ads/contracts/currencies';

/** `12.34 GBP`, as the payment page and the API's messages write it; the code, because many share a dollar sign. */
export function money(minor: string | bigint, currency: string): string {
  return `${formatMinor(BigInt(minor), currency)} ${currency}`;
}

const inUtc = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'UTC',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

/** `1 June 2026 at 12:00 UTC`: readers sit in many zones, so the zone is said. */
export function dateTime(instant: string): string {
  return `${inUtc.format(new Date(instant))} UTC`;
}
