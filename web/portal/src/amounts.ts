/** Amounts as pages show and read them: exact minor units in, text out; never a fraction in between. */

import { amountText } from '@offer-ads/contracts/amount-text';
import type { BalanceReply } from '@offer-ads/contracts/billing-api';
import { formatMinor, parseAmount } from '@offer-ads/contracts/currencies';
import { divideHalfUp } from '@offer-ads/contracts/rounding';
import { useQuery } from '@tanstack/preact-query';
import { usePortal } from './session.ts';

/** With the figures of the organisation's country: `amount('12000')` is "GBP 120.00". */
export function useAmounts(): (minor: bigint | string, currency?: string) => string {
  const { country, currency: own } = usePortal().session.organisation;
  return (minor, currency = own) => amountText(BigInt(minor), currency, country);
}

/** What comes on top of a card payment (decision 13), to be said beforehand; what is charged is billing's own figure. */
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

/** For a field: "1250.50". */
export function fieldAmount(minor: bigint | string, currency: string): string {
  return formatMinor(BigInt(minor), currency);
}

/** Of the organisation in this mode; only an Admin is told. */
export function useBalance(o: { readonly everyMs?: number | false } = {}) {
  const { api, mode, scope, may } = usePortal();
  return useQuery<BalanceReply>({
    queryKey: [...scope, 'balance'],
    queryFn: ({ signal }) => api.read(`/${mode}/balance`, signal),
    enabled: may('billing'),
    refetchInterval: o.everyMs ?? false,
  });
}
