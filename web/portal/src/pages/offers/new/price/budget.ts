/** A budget: how long an offer runs for it at the price of its estimate, and the fault of an offer that costs more. */
import type { EstimateReply } from '@offer-ads/contracts/public/api';
import { amountText } from '@offer-ads/contracts/values/amount-text';
import { minorUnitDigits } from '@offer-ads/contracts/values/currencies';
import { type AmountFormat, readAmount } from '../../../../amounts/amount-fields.ts';

type Priced = Pick<EstimateReply, 'matching_users' | 'ad_unit_price' | 'currency'>;

/** An estimate shows the price of an Ad Unit with 6 decimals, and the service calculates with 8. */
const SCALE = 100_000_000n;
const MOST_ROUNDED_OFF = 50n;

/** Longer offers are no answer to a budget: their price would change with the members meanwhile. */
export const MAX_DAYS = 365;

/**
 * Whole minutes for which the amount pays, never more (specification, Price rules 1 and 2): 0 if it pays for less than a minute. Null if
 * there is no price, or nobody to pay for.
 */
export function minutesFor(budgetMinor: bigint, o: Priced): number | null {
  const { matching_users: members, ad_unit_price: price, currency } = o;
  if (price === null || members <= 0) return null;
  const dearest = BigInt(Math.round(price * 1_000_000)) * 100n + MOST_ROUNDED_OFF;
  const minorPerHour = BigInt(members) * dearest * 10n ** BigInt(minorUnitDigits(currency));
  const minutes = (budgetMinor * 60n * SCALE) / minorPerHour;
  const most = BigInt(MAX_DAYS * 24 * 60);
  return Number(minutes < most ? minutes : most);
}

/**
 * Undefined if the budget is empty, or is an amount that pays for the offer.
 * @param costMinor without VAT; null while it is not known
 */
export function budgetFault(
  budget: string,
  costMinor: bigint | null,
  format: AmountFormat,
): string | undefined {
  if (budget.trim() === '') return undefined;
  const read = readAmount(budget, format);
  if (!read.ok) return read.fault;
  if (costMinor === null || costMinor <= read.minor) return undefined;
  const text = (minor: bigint) => amountText(minor, format.currency, format.country);
  return `This offer costs ${text(costMinor)}, more than your budget of ${text(read.minor)}. Use the end that it pays for, or clear the budget.`;
}

/** "3 days and 4 hours" */
export function lengthText(minutes: number): string {
  const parts: readonly [number, string][] = [
    [Math.floor(minutes / 1_440), 'day'],
    [Math.floor((minutes % 1_440) / 60), 'hour'],
    [minutes % 60, 'minute'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return '0 minutes';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`)
    .join(' and ');
}
