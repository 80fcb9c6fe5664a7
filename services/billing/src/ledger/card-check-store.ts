/** What `ledger check` compares of card payments. */
import type { RecordCheck } from './record-check.ts';

/** Compares top-ups in the ledger with their own rows. */
const topUpsCheck: RecordCheck = {
  table: 'top_ups',
  id: 'top_up_id',
  ofStep: `SELECT substring(cause FROM '^card top-up (\\d+)$')::bigint FROM step WHERE kind = 'card-top-up'`,
  problemsOf: (records) => `
  SELECT top_up_id AS place,
         CASE WHEN (added_by_record, vat_by_record) <> (added, vat)
              THEN format('top-up %s: its record says %s added and %s VAT, the ledger %s and %s',
                          top_up_id, added_by_record, vat_by_record, added, vat) END AS problem
    FROM (
      SELECT *, CASE WHEN paid_at IS NULL THEN 0 ELSE net_minor END AS added_by_record,
             CASE WHEN paid_at IS NULL THEN 0 ELSE vat_minor END AS vat_by_record
        FROM (${records}) top_up
    ) record
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(amount_minor) FILTER (WHERE a.kind = 'prepaid-balance'), 0) AS added,
             coalesce(sum(amount_minor) FILTER (WHERE a.kind = 'vat-payable'), 0) AS vat
        FROM transactions t JOIN entries USING (transaction_id) JOIN accounts a USING (account_id)
       WHERE t.cause = format('card top-up %s', record.top_up_id)
         AND (t.organisation_id, t.mode, t.currency) = (record.organisation_id, record.mode, record.currency)
    ) booked`,
};

/** Compares each stored refund and dispute with what the ledger has as taken back and returned. */
const reversalsCheck: RecordCheck = {
  table: 'card_reversals',
  id: 'card_reversal_id',
  ofStep: `SELECT card_reversal_id FROM step JOIN card_reversals ON reversal_id = split_part(cause, ' ', 2)
              WHERE step.kind IN ('card-refund', 'card-refund-failed', 'card-dispute', 'card-dispute-won')`,
  problemsOf: (records) => `
  SELECT card_reversal_id AS place,
         CASE WHEN (taken_by_record, returned_by_record) <> (booked.taken, booked.returned)
              THEN format('%s %s: its record says %s taken and %s returned, the ledger %s and %s',
                          kind, reversal_id, taken_by_record, returned_by_record, booked.taken, booked.returned) END AS problem
    FROM (
      SELECT *, CASE WHEN taken_booked THEN amount_minor ELSE 0 END AS taken_by_record,
             CASE WHEN returned_booked THEN amount_minor ELSE 0 END AS returned_by_record
        FROM (${records}) reversal
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
const creditNotesOfRefundsCheck: RecordCheck = {
  ...reversalsCheck,
  problemsOf: (records) => `
  SELECT card_reversal_id AS place,
         CASE WHEN refunded <> credited
              THEN format('%s %s: its record says %s refunded, its credit notes %s', kind, reversal_id, refunded, credited) END AS problem
    FROM (
      SELECT *, CASE WHEN succeeded AND taken_booked AND NOT returned THEN amount_minor ELSE 0 END AS refunded
        FROM (${records}) reversal
    ) record
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(CASE WHEN n.cancels IS NULL THEN n.net_minor + n.vat_minor ELSE -n.net_minor - n.vat_minor END), 0) AS credited
        FROM credit_notes n JOIN invoices i ON i.mode = n.mode AND i.sequence = n.invoice
       WHERE n.cause IN (format('%s %s taken', record.kind, reversal_id), format('%s %s returned', record.kind, reversal_id))
         AND (i.mode, i.cause) = (
               SELECT mode, CASE purchase WHEN 'offer' THEN format('offer %s paid by card', offer_id)
                                          ELSE format('card top-up %s', top_up_id) END
                 FROM payments p WHERE p.payment_intent_id = record.payment_intent_id AND p.mode = record.mode LIMIT 1
             )
    ) notes`,
};

/** Compares each stored decision about a reversal with the ledger. */
const settlementsCheck: RecordCheck = {
  table: 'card_settlements',
  id: 'card_settlement_id',
  ofStep: `SELECT card_settlement_id FROM step JOIN card_settlements USING (cause)
             UNION SELECT card_settlement_id FROM step JOIN card_settlements ON returned_cause = step.cause`,
  problemsOf: (records) => `
  SELECT card_settlement_id AS place,
         CASE WHEN (borne_by_record, -borne_by_record) <> (booked.borne, booked.taken_off)
              THEN format('settlement of %s: its record says %s borne by %s, the ledger %s and %s off what was taken back',
                          reversal_id, borne_by_record, borne_by, booked.borne, -booked.taken_off) END AS problem
    FROM (
      SELECT *, CASE WHEN returned_cause IS NULL THEN amount_minor ELSE 0 END AS borne_by_record
        FROM (${records}) settlement
    ) record
    CROSS JOIN LATERAL (
      SELECT coalesce(-sum(amount_minor) FILTER (
               WHERE a.kind = CASE record.borne_by WHEN 'balance' THEN 'prepaid-balance' ELSE 'card-losses' END), 0) AS borne,
             coalesce(-sum(amount_minor) FILTER (WHERE a.kind = 'card-reversals'), 0) AS taken_off
        FROM transactions t JOIN entries USING (transaction_id) JOIN accounts a USING (account_id)
       WHERE t.cause IN (record.cause, record.returned_cause)
    ) booked`,
};

export const cardChecks = [topUpsCheck, reversalsCheck, creditNotesOfRefundsCheck, settlementsCheck];
