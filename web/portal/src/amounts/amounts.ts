/** Formats amounts and figures for pages, and reads the balance. */

import type { BalanceReply } from '@offer-ads/contracts/internal/billing-api';
import { amountText } from '@offer-ads/contracts/values/amount-text';
import { usePortal, useRead } from '../session.ts';
import { type Figures, figuresOf } from './figures.ts';

/** Uses the number format of the organisation's country: `amount('12000')` is "GBP 120.00". */
export function useAmounts(): (minor: bigint | string, currency?: string) => string {
  const { country, currency: own } = usePortal().session.organisation;
  return (minor, currency = own) => amountText(BigInt(minor), currency, country);
}

/** Uses the same number format, so that a line has only one. */
export function useFigures(): Figures {
  return figuresOf(usePortal().session.organisation.country);
}

/** The balance of the organisation in this mode; only for those who may see it. */
export function useBalance(o: { readonly everyMs?: number | false } = {}) {
  const { mode, scope, may } = usePortal();
  return useRead<BalanceReply>([...scope, 'balance'], `/${mode}/balance`, {
    enabled: may('billing'),
    refetchInterval: o.everyMs ?? false,
  });
}
