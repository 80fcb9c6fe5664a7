/** What the statement shows. It is part of the page's address, so that a view can be bookmarked and shared. */
import type { TransactionKind } from '@offer-ads/contracts/internal/billing-api';
import type { Month } from '../../../../ui/periods.ts';
import { queryOf } from '../../../../ui/query-of.ts';

type Choice = { readonly title: string; readonly kinds: readonly TransactionKind[] };

/** A booking may be in several: an offer that was paid by card is both. */
export const choices = {
  'top-ups': { title: 'Top-ups', kinds: ['card-top-up', 'platform-top-up', 'play-money'] },
  offers: { title: 'Offers', kinds: ['offer-charge', 'offer-card-payment'] },
  credits: { title: 'Credits', kinds: ['unused-time-credit'] },
  card: { title: 'Payments by card', kinds: ['offer-card-payment', 'group-card-payment', 'card-top-up'] },
  returns: {
    title: 'Refunds and disputes',
    kinds: [
      'card-refund',
      'card-refund-failed',
      'card-dispute',
      'card-dispute-won',
      'card-settlement',
      'card-settlement-returned',
    ],
  },
} as const satisfies Readonly<Record<string, Choice>>;
export type Show = keyof typeof choices;

export type StatementFilter = { readonly show: Show | null; readonly month: Month | null };

/** Ignores what is not known. */
export function statementFilterOf(
  { show, month }: Readonly<Record<string, string>>,
  months: readonly Month[],
): StatementFilter {
  return {
    show: show !== undefined && Object.hasOwn(choices, show) ? (show as Show) : null,
    month: months.find((one) => one.name === month) ?? null,
  };
}

/** `?show=credits&month=2026-10`; '' when everything is shown. */
export function addressOf({ show, month }: StatementFilter): string {
  return queryOf({ show, month: month?.name ?? null });
}

/** For the API. */
export function parametersOf({ show, month }: StatementFilter) {
  return {
    kinds: show && choices[show].kinds.join(),
    from: month?.from.toISOString() ?? null,
    to: month?.to.toISOString() ?? null,
  };
}
