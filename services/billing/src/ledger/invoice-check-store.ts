/** Queries of `ledger check` about invoices. Each returns $2 rows with ids above $1; `problem` is null for a correct row. */
import type { Mode } from '@offer-ads/contracts/values/primitives';

/** Finds gaps in the numbers, and invoices whose amount differs from the card payment in the ledger. */
const numbersCheck = (mode: Mode) => `
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

/** Finds card payments of one kind without an invoice. */
const missingCheck = (o: { readonly of: string; readonly ids: string; readonly cause: string }) => `
  SELECT place,
         CASE WHEN sequence IS NULL THEN format('"%s" has no invoice', cause) END AS problem
    FROM (
      SELECT ${o.ids} AS place, format('${o.cause}', ${o.ids}) AS cause FROM ${o.of}
       WHERE paid_at IS NOT NULL AND ${o.ids} > $1 ORDER BY ${o.ids} LIMIT $2
    ) paid
    LEFT JOIN invoices USING (cause)`;

export const invoiceChecks = [
  numbersCheck('TEST'),
  numbersCheck('LIVE'),
  missingCheck({
    of: `(SELECT * FROM offer_payments WHERE payment_method = 'E') offers`,
    ids: 'offer_id',
    cause: 'offer %s paid by card',
  }),
  missingCheck({ of: 'top_ups', ids: 'top_up_id', cause: 'card top-up %s' }),
];
