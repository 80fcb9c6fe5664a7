/** Money that an organisation gives itself in TEST mode, to try everything without a card. In LIVE mode there is none. */
import { cardMaximumMinor, isBilledCurrency } from '@offer-ads/contracts/values/currencies';
import type { Book, LedgerTransaction } from './ledger.ts';

/** At once as much as a card could bring; together more than anybody tries out, and far from what figures can hold. */
export function mostPlayMoneyMinor(currency: string): bigint {
  return cardMaximumMinor(currency);
}
export function mostBalanceMinor(currency: string): bigint {
  return 100n * mostPlayMoneyMinor(currency);
}

export type PlayMoneyRefusal =
  | { readonly reason: 'not-test-mode' }
  | { readonly reason: 'currency-not-billed'; readonly currency: string }
  | { readonly reason: 'not-an-amount'; readonly mostMinor: bigint; readonly currency: string }
  | { readonly reason: 'balance-too-high'; readonly mostMinor: bigint; readonly currency: string };

/** Null when it may be added. */
export function playMoneyProblem(o: {
  readonly book: Book;
  readonly amountMinor: bigint;
  readonly balanceMinor: bigint;
}): PlayMoneyRefusal | null {
  const { mode, currency } = o.book;
  if (mode !== 'TEST') return { reason: 'not-test-mode' };
  if (!isBilledCurrency(currency)) return { reason: 'currency-not-billed', currency };
  if (o.amountMinor < 1n || o.amountMinor > mostPlayMoneyMinor(currency))
    return { reason: 'not-an-amount', mostMinor: mostPlayMoneyMinor(currency), currency };
  if (o.balanceMinor + o.amountMinor > mostBalanceMinor(currency))
    return { reason: 'balance-too-high', mostMinor: mostBalanceMinor(currency), currency };
  return null;
}

/** Once per key of the organisation. From a source of its own: no sale, no VAT, no payment. */
export function playMoneyAdded(book: Book, idempotencyKey: string, amountMinor: bigint): LedgerTransaction {
  if (book.mode !== 'TEST') throw new Error(`play money of organisation ${book.organisationId} in LIVE mode`);
  return {
    cause: `play money ${book.organisationId} ${idempotencyKey}`,
    kind: 'play-money',
    book,
    offerId: null,
    postings: [{ amountMinor, from: 'play-money', to: 'prepaid-balance' }],
  };
}
