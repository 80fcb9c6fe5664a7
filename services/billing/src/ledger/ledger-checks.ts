/** What `ledger check` compares: transactions with each other, and every record of money with its transactions. */
import type { Mode } from '@offer-ads/contracts/values/primitives';

export type LedgerCheck = {
  readonly table: string;
  /** A column of `table` with ids above 0, in whose order the rows are examined. */
  readonly id: string;
  /** A query of the rows in `step`, which gives the id of each as `row_id`, and `problem`, null if it is correct. */
  readonly problems: string;
};

/**
 * A transaction's balance is compared with that of the transaction before it in its book, which this step or an earlier one examines, and so
 * on down to the first one, which begins with 0.
 */
const transactionsCheck: LedgerCheck = {
  table: 'transactions',
  id: 'transaction_id',
  problems: `
  WITH examined AS MATERIALIZED (
    SELECT step.*, totals.*, coalesce(earlier.balance_after_minor, 0) AS balance_before, later.transaction_id AS next_id
      FROM step
      CROSS JOIN LATERAL (
        SELECT count(*) AS entries,
               coalesce(sum(amount_minor), 0) AS total,
               coalesce(sum(amount_minor) FILTER (WHERE kind = 'prepaid-balance'), 0) AS change,
               coalesce(-sum(amount_minor) FILTER (WHERE kind = 'play-money'), 0) AS played,
               coalesce(bool_and((a.organisation_id, a.mode, a.currency)
                               = (step.organisation_id, step.mode, step.currency)), true) AS one_book
          FROM entries JOIN accounts a USING (account_id)
         WHERE entries.transaction_id = step.transaction_id
      ) totals
      LEFT JOIN LATERAL (
        SELECT t.balance_after_minor FROM transactions t
         WHERE (t.organisation_id, t.mode, t.currency) = (step.organisation_id, step.mode, step.currency)
           AND (t.booked_at, t.transaction_id) < (step.booked_at, step.transaction_id)
         ORDER BY t.booked_at DESC, t.transaction_id DESC LIMIT 1
      ) earlier ON true
      LEFT JOIN LATERAL (
        SELECT t.transaction_id FROM transactions t
         WHERE (t.organisation_id, t.mode, t.currency) = (step.organisation_id, step.mode, step.currency)
           AND (t.booked_at, t.transaction_id) > (step.booked_at, step.transaction_id)
         ORDER BY t.booked_at, t.transaction_id LIMIT 1
      ) later ON true
  )
  SELECT transaction_id AS row_id, format('transaction %s has no entries', transaction_id) AS problem
    FROM examined WHERE entries = 0
  UNION ALL
  SELECT transaction_id, format('transaction %s sums to %s in %s', transaction_id, total, currency)
    FROM examined WHERE total <> 0
  UNION ALL
  SELECT transaction_id, format('transaction %s has an entry in a book that is not its own', transaction_id)
    FROM examined WHERE NOT one_book
  UNION ALL
  SELECT transaction_id, format('transaction %s says that it left a balance of %s, but %s and its change of %s make %s',
                                transaction_id, balance_after_minor, balance_before, change, balance_before + change)
    FROM examined WHERE balance_after_minor <> balance_before + change
  UNION ALL
  SELECT transaction_id, format('transaction %s has an earlier time than transaction %s, which was booked before it',
                                transaction_id, next_id)
    FROM examined WHERE next_id < transaction_id
  UNION ALL
  SELECT transaction_id, format('transaction %s is of offer %s, which has no record', transaction_id, offer_id)
    FROM examined
   WHERE offer_id IS NOT NULL
     AND NOT EXISTS (SELECT FROM payments p WHERE p.offer_id = examined.offer_id)
  UNION ALL
  SELECT transaction_id, format('transaction %s is of "%s", which has no record', transaction_id, cause)
    FROM examined
   WHERE kind IN ('card-refund', 'card-refund-failed', 'card-dispute', 'card-dispute-won')
     AND NOT EXISTS (SELECT FROM card_reversals r WHERE r.reversal_id = split_part(cause, ' ', 2))
  UNION ALL
  SELECT transaction_id, format('transaction %s is of "%s", which has no record', transaction_id, cause)
    FROM examined
   WHERE kind IN ('card-settlement', 'card-settlement-returned')
     AND NOT EXISTS (
       SELECT FROM card_settlements s WHERE examined.cause IN (s.cause, s.returned_cause)
     )
  UNION ALL
  SELECT transaction_id, format('"%s" has no invoice', cause)
    FROM examined
   WHERE kind IN ('offer-card-payment', 'group-card-payment', 'card-top-up') AND NOT EXISTS (SELECT FROM invoices i WHERE i.cause = examined.cause)
  UNION ALL
  -- Play money is never mixed with paid money, and only play-money transactions use its account.
  SELECT transaction_id, format('transaction %s of kind %s takes %s from play money in %s mode',
                                transaction_id, kind, played, mode)
    FROM examined
   WHERE (played <> 0) <> (kind = 'play-money') OR (played <> 0 AND (mode <> 'TEST' OR entries <> 2 OR played <> change))`,
};

