/** Amounts, days and countries as invoices and mails write them: words in English, figures with the habits of the reader's country. */
import { formatMinor, minorUnitDigits } from './currencies.ts';

/**
 * Exact for any amount, because the text of the minor units is formatted and no number in between. The currency is named by its
 * code: a dozen of them call themselves dollar, peso or krone.
 */
export function amountText(minor: bigint, currency: string, country: string): string {
  const text = formatFor(currency, country).format(formatMinor(minor, currency) as Intl.StringNumericLiteral);
  return text.replace(marksOfDirection, '');
}

/** Making one takes a hundred times as long as using it. */
const formats = new Map<string, Intl.NumberFormat>();
/** Of the countries and currencies that organisations have; beyond that the memory begins anew. */
const mostFormats = 300;

function formatFor(currency: string, country: string): Intl.NumberFormat {
  const known = formats.get(country + currency);
  if (known !== undefined) return known;
  const digits = minorUnitDigits(currency);
  const format = new Intl.NumberFormat(figuresOf(country), {
    style: 'currency',
    currency,
    currencyDisplay: 'code',
    numberingSystem: 'latn',
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  if (formats.size >= mostFormats) formats.clear();
  formats.set(country + currency, format);
  return format;
}

/** Some languages set them beside figures, for texts that run from right to left. */
const marksOfDirection = /[\u061c\u200e\u200f]/g;

const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

export function dayText(instant: Date): string {
  return days.format(instant);
}

const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'code' });

export function countryText(country: string): string {
  return isCountry(country) ? (countries.of(country) ?? country) : country;
}

/**
 * The country's most used language, because that has its figures: what Unicode knows as the English of Germany writes them as in
 * England.
 */
function figuresOf(country: string): string {
  if (!isCountry(country)) return 'en-GB';
  // Without the script that goes with it: a country's own figures are found under language and country alone.
  return `${new Intl.Locale(`und-${country}`).maximize().language}-${country}`;
}

function isCountry(country: string): boolean {
  return /^[A-Z]{2}$/.test(country);
}
