/** What `ledger check` asks of invoices, in the order of a table's ids after $1, $2 at a time; `problem` is null where nothing is wrong. */
import type { Mode } from '@offer-ads/contracts/values/primitives';

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

/** Card payments of one kind that have none. */
const missingQuestion = (o: { readonly of: string; readonly ids: string; readonly cause: string }) => `
  SELECT place,
         CASE WHEN sequence IS NULL THEN format('"%s" has no invoice', cause) END AS problem
    FROM (
      SELECT ${o.ids} AS place, format('${o.cause}', ${o.ids}) AS cause FROM ${o.of}
       WHERE paid_at IS NOT NULL AND ${o.ids} > $1 ORDER BY ${o.ids} LIMIT $2
    ) paid
    LEFT JOIN invoices USING (cause)`;

export const invoiceQuestions = [
  numbersQuestion('TEST'),
  numbersQuestion('LIVE'),
  missingQuestion({
    of: `(SELECT * FROM offer_payments WHERE payment_method = 'E') offers`,
    ids: 'offer_id',
    cause: 'offer %s paid by card',
  }),
  missingQuestion({ of: 'top_ups', ids: 'top_up_id', cause: 'card top-up %s' }),
];
