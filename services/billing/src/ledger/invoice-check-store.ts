/** What `ledger check` compares of invoices. That each card payment has one is checked with the payment's transaction. */
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

export const invoiceChecks = [numbersCheck('TEST'), numbersCheck('LIVE')];
