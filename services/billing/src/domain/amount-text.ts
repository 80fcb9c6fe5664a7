/** Amounts, days and countries as documents write them: in English, with the habits of the reader's country. */
import { formatMinor, minorUnitDigits } from '@offer-ads/contracts/currencies';

/**
 * Exact for any amount, because the text of the minor units is formatted and no number in between. The currency is named by its
 * code: a dozen of them call themselves dollar, peso or krone.
 */
export function amountText(minor: bigint, currency: string, country: string): string {
  const digits = minorUnitDigits(currency);
  const format = new Intl.NumberFormat(localeOf(country), {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
    numberingSystem: 'latn',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return format.format(formatMinor(minor, currency) as Intl.StringNumericLiteral);
}

const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

export function dayText(instant: Date): string {
  return days.format(instant);
}

const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });

export function countryText(country: string): string {
  return isCountry(country) ? (countries.of(country) ?? country) : country;
}

function localeOf(country: string): string {
  return isCountry(country) ? `en-${country}` : 'en-GB';
}

function isCountry(country: string): boolean {
  return /^[A-Z]{2}$/.test(country);
}
