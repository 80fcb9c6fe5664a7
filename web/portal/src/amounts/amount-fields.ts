/** Converts amounts between texts and exact minor units, without floating-point numbers. */
import { amountText, currencySigns, thousandsSeparator } from '@offer-ads/contracts/values/amount-text';
import { minorUnitDigits, parseAmount } from '@offer-ads/contracts/values/currencies';
import { divideHalfUp } from '@offer-ads/contracts/values/rounding';

/** Whether VAT is added to card payments (decision 13, VAT). */
export function hasVatOnCard(country: string): boolean {
  return country === 'GB';
}

/** The VAT of a card payment, shown before the payment. Billing computes the charged amount itself. */
export function vatOnCard(netMinor: bigint, country: string): bigint {
  return hasVatOnCard(country) ? divideHalfUp(netMinor * 20n, 100n) : 0n;
}

/** Converts an estimate's cost, a JSON number; undefined when it has more decimals than the currency. */
export function minorOf(cost: number, currency: string): bigint | undefined {
  return parseAmount(cost.toFixed(2), currency) ?? parseAmount(cost.toFixed(0), currency);
}

/** How amounts of an account are written: its currency, and the country whose number format its pages have. */
export type AmountFormat = { readonly currency: string; readonly country: string };

export type TypedAmount =
  | { readonly ok: true; readonly minor: bigint }
  | { readonly ok: false; readonly fault: string };

/**
 * Reads a typed amount above zero: "1,250.50", "1.250,5", "1 250", "£50" or "50 EUR". One comma or point before exactly three digits
 * ("1,000") separates thousands if it does so in the account's format. Otherwise the text is not clear, and it is refused.
 */
export function readAmount(text: string, format: AmountFormat): TypedAmount {
  const { currency, country } = format;
  const figures = withoutSign(text, format);
  const parts = partsOf(figures);
  if (parts === null) return { ok: false, fault: amountFault(format) };
  const isOwnSeparator = parts.separator === thousandsSeparator(currency, country);
  if (parts.isUnclear && !isOwnSeparator) return { ok: false, fault: unclearFault(figures, parts, format) };
  const minor = parseAmount(
    parts.fraction === '' ? parts.whole : `${parts.whole}.${parts.fraction}`,
    currency,
  );
  return minor !== undefined && minor > 0n ? { ok: true, minor } : { ok: false, fault: amountFault(format) };
}

/** Undefined unless the text is an amount above zero. */
export function typedAmount(text: string, format: AmountFormat): bigint | undefined {
  const read = readAmount(text, format);
  return read.ok ? read.minor : undefined;
}

/** The message for a text that is no amount. */
function amountFault(format: AmountFormat): string {
  return `Enter an amount such as ${exampleOf(format)}.`;
}

function unclearFault(figures: string, { whole }: Parts, format: AmountFormat): string {
  const { currency, country } = format;
  const thousands = amountText(BigInt(whole) * 10n ** BigInt(minorUnitDigits(currency)), currency, country);
  return `“${figures}” is not clear. Write ${whole} for ${thousands}; otherwise write decimals as in ${exampleOf(format)}.`;
}

/** "GBP 99.50" */
function exampleOf({ currency, country }: AmountFormat): string {
  return amountText((995n * 10n ** BigInt(minorUnitDigits(currency))) / 10n, currency, country);
}

/** The text without blanks around it, and without one code or sign of the account's currency. */
function withoutSign(text: string, { currency, country }: AmountFormat): string {
  const trimmed = text.trim();
  const lower = trimmed.toLowerCase();
  for (const sign of currencySigns(currency, country)) {
    if (lower.startsWith(sign)) return trimmed.slice(sign.length).trim();
    if (lower.endsWith(sign)) return trimmed.slice(0, -sign.length).trim();
  }
  return trimmed;
}

type Parts = {
  readonly whole: string;
  readonly fraction: string;
  readonly separator: string;
  /** One comma or point before three digits: for some readers it separates thousands, for others decimals. */
  readonly isUnclear: boolean;
};

/** Separators of thousands. India puts one after each two digits, except before the last three. */
const grouped =
  /^([1-9]\d{0,2}(?:([.,'’\s])\d{3})(?:\2\d{3})*|[1-9]\d?(?:([.,'’\s])\d{2})(?:\3\d{2})*\3\d{3})(?:([.,])(\d+))?$/;
const plain = /^(\d+)(?:[.,](\d+))?$/;

function partsOf(figures: string): Parts | null {
  const [, amount, three, two, decimal, cents = ''] = grouped.exec(figures) ?? [];
  const separator = three ?? two;
  if (amount !== undefined && separator !== undefined && decimal !== separator) {
    const isUnclear = /^\d{1,3}[.,]\d{3}$/.test(figures);
    return { whole: amount.replaceAll(separator, ''), fraction: cents, separator, isUnclear };
  }
  const [, whole, fraction = ''] = plain.exec(figures) ?? [];
  return whole === undefined ? null : { whole, fraction, separator: '', isUnclear: false };
}

/** For a field, in the account's format without its currency: "1,250.50". */
export function fieldAmount(minor: bigint | string, format: AmountFormat): string {
  return withoutSign(amountText(BigInt(minor), format.currency, format.country), format);
}
