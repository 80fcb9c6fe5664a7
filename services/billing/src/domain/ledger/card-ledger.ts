/** What card payments beside those of offers do to the ledger: top-ups, and money that the provider takes back. */

import type { Reversal } from '../payments/reversal.ts';
import type { Bearer } from '../payments/settlement.ts';
import type { AccountKind, Book, LedgerTransaction } from './ledger.ts';

/** The net goes to the balance, VAT on top is owed (decision 13). */
export function toppedUpByCard(
  book: Book,
  topUpId: number,
  paid: { readonly netMinor: bigint; readonly vatMinor: bigint },
): LedgerTransaction {
  return {
    cause: `card top-up ${topUpId}`,
    kind: 'card-top-up',
    book,
    offerId: null,
    postings: [
      { amountMinor: paid.netMinor, from: 'card-clearing', to: 'prepaid-balance' },
      { amountMinor: paid.vatMinor, from: 'card-clearing', to: 'vat-payable' },
    ],
  };
}

export type OfReversal = {
  readonly book: Book;
  readonly offerId: number | null;
  readonly reversal: Pick<Reversal, 'reversalId' | 'kind' | 'amountMinor'>;
};

/**
 * The provider owes that much less. It stands in an account of its own until a person has decided who bears it: neither
 * the balance nor sales nor VAT change by themselves.
 */
export function takenByProvider({ book, offerId, reversal }: OfReversal): LedgerTransaction {
  return {
    cause: `${reversal.kind} ${reversal.reversalId} taken`,
    kind: reversal.kind === 'refund' ? 'card-refund' : 'card-dispute',
    book,
    offerId,
    postings: [{ amountMinor: reversal.amountMinor, from: 'card-reversals', to: 'card-clearing' }],
  };
}

/** A refund that failed, or a dispute that was won. */
export function returnedByProvider({ book, offerId, reversal }: OfReversal): LedgerTransaction {
  return {
    cause: `${reversal.kind} ${reversal.reversalId} returned`,
    kind: reversal.kind === 'refund' ? 'card-refund-failed' : 'card-dispute-won',
    book,
    offerId,
    postings: [{ amountMinor: reversal.amountMinor, from: 'card-clearing', to: 'card-reversals' }],
  };
}

const bearers = { balance: 'prepaid-balance', platform: 'card-losses' } as const satisfies Record<
  Bearer,
  AccountKind
>;

/** A person has decided who bears it: then it stands nowhere any more. Sales and VAT stay what they are. */
export function settled({ book, offerId, reversal }: OfReversal, borneBy: Bearer): LedgerTransaction {
  return {
    cause: `${reversal.kind} ${reversal.reversalId} settled`,
    kind: 'card-settlement',
    book,
    offerId,
    postings: [{ amountMinor: reversal.amountMinor, from: bearers[borneBy], to: 'card-reversals' }],
  };
}

/** The provider returned it after that: whoever bore it has it back. */
export function settlementReturned(
  { book, offerId, reversal }: OfReversal,
  borneBy: Bearer,
): LedgerTransaction {
  return {
    cause: `${reversal.kind} ${reversal.reversalId} settlement returned`,
    kind: 'card-settlement-returned',
    book,
    offerId,
    postings: [{ amountMinor: reversal.amountMinor, from: 'card-reversals', to: bearers[borneBy] }],
  };
}
