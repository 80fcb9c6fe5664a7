/** Amounts that are typed, estimated and sent: exact minor units, never a fraction in between. */
import { formatMinor, minorUnitDigits, parseAmount } from '@offer-ads/contracts/values/currencies';
import { divideHalfUp } from '@offer-ads/contracts/values/rounding';

/**
 * What comes on top of a card payment (decision 13, VAT), to be said beforehand; what is charged is billing's own
 * figure.
 */
export function vatOnCard(netMinor: bigint, country: string): bigint {
  return country === 'GB' ? divideHalfUp(netMinor * 20n, 100n) : 0n;
}

/** An estimate's cost comes as a JSON number with two decimals; undefined when it is not of the currency. */
export function minorOf(cost: number, currency: string): bigint | undefined {
  return parseAmount(cost.toFixed(2), currency) ?? parseAmount(cost.toFixed(0), currency);
}

/** What somebody typed: "1,250.50" and "1250.5" alike; undefined when it is no amount above zero. */
export function typedAmount(text: string, currency: string): bigint | undefined {
  const minor = parseAmount(text.replace(/[\s,](?=\d{3}(?!\d))/g, '').trim(), currency);
  return minor !== undefined && minor > 0n ? minor : undefined;
}

/** What to write instead of what is none. */
export function amountFault(currency: string): string {
  const example = (995n * 10n ** BigInt(minorUnitDigits(currency))) / 10n;
  return `Write an amount such as ${formatMinor(example, currency)}.`;
}

/** For a field: "1250.50". */
export function fieldAmount(minor: bigint | string, currency: string): string {
  return formatMinor(BigInt(minor), currency);
}
