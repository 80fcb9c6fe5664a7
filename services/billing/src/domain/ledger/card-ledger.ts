/** Ledger transactions of card payments other than single offers: groups, top-ups, and money that the provider takes back. */
import type { TransactionKind } from '@offer-ads/contracts/internal/billing-api';
import type { CardPayment } from '../payments/card-payment.ts';
import type { Reversal } from '../payments/reversal.ts';
import type { Bearer } from '../payments/settlement.ts';
import { type AccountKind, type Book, type LedgerTransaction, offerPaidByCard } from './ledger.ts';

/**
 * Of a group or a top-up the net goes to the balance, from which the offers of the group are then charged; VAT on top is owed to the tax
 * authority (decision 13, VAT).
 */
export function paidByCard(payment: CardPayment): LedgerTransaction {
  const { book, purchase, netMinor, vatMinor } = payment;
  if (purchase.kind === 'offer') return offerPaidByCard(book, purchase.id, payment);
  return {
    ...(purchase.kind === 'group'
      ? { cause: `group ${purchase.id} paid by card`, kind: 'group-card-payment' }
      : { cause: `card top-up ${purchase.id}`, kind: 'card-top-up' }),
    book,
    offerId: null,
    postings: [
      { amountMinor: netMinor, from: 'card-clearing', to: 'prepaid-balance' },
      { amountMinor: vatMinor, from: 'card-clearing', to: 'vat-payable' },
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
export function takenByProvider(facts: OfReversal): LedgerTransaction {
  const kind = facts.reversal.kind === 'refund' ? 'card-refund' : 'card-dispute';
  return moved(facts, 'taken', kind, 'card-reversals', 'card-clearing');
}

/** A refund that failed, or a dispute that was won. */
export function returnedByProvider(facts: OfReversal): LedgerTransaction {
  const kind = facts.reversal.kind === 'refund' ? 'card-refund-failed' : 'card-dispute-won';
  return moved(facts, 'returned', kind, 'card-clearing', 'card-reversals');
}

const bearers = { balance: 'prepaid-balance', platform: 'card-losses' } as const satisfies Record<
  Bearer,
  AccountKind
>;

/** A person has decided who bears the amount, so it leaves the separate account. Sales and VAT do not change. */
export function settled(facts: OfReversal, borneBy: Bearer): LedgerTransaction {
  return moved(facts, 'settled', 'card-settlement', bearers[borneBy], 'card-reversals');
}

/** The provider returned the money after a person had decided: the one who bore it gets it back. */
export function settlementReturned(facts: OfReversal, borneBy: Bearer): LedgerTransaction {
  const what = 'settlement returned';
  return moved(facts, what, 'card-settlement-returned', 'card-reversals', bearers[borneBy]);
}

function moved(
  { book, offerId, reversal }: OfReversal,
  what: string,
  kind: TransactionKind,
  from: AccountKind,
  to: AccountKind,
): LedgerTransaction {
  const cause = `${reversal.kind} ${reversal.reversalId} ${what}`;
  return { cause, kind, book, offerId, postings: [{ amountMinor: reversal.amountMinor, from, to }] };
}
