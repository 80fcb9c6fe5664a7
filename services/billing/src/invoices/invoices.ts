/**
 * Every card payment gets its invoice in the transaction that posts it, and every refund of it its credit note: one per cause, numbered
 * without gaps.
 */
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Billing } from '../billing.ts';
import { creditNotesDue } from '../domain/invoices/credit-note.ts';
import type { Invoiced, Seller } from '../domain/invoices/invoice.ts';
import { paidByCard } from '../domain/ledger/card-ledger.ts';
import type { CardPayment } from '../domain/payments/card-payment.ts';
import { lockReversalsOf } from '../reversals/reversals-store.ts';
import { findCreditNotes, insertDueCreditNote } from './credit-notes-store.ts';
import { fillInBuyers, insertDueInvoice } from './invoices-store.ts';

/** `cause`: that of the ledger transaction. */
export type DueInvoice = Invoiced & { readonly cause: string };

/** The invoice gets its number in the commit of `tx`. A cause that has its invoice keeps it, and gets no second one. */
export function issueInvoice(
  tx: Transaction,
  o: DueInvoice & { readonly seller: Seller; readonly now: Date },
): void {
  insertDueInvoice(tx, { ...o, issuedAt: o.now });
}

/**
 * Credit notes get their numbers in the commit of `tx` too. Call with the lock of the payment's intent, after its reversals are posted, and
 * after `issueInvoice` if the same transaction issues the invoice: numbers are given in the order of these calls.
 */
export async function issueCreditNotes(
  tx: Transaction,
  payment: CardPayment,
  paymentIntentId: string,
  now: Date,
): Promise<void> {
  const invoiceCause = paidByCard(payment).cause;
  const [reversals, issued] = await Promise.all([
    lockReversalsOf(tx, payment.book.mode, paymentIntentId),
    findCreditNotes(tx, invoiceCause),
  ]);
  for (const note of creditNotesDue(payment, reversals, issued))
    insertDueCreditNote(tx, { ...note, mode: payment.book.mode, invoiceCause, issuedAt: now });
}

/** A payment does not wait for the event with its organisation's facts: the invoice gets name, country and billing details afterwards. */
export async function nameBuyers({ postgres, logger }: Pick<Billing, 'postgres' | 'logger'>): Promise<void> {
  const named = await fillInBuyers(postgres);
  if (named > 0) logger.info({ named }, 'invoices got the names of their organisations');
}
