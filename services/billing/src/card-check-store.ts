/** What `ledger check` asks of card payments, in the order of a table's ids after $1, $2 at a time; `problem` is null where nothing is wrong. */

/** Top-ups, as the ledger has them, against their own records. */
const topUpsQuestion = `
  SELECT top_up_id AS place,
         CASE WHEN (added_by_record, vat_by_record) <> (added, vat)
              THEN format('top-up %s: its record says %s added and %s VAT, the ledger %s and %s',
                          top_up_id, added_by_record, vat_by_record, added, vat) END AS problem
    FROM (
      SELECT *, CASE WHEN paid_at IS NULL THEN 0 ELSE net_minor END AS added_by_record,
             CASE WHEN paid_at IS NULL THEN 0 ELSE vat_minor END AS vat_by_record
        FROM top_ups WHERE top_up_id > $1 ORDER BY top_up_id LIMIT $2
    ) record
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(amount_minor) FILTER (WHERE a.kind = 'prepaid-balance'), 0) AS added,
             coalesce(sum(amount_minor) FILTER (WHERE a.kind = 'vat-payable'), 0) AS vat
        FROM transactions t JOIN entries USING (transaction_id) JOIN accounts a USING (account_id)
       WHERE t.cause = format('card top-up %s', record.top_up_id)
         AND (t.organisation_id, t.mode, t.currency) = (record.organisation_id, record.mode, record.currency)
    ) booked`;

/** What the provider took back of a book and has not returned, against the refunds and disputes on record. */
const reversalsQuestion = `
  SELECT account_id AS place,
         CASE WHEN booked <> recorded
              THEN format('account %s: the ledger says %s taken back by the card provider, the records %s',
                          account_id, -booked, -recorded) END AS problem
    FROM (
      SELECT * FROM accounts WHERE kind = 'card-reversals' AND account_id > $1 ORDER BY account_id LIMIT $2
    ) a
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(amount_minor), 0) AS booked
        FROM transactions t JOIN entries e USING (transaction_id)
       WHERE (t.organisation_id, t.mode, t.currency) = (a.organisation_id, a.mode, a.currency)
         AND t.kind IN ('card-refund', 'card-refund-failed', 'card-dispute', 'card-dispute-won')
         AND e.account_id = a.account_id
    ) ledger
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(CASE WHEN returned_booked THEN r.amount_minor ELSE 0 END
                        - CASE WHEN taken_booked THEN r.amount_minor ELSE 0 END), 0) AS recorded
        FROM card_payments p JOIN card_reversals r ON r.payment_intent_id = p.payment_intent_id AND r.mode = p.mode
       WHERE (p.organisation_id, p.mode, p.currency) = (a.organisation_id, a.mode, a.currency)
    ) records`;

export const cardQuestions = [topUpsQuestion, reversalsQuestion];
