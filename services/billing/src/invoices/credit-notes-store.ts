/** Credit notes in Postgres. Documents read them with their invoices (invoices-store.ts). */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import type { IssuedCreditNote, NewCreditNote } from '../domain/invoices/credit-note.ts';

type DueCreditNote = NewCreditNote & {
  readonly mode: Mode;
  /** The cause of the invoice. */
  readonly invoiceCause: string;
  readonly issuedAt: Date;
};

/** The credit note is issued in the commit: the trigger `number_credit_note` gives it the next number. */
export async function insertDueCreditNote(tx: Transaction, note: DueCreditNote): Promise<void> {
  await tx.query(
    `INSERT INTO due_credit_notes (cause, mode, invoice_cause, cancels, net_minor, vat_minor, issued_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [note.cause, note.mode, note.invoiceCause, note.cancels, note.netMinor, note.vatMinor, note.issuedAt],
  );
}

/** @param invoiceCause the cause of the invoice; none are found while it has not been issued */
export async function findCreditNotes(on: Queryable, invoiceCause: string): Promise<IssuedCreditNote[]> {
  return on.query(
    `SELECT n.sequence, n.cause, n.cancels, n.net_minor AS "netMinor", n.vat_minor AS "vatMinor"
       FROM invoices i JOIN credit_notes n ON n.mode = i.mode AND n.invoice = i.sequence
      WHERE i.cause = $1 ORDER BY n.sequence`,
    [invoiceCause],
  );
}
