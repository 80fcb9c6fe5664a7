/** Ledger transactions of card payments other than offers: top-ups, and money that the provider takes back. */

import type { Reversal } from '../payments/reversal.ts';
import type { Bearer } from '../payments/settlement.ts';
import type { AccountKind, Book, LedgerTransaction } from './ledger.ts';

/** The net goes to the balance; VAT on top is owed to the tax authority (decision 13). */
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
 * The provider owes us that much less. The amount stays in a separate account until a person decides who bears it. The balance, sales and VAT do not
 * change.
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

/** A person has decided who bears the amount, so it leaves the separate account. Sales and VAT do not change. */
export function settled({ book, offerId, reversal }: OfReversal, borneBy: Bearer): LedgerTransaction {
  return {
    cause: `${reversal.kind} ${reversal.reversalId} settled`,
    kind: 'card-settlement',
    book,
    offerId,
    postings: [{ amountMinor: reversal.amountMinor, from: bearers[borneBy], to: 'card-reversals' }],
  };
}

/** The provider returned the money after a person had decided: the one who bore it gets it back. */
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
