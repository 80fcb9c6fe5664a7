/** What `ledger check` asks of invoices, in the order of a table's ids after $1, $2 at a time; `problem` is null where nothing is wrong. */
import type { Mode } from '@offer-ads/contracts/primitives';

/** Numbers without gaps, and each invoice of what the ledger says that was paid by card. */
const numbersQuestion = (mode: Mode) => `
  SELECT sequence AS place,
         CASE WHEN sequence <> coalesce(previous, $1) + 1
              THEN format('invoice %s of ${mode} mode follows %s', sequence, coalesce(previous, $1))
              WHEN stated <> booked
              THEN format('invoice %s of ${mode} mode is of %s, the ledger says %s', sequence, stated, booked) END AS problem
    FROM (
      SELECT *, net_minor + vat_minor AS stated, lag(sequence) OVER (ORDER BY sequence) AS previous
        FROM invoices WHERE mode = '${mode}' AND sequence > $1 ORDER BY sequence LIMIT $2
    ) i
    CROSS JOIN LATERAL (
      SELECT -coalesce(sum(amount_minor), 0) AS booked
        FROM transactions t JOIN entries USING (transaction_id) JOIN accounts a USING (account_id)
       WHERE (t.cause, t.organisation_id, t.mode, t.currency) = (i.cause, i.organisation_id, i.mode, i.currency)
         AND a.kind = 'card-clearing'
    ) ledger`;

const missingQuestion = `
  SELECT offer_id AS place,
         CASE WHEN invoice IS NULL THEN format('offer %s was paid by card and has no invoice', offer_id) END AS problem
    FROM (
      SELECT offer_id FROM offer_payments
       WHERE payment_method = 'E' AND paid_at IS NOT NULL AND offer_id > $1 ORDER BY offer_id LIMIT $2
    ) paid
    LEFT JOIN LATERAL (
      SELECT i.sequence AS invoice FROM invoices i WHERE i.cause = format('offer %s paid by card', paid.offer_id)
    ) its ON true`;

export const invoiceQuestions = [numbersQuestion('TEST'), numbersQuestion('LIVE'), missingQuestion];
