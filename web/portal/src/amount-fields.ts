/** Converts amounts between texts and exact minor units, without floating-point numbers. */
import { formatMinor, minorUnitDigits, parseAmount } from '@offer-ads/contracts/values/currencies';
import { divideHalfUp } from '@offer-ads/contracts/values/rounding';

/**
 * The VAT of a card payment (decision 13, VAT), shown before the payment. Billing computes the charged amount itself.
 */
export function vatOnCard(netMinor: bigint, country: string): bigint {
  return country === 'GB' ? divideHalfUp(netMinor * 20n, 100n) : 0n;
}

/** Converts an estimate's cost, a JSON number; undefined when it has more decimals than the currency. */
export function minorOf(cost: number, currency: string): bigint | undefined {
  return parseAmount(cost.toFixed(2), currency) ?? parseAmount(cost.toFixed(0), currency);
}

/** Parses a typed amount: "1,250.50" or "1250.5"; undefined unless it is an amount above zero. */
export function typedAmount(text: string, currency: string): bigint | undefined {
  const minor = parseAmount(text.replace(/[\s,](?=\d{3}(?!\d))/g, '').trim(), currency);
  return minor !== undefined && minor > 0n ? minor : undefined;
}

/** The message for an invalid amount. */
export function amountFault(currency: string): string {
  const example = (995n * 10n ** BigInt(minorUnitDigits(currency))) / 10n;
  return `Enter an amount such as ${formatMinor(example, currency)}.`;
}

/** For a field: "1250.50". */
export function fieldAmount(minor: bigint | string, currency: string): string {
  return formatMinor(BigInt(minor), currency);
}
