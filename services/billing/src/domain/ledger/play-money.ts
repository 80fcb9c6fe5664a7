/** Play money: organisations can add it to their TEST balance to try the service without a card. LIVE mode has none. */
import { cardMaximumMinor, isBilledCurrency } from '@offer-ads/contracts/values/currencies';
import type { Book, LedgerTransaction } from './ledger.ts';

/** One addition is at most one card payment. The total is far more than tests need, and far below the largest number that the ledger can store. */
export function maxPlayMoneyMinor(currency: string): bigint {
  return cardMaximumMinor(currency);
}
export function maxBalanceMinor(currency: string): bigint {
  return 100n * maxPlayMoneyMinor(currency);
}

export type PlayMoneyRefusal =
  | { readonly reason: 'not-test-mode' }
  | { readonly reason: 'currency-not-billed'; readonly currency: string }
  | { readonly reason: 'not-an-amount'; readonly maxMinor: bigint; readonly currency: string }
  | { readonly reason: 'balance-too-high'; readonly maxMinor: bigint; readonly currency: string };

/** Null if the amount may be added. */
export function playMoneyProblem(o: {
  readonly book: Book;
  readonly amountMinor: bigint;
  readonly balanceMinor: bigint;
}): PlayMoneyRefusal | null {
  const { mode, currency } = o.book;
  if (mode !== 'TEST') return { reason: 'not-test-mode' };
  if (!isBilledCurrency(currency)) return { reason: 'currency-not-billed', currency };
  if (o.amountMinor < 1n || o.amountMinor > maxPlayMoneyMinor(currency))
    return { reason: 'not-an-amount', maxMinor: maxPlayMoneyMinor(currency), currency };
  if (o.balanceMinor + o.amountMinor > maxBalanceMinor(currency))
    return { reason: 'balance-too-high', maxMinor: maxBalanceMinor(currency), currency };
  return null;
}

/** Posted once per idempotency key. It comes from its own account, so it is neither a sale nor a payment and has no VAT. */
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