/** The balance of a book equals the balance after its last transaction, which the steps have checked from zero. */
const balancesCheck: LedgerCheck = {
  table: `(SELECT * FROM accounts WHERE kind = 'prepaid-balance') prepaid`,
  id: 'account_id',
  problems: `
  SELECT account_id AS row_id,
         CASE WHEN balance_minor IS NULL OR balance_minor < 0 OR balance_minor <> coalesce(left_minor, 0)
              THEN format('balance of account %s is %s, its last transaction left %s',
                          account_id, balance_minor, coalesce(left_minor, 0)) END AS problem
    FROM step a
    LEFT JOIN balances USING (account_id)
    LEFT JOIN LATERAL (
      SELECT balance_after_minor AS left_minor FROM transactions t
       WHERE (t.organisation_id, t.mode, t.currency) = (a.organisation_id, a.mode, a.currency)
       ORDER BY booked_at DESC, transaction_id DESC LIMIT 1
    ) latest ON true`,
};

/** Compares the sales and credits of an offer in the ledger with the offer's own row. */
const offersCheck: LedgerCheck = {
  table: '(SELECT * FROM payments WHERE offer_id IS NOT NULL) of_offers',
  id: 'offer_id',
  problems: `
  SELECT offer_id AS row_id,
         CASE WHEN sold_by_record <> sold OR credited_minor <> credited
              THEN format('offer %s: its record says %s paid and %s credited, the ledger %s and %s',
                          offer_id, sold_by_record, credited_minor, sold, credited) END AS problem
    FROM (
      SELECT *, CASE WHEN paid_at IS NULL THEN 0 ELSE net_minor END AS sold_by_record
        FROM step
    ) record
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(amount_minor) FILTER (WHERE a.kind = 'sales'), 0) AS sold,
             coalesce(-sum(amount_minor) FILTER (WHERE a.kind = 'unused-time-credits'), 0) AS credited
        FROM transactions t JOIN entries USING (transaction_id) JOIN accounts a USING (account_id)
       WHERE t.offer_id = record.offer_id
         AND (t.organisation_id, t.mode, t.currency) = (record.organisation_id, record.mode, record.currency)
    ) booked`,
};

/** Compares card payments that go to the balance in the ledger with their own rows. */
const balanceCheck = (what: string, id: string, cause: string): LedgerCheck => ({
  table: `(SELECT * FROM payments WHERE ${id} IS NOT NULL AND payment_method = 'E') by_card`,
  id,
  problems: `
  SELECT ${id} AS row_id,
         CASE WHEN (added_by_record, vat_by_record) <> (added, vat)
              THEN format('${what} %s: its record says %s added and %s VAT, the ledger %s and %s',
                          ${id}, added_by_record, vat_by_record, added, vat) END AS problem
    FROM (
      SELECT *, CASE WHEN paid_at IS NULL THEN 0 ELSE net_minor END AS added_by_record,
             CASE WHEN paid_at IS NULL THEN 0 ELSE vat_minor END AS vat_by_record
        FROM step
    ) record
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(amount_minor) FILTER (WHERE a.kind = 'prepaid-balance'), 0) AS added,
             coalesce(sum(amount_minor) FILTER (WHERE a.kind = 'vat-payable'), 0) AS vat
        FROM transactions t JOIN entries USING (transaction_id) JOIN accounts a USING (account_id)
       WHERE t.cause = format('${cause}', record.${id})
         AND (t.organisation_id, t.mode, t.currency) = (record.organisation_id, record.mode, record.currency)
    ) booked`,
});

