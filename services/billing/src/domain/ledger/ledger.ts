/**
 * The ledger's vocabulary. A transaction is a list of postings, each an amount that goes from one account to another,
 * so it sums to zero by construction; the database checks it again. Amounts are credit-positive: a prepaid balance
 * above zero is what the organisation may spend, card clearing below zero is what the card provider owes.
 */
import type { TransactionKind } from '@offer-ads/contracts/internal/billing-api';
import type { Mode } from '@offer-ads/contracts/values/primitives';

/** Accounts of one organisation, mode and currency. */
export const accountKinds = [
  'prepaid-balance',
  'sales',
  'vat-payable',
  'card-clearing',
  'unused-time-credits',
  'top-up-source',
  'card-reversals',
  'card-losses',
  'play-money',
] as const;
export type AccountKind = (typeof accountKinds)[number];

/** The accounts of a book in that mode: only TEST has an account for play money. */
export function accountKindsIn(mode: Mode): readonly AccountKind[] {
  return mode === 'TEST' ? accountKinds : accountKinds.filter((kind) => kind !== 'play-money');
}

/** The owner of a set of accounts. Money never moves from one book to another. */
export type Book = { readonly organisationId: number; readonly mode: Mode; readonly currency: string };

export function isSameBook(one: Book, other: Book): boolean {
  return (
    one.organisationId === other.organisationId && one.mode === other.mode && one.currency === other.currency
  );
}

export type Posting = { readonly amountMinor: bigint; readonly from: AccountKind; readonly to: AccountKind };

export type LedgerTransaction = {
  /** The event that caused the transaction. It is unique over all transactions, so nothing is posted twice. */
  readonly cause: string;
  /** The kind shown on statements. */
  readonly kind: TransactionKind;
  readonly book: Book;
  readonly offerId: number | null;
  readonly postings: readonly Posting[];
};

/** By how much a transaction changes one account. */
export type Entry = { readonly account: AccountKind; readonly amountMinor: bigint };

/** Payment method `B`: the price leaves the balance at once; no VAT is added (price rule 6). */
export function offerCharged(book: Book, offerId: number, netMinor: bigint): LedgerTransaction {
  return {
    cause: `offer ${offerId} charged`,
    kind: 'offer-charge',
    book,
    offerId,
    postings: [{ amountMinor: netMinor, from: 'prepaid-balance', to: 'sales' }],
  };
}

/** Payment method `E`: the card provider has collected the price and, for UK organisations, VAT on top. */
export function offerPaidByCard(
  book: Book,
  offerId: number,
  paid: { readonly netMinor: bigint; readonly vatMinor: bigint },
): LedgerTransaction {
  return {
    cause: `offer ${offerId} paid by card`,
    kind: 'offer-card-payment',
    book,
    offerId,
    postings: [
      { amountMinor: paid.netMinor, from: 'card-clearing', to: 'sales' },
      { amountMinor: paid.vatMinor, from: 'card-clearing', to: 'vat-payable' },
    ],
  };
}

/**
 * Unused Time goes back to the balance, net (price rule 7). The cause contains the sum credited so far. That sum only grows, so one credit cannot be
 * posted twice.
 */
export function unusedTimeCredited(
  book: Book,
  offerId: number,
  credit: { readonly amountMinor: bigint; readonly creditedSoFarMinor: bigint },
): LedgerTransaction {
  return {
    cause: `offer ${offerId} credited up to ${credit.creditedSoFarMinor}`,
    kind: 'unused-time-credit',
    book,
    offerId,
    postings: [{ amountMinor: credit.amountMinor, from: 'unused-time-credits', to: 'prepaid-balance' }],
  };
}

/** Prepaid balance added by the platform team. `reference` names the payment that was received for it. */
export function balanceToppedUp(book: Book, reference: string, amountMinor: bigint): LedgerTransaction {
  return {
    cause: `top-up ${reference}`,
    kind: 'platform-top-up',
    book,
    offerId: null,
    postings: [{ amountMinor, from: 'top-up-source', to: 'prepaid-balance' }],
  };
}

/** One entry per changed account. A posting of 0, such as VAT outside the UK, makes no entry. */
export function entriesOf(transaction: LedgerTransaction): Entry[] {
  const changes = new Map<AccountKind, bigint>();
  const change = (account: AccountKind, by: bigint) =>
    changes.set(account, (changes.get(account) ?? 0n) + by);
  for (const { amountMinor, from, to } of transaction.postings) {
    if (amountMinor < 0n)
      throw new RangeError(`${transaction.cause}: a posting of ${amountMinor} is negative`);
    change(from, -amountMinor);
    change(to, amountMinor);
  }
  return [...changes]
    .filter(([, amountMinor]) => amountMinor !== 0n)
    .map(([account, amountMinor]) => ({ account, amountMinor }));
}

/** By how much the transaction changes the prepaid balance. */
export function balanceChange(transaction: LedgerTransaction): bigint {
  return entriesOf(transaction).find(({ account }) => account === 'prepaid-balance')?.amountMinor ?? 0n;
}

/** False for a price that rounds to 0.00, which is allowed and is not posted (decision 18a, forms and formats). */
export function movesMoney(transaction: LedgerTransaction): boolean {
  return entriesOf(transaction).length > 0;
}
