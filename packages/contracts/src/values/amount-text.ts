/** Formats amounts and countries for invoices, mails and the portal: words in English, numbers as usual in the reader's country. */

import { formatMinor, minorUnitDigits } from './currencies.ts';
import { lazily } from './lazily.ts';

/**
 * Exact for any amount, because it formats the decimal text and uses no floating-point number. The currency is shown by its code, because
 * many currencies are called dollar, peso or krone.
 * @param country the reader's, by its two letters; any other text gets the number format of the United Kingdom
 */
export function amountText(minor: bigint, currency: string, country: string): string {
  const text = formatFor(currency, country).format(formatMinor(minor, currency) as Intl.StringNumericLiteral);
  return text.replace(directionMarks, '');
}

/** The character between thousands in amounts of the country; '' if there is none. */
export function thousandsSeparator(currency: string, country: string): string {
  return (
    formatFor(currency, country)
      .formatToParts(1_234_567)
      .find(({ type }) => type === 'group')
      ?.value.replace(directionMarks, '') ?? ''
  );
}

/** How people write a currency: its code and its signs, in the country and in English. In lower case, the longest first. */
export function currencySigns(currency: string, country: string): readonly string[] {
  const signs = ['en-GB', localeOf(country)].flatMap((locale) =>
    (['symbol', 'narrowSymbol'] as const).map((currencyDisplay) =>
      new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay })
        .formatToParts(1)
        .filter(({ type }) => type === 'currency')
        .map(({ value }) => value.replace(directionMarks, '').trim().toLowerCase())
        .join(''),
    ),
  );
  return [...new Set([currency.toLowerCase(), ...signs])]
    .filter((sign) => sign !== '')
    .toSorted((a, b) => b.length - a.length);
}

/** A cache: creating a format takes a hundred times as long as using it. */
const formats = new Map<string, Intl.NumberFormat>();
/** Enough for all countries and currencies in use. A full cache is emptied. */
const maxFormats = 300;

function formatFor(currency: string, country: string): Intl.NumberFormat {
  const known = formats.get(country + currency);
  if (known !== undefined) return known;
  const digits = minorUnitDigits(currency);
  const format = new Intl.NumberFormat(localeOf(country), {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
    numberingSystem: 'latn',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  if (formats.size >= maxFormats) formats.clear();
  formats.set(country + currency, format);
  return format;
}

/** Invisible characters that some languages add to numbers, for text from right to left. */
export const directionMarks = /[\u061c\u200e\u200f]/g;

const countries = lazily(() => new Intl.DisplayNames('en', { type: 'region', fallback: 'code' }));

export function countryText(country: string): string {
  return isCountryCode(country) ? (countries().of(country) ?? country) : country;
}

/**
 * The locale of the country's most used language, because that locale has the country's number format. Unicode's `en-DE` writes numbers as
 * in England.
 */
export function localeOf(country: string): string {
  if (!isCountryCode(country)) return 'en-GB';
  // Without the script (such as Latin or Cyrillic): number formats are found by language and country only.
  return `${new Intl.Locale(`und-${country}`).maximize().language}-${country}`;
}

function isCountryCode(country: string): boolean {
  return /^[A-Z]{2}$/.test(country);
}