/** As the trigger `group_is_whole` has it. */
const groupsCheck: LedgerCheck = {
  table: '(SELECT * FROM payments WHERE group_id IS NOT NULL) of_groups',
  id: 'group_id',
  problems: `
  SELECT group_id AS row_id,
         CASE WHEN (net_minor, due) <> (of_offers, charged)
              THEN format('group %s: it is of %s and %s is charged, its offers are of %s and %s', group_id, net_minor, due, of_offers, charged)
         END AS problem
    FROM (SELECT *, CASE WHEN state IN ('charged', 'paid') THEN net_minor ELSE 0 END AS due FROM step) record
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(o.net_minor), 0) AS of_offers, coalesce(sum(o.net_minor) FILTER (WHERE o.state = 'charged'), 0) AS charged
        FROM payments o
       WHERE o.of_group = record.group_id
         AND (o.organisation_id, o.mode, o.currency) = (record.organisation_id, record.mode, record.currency)
    ) offers`,
};

/** Compares each stored refund and dispute with what the ledger has as taken back and returned. */
const reversalsCheck: LedgerCheck = {
  table: 'card_reversals',
  id: 'card_reversal_id',
  problems: `
  SELECT card_reversal_id AS row_id,
         CASE WHEN (taken_by_record, returned_by_record) <> (booked.taken, booked.returned)
              THEN format('%s %s: its record says %s taken and %s returned, the ledger %s and %s',
                          kind, reversal_id, taken_by_record, returned_by_record, booked.taken, booked.returned) END AS problem
    FROM (
      SELECT *, CASE WHEN taken_booked THEN amount_minor ELSE 0 END AS taken_by_record,
             CASE WHEN returned_booked THEN amount_minor ELSE 0 END AS returned_by_record
        FROM step
    ) record
    CROSS JOIN LATERAL (
      SELECT coalesce(-sum(e.amount_minor) FILTER (WHERE e.amount_minor < 0), 0) AS taken,
             coalesce(sum(e.amount_minor) FILTER (WHERE e.amount_minor > 0), 0) AS returned
        FROM transactions t JOIN entries e USING (transaction_id) JOIN accounts a USING (account_id)
       WHERE t.cause IN (format('%s %s taken', record.kind, reversal_id), format('%s %s returned', record.kind, reversal_id))
         AND a.kind = 'card-reversals'
         AND (t.organisation_id, t.mode, t.currency) = (
               SELECT organisation_id, mode, currency FROM payments p
                WHERE p.payment_intent_id = record.payment_intent_id AND p.mode = record.mode LIMIT 1
             )
    ) booked`,
};

/**
 * Compares each stored refund with its credit notes: none before it has succeeded, then one of its amount on the invoice of its payment, which
 * another one cancels if it fails.
 */
const creditNotesOfRefundsCheck: LedgerCheck = {
  ...reversalsCheck,
  problems: `
  SELECT card_reversal_id AS row_id,
         CASE WHEN refunded <> credited
              THEN format('%s %s: its record says %s refunded, its credit notes %s', kind, reversal_id, refunded, credited) END AS problem
    FROM (
      SELECT *, CASE WHEN succeeded AND taken_booked AND NOT returned THEN amount_minor ELSE 0 END AS refunded
        FROM step
    ) record
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(CASE WHEN n.cancels IS NULL THEN n.net_minor + n.vat_minor ELSE -n.net_minor - n.vat_minor END), 0) AS credited
        FROM credit_notes n JOIN invoices i ON i.mode = n.mode AND i.sequence = n.invoice
       WHERE n.cause IN (format('%s %s taken', record.kind, reversal_id), format('%s %s returned', record.kind, reversal_id))
         AND (i.mode, i.cause) = (
               SELECT mode, CASE WHEN offer_id IS NOT NULL THEN format('offer %s paid by card', offer_id)
                            WHEN group_id IS NOT NULL THEN format('group %s paid by card', group_id)
                            ELSE format('card top-up %s', top_up_id) END
                 FROM payments p WHERE p.payment_intent_id = record.payment_intent_id AND p.mode = record.mode LIMIT 1
             )
    ) notes`,
};

