/**
 * What `ledger check` compares of invoices and credit notes. That each card payment has an invoice is checked with the payment's
 * transaction, and that each refund has its credit note with the refund (card-check-store.ts).
 */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { RecordCheck } from './record-check.ts';

/** Finds gaps in the numbers, and invoices whose amount differs from the card payment in the ledger. */
const numbersCheck = (mode: Mode): RecordCheck => ({
  table: `(SELECT * FROM invoices WHERE mode = '${mode}') of_mode`,
  id: 'sequence',
  ofStep: `SELECT sequence FROM step JOIN invoices USING (cause) WHERE mode = '${mode}'`,
  problemsOf: (records) => `
  SELECT sequence AS place,
         CASE WHEN sequence <> coalesce(previous, 0) + 1
              THEN format('invoice %s of ${mode} mode follows %s', sequence, coalesce(previous, 0))
              WHEN net_minor + vat_minor <> booked
              THEN format('invoice %s of ${mode} mode is of %s, the ledger says %s', sequence, net_minor + vat_minor, booked) END AS problem
    FROM (${records}) i
    LEFT JOIN LATERAL (
      SELECT sequence AS previous FROM invoices WHERE mode = '${mode}' AND sequence < i.sequence ORDER BY sequence DESC LIMIT 1
    ) latest ON true
    CROSS JOIN LATERAL (
      SELECT -coalesce(sum(amount_minor), 0) AS booked
        FROM transactions t JOIN entries USING (transaction_id) JOIN accounts a USING (account_id)
       WHERE (t.cause, t.organisation_id, t.mode, t.currency) = (i.cause, i.organisation_id, i.mode, i.currency)
         AND a.kind = 'card-clearing'
    ) ledger`,
});

/**
 * Finds gaps in the numbers, credit notes whose amount differs from the refund in the ledger, and invoices of which more was credited than
 * they are of.
 */
const creditNotesCheck = (mode: Mode): RecordCheck => ({
  table: `(SELECT * FROM credit_notes WHERE mode = '${mode}') of_mode`,
  id: 'sequence',
  ofStep: `SELECT sequence FROM step JOIN credit_notes USING (cause) WHERE mode = '${mode}'`,
  problemsOf: (records) => `
  SELECT n.sequence AS place,
         CASE WHEN n.sequence <> coalesce(previous, 0) + 1
              THEN format('credit note %s of ${mode} mode follows %s', n.sequence, coalesce(previous, 0))
              WHEN n.net_minor + n.vat_minor <> booked
              THEN format('credit note %s of ${mode} mode is of %s, the ledger says %s', n.sequence, n.net_minor + n.vat_minor, booked)
              WHEN NOT (credited.net_minor BETWEEN 0 AND i.net_minor AND credited.vat_minor BETWEEN 0 AND i.vat_minor)
              THEN format('invoice %s of ${mode} mode is of %s and %s VAT, its credit notes are of %s and %s', i.sequence,
                          i.net_minor, i.vat_minor, credited.net_minor, credited.vat_minor) END AS problem
    FROM (${records}) n
    JOIN invoices i ON i.mode = '${mode}' AND i.sequence = n.invoice
    LEFT JOIN LATERAL (
      SELECT sequence AS previous FROM credit_notes WHERE mode = '${mode}' AND sequence < n.sequence ORDER BY sequence DESC LIMIT 1
    ) latest ON true
    CROSS JOIN LATERAL credited_of_invoice('${mode}', n.invoice) credited
    CROSS JOIN LATERAL (
      SELECT abs(coalesce(sum(amount_minor), 0)) AS booked
        FROM transactions t JOIN entries USING (transaction_id) JOIN accounts a USING (account_id)
       WHERE (t.cause, t.organisation_id, t.mode, t.currency) = (n.cause, i.organisation_id, i.mode, i.currency)
         AND t.kind = CASE WHEN n.cancels IS NULL THEN 'card-refund' ELSE 'card-refund-failed' END
         AND a.kind = 'card-reversals'
    ) ledger`,
});

export const invoiceChecks = (['TEST', 'LIVE'] as const).flatMap((mode) => [
  numbersCheck(mode),
  creditNotesCheck(mode),
]);
