/** Which credit notes the refunds of an invoiced card payment need, and how much VAT is in each (decision 259, credit notes). */
import { divideHalfUp } from '@offer-ads/contracts/values/rounding';
import { returnedByProvider, takenByProvider } from '../ledger/card-ledger.ts';
import type { Book } from '../ledger/ledger.ts';
import type { RecordedReversal } from '../payments/reversal.ts';

export type Amounts = { readonly netMinor: bigint; readonly vatMinor: bigint };

export type NewCreditNote = Amounts & {
  /** That of the ledger transaction in which the provider took the amount, or returned it. Each has at most one credit note. */
  readonly cause: string;
  /** The sequence of the credit note that this one cancels. */
  readonly cancels: bigint | null;
};
export type IssuedCreditNote = NewCreditNote & { readonly sequence: bigint };

/**
 * What is to be issued now: a credit note for each refund that succeeded, and a cancellation for each refund that failed after it had
 * one. A refund of more than what is left of the invoice waits: the failure of an earlier refund, which makes room, may be heard of later.
 * Disputes have none (decision 261, disputes and credit notes).
 * @param reversals all of the payment
 * @param issued all credit notes of its invoice
 */
export function creditNotesDue(
  payment: Amounts & { readonly book: Book },
  reversals: readonly RecordedReversal[],
  issued: readonly IssuedCreditNote[],
): NewCreditNote[] {
  const refunds = reversals.filter(({ kind }) => kind === 'refund');
  const isIssued = (cause: string) => issued.some((note) => note.cause === cause);
  const due: NewCreditNote[] = [];
  for (const reversal of refunds.filter(({ returnedPosted }) => returnedPosted)) {
    const { taken, returned: cause } = causesOf(payment, reversal);
    const note = issued.find((one) => one.cause === taken);
    if (note === undefined || isIssued(cause)) continue;
    due.push({ cause, cancels: note.sequence, netMinor: note.netMinor, vatMinor: note.vatMinor });
  }
  for (const reversal of refunds.filter(isFinal)) {
    const { amountMinor } = reversal;
    const { taken: cause } = causesOf(payment, reversal);
    const credited = creditedBy([...issued, ...due]);
    const isTooMuch = amountMinor > grossOf(payment) - grossOf(credited);
    if (isIssued(cause) || isTooMuch) continue;
    const vatMinor = vatCredited(payment, credited, amountMinor);
    due.push({ cause, cancels: null, netMinor: amountMinor - vatMinor, vatMinor });
  }
  return due;
}

function isFinal({ succeeded, returned, takenPosted, amountMinor }: RecordedReversal): boolean {
  return succeeded && !returned && takenPosted && amountMinor > 0n;
}

function causesOf({ book }: { readonly book: Book }, reversal: RecordedReversal) {
  const facts = { book, offerId: null, reversal };
  return { taken: takenByProvider(facts).cause, returned: returnedByProvider(facts).cause };
}

/** What credit notes credit together. One that cancels another takes its amounts away again. */
export function creditedBy(notes: readonly NewCreditNote[]): Amounts {
  const signed = ({ cancels }: NewCreditNote, minor: bigint) => (cancels === null ? minor : -minor);
  return {
    netMinor: notes.reduce((sum, note) => sum + signed(note, note.netMinor), 0n),
    vatMinor: notes.reduce((sum, note) => sum + signed(note, note.vatMinor), 0n),
  };
}

function grossOf({ netMinor, vatMinor }: Amounts): bigint {
  return netMinor + vatMinor;
}

/**
 * The VAT in a refund of `amountMinor`. Together with what was credited before, it is the refunded share of the invoice's VAT, rounded half
 * up to a minor unit. So the credit notes of a whole refund have exactly the invoice's net and VAT, in however many parts it came. After a
 * cancellation the share may be a minor unit away from what is left: neither net nor VAT is credited below zero or beyond the invoice.
 */
export function vatCredited(invoiced: Amounts, credited: Amounts, amountMinor: bigint): bigint {
  const refundedMinor = grossOf(credited) + amountMinor;
  const vatMinor = divideHalfUp(invoiced.vatMinor * refundedMinor, grossOf(invoiced)) - credited.vatMinor;
  const netLeft = invoiced.netMinor - credited.netMinor;
  const vatLeft = invoiced.vatMinor - credited.vatMinor;
  const least = amountMinor > netLeft ? amountMinor - netLeft : 0n;
  const most = amountMinor < vatLeft ? amountMinor : vatLeft;
  if (vatMinor < least) return least;
  return vatMinor > most ? most : vatMinor;
}