/** Compares each stored decision about a reversal with the ledger. */
const settlementsCheck: LedgerCheck = {
  table: 'card_settlements',
  id: 'card_settlement_id',
  problems: `
  SELECT card_settlement_id AS row_id,
         CASE WHEN (borne_by_record, -borne_by_record) <> (booked.borne, booked.taken_off)
              THEN format('settlement of %s: its record says %s borne by %s, the ledger %s and %s off what was taken back',
                          reversal_id, borne_by_record, borne_by, booked.borne, -booked.taken_off) END AS problem
    FROM (
      SELECT *, CASE WHEN returned_cause IS NULL THEN amount_minor ELSE 0 END AS borne_by_record
        FROM step
    ) record
    CROSS JOIN LATERAL (
      SELECT coalesce(-sum(amount_minor) FILTER (
               WHERE a.kind = CASE record.borne_by WHEN 'balance' THEN 'prepaid-balance' ELSE 'card-losses' END), 0) AS borne,
             coalesce(-sum(amount_minor) FILTER (WHERE a.kind = 'card-reversals'), 0) AS taken_off
        FROM transactions t JOIN entries USING (transaction_id) JOIN accounts a USING (account_id)
       WHERE t.cause IN (record.cause, record.returned_cause)
    ) booked`,
};

/** Finds gaps in the numbers, and invoices whose amount differs from the card payment in the ledger. */
const invoicesCheck = (mode: Mode): LedgerCheck => ({
  table: `(SELECT * FROM invoices WHERE mode = '${mode}') of_mode`,
  id: 'sequence',
  problems: `
  SELECT sequence AS row_id,
         CASE WHEN sequence <> coalesce(previous, 0) + 1
              THEN format('invoice %s of ${mode} mode follows %s', sequence, coalesce(previous, 0))
              WHEN net_minor + vat_minor <> booked
              THEN format('invoice %s of ${mode} mode is of %s, the ledger says %s', sequence, net_minor + vat_minor, booked) END AS problem
    FROM step i
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
const creditNotesCheck = (mode: Mode): LedgerCheck => ({
  table: `(SELECT * FROM credit_notes WHERE mode = '${mode}') of_mode`,
  id: 'sequence',
  problems: `
  SELECT n.sequence AS row_id,
         CASE WHEN n.sequence <> coalesce(previous, 0) + 1
              THEN format('credit note %s of ${mode} mode follows %s', n.sequence, coalesce(previous, 0))
              WHEN n.net_minor + n.vat_minor <> booked
              THEN format('credit note %s of ${mode} mode is of %s, the ledger says %s', n.sequence, n.net_minor + n.vat_minor, booked)
              WHEN NOT (credited.net_minor BETWEEN 0 AND i.net_minor AND credited.vat_minor BETWEEN 0 AND i.vat_minor)
              THEN format('invoice %s of ${mode} mode is of %s and %s VAT, its credit notes are of %s and %s', i.sequence,
                          i.net_minor, i.vat_minor, credited.net_minor, credited.vat_minor) END AS problem
    FROM step n
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

export const ledgerChecks: readonly LedgerCheck[] = [
  transactionsCheck,
  balancesCheck,
  offersCheck,
  groupsCheck,
  balanceCheck('group', 'group_id', 'group %s paid by card'),
  balanceCheck('top-up', 'top_up_id', 'card top-up %s'),
  reversalsCheck,
  creditNotesOfRefundsCheck,
  settlementsCheck,
  ...(['TEST', 'LIVE'] as const).flatMap((mode) => [invoicesCheck(mode), creditNotesCheck(mode)]),
];
