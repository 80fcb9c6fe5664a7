/** A charge of the prepaid balance as one SQL statement. Nearly all charges are done by it. */
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { type Postgres, type PreparedStatement, TOO_LATE } from '@offer-ads/platform/postgres/postgres';
import { entriesOf, offerCharged } from '../domain/ledger/ledger.ts';
import type { Sale } from '../domain/payments/offer-payment.ts';

/** An SQLSTATE from a class that the standard reserves for applications. */
const NOT_PLAIN = 'OA001';

const chargeStatement: PreparedStatement = {
  name: 'charge',
  sql: `WITH entry AS MATERIALIZED (
          SELECT account_id, kind, amount_minor
            FROM unnest($8::text[], $9::bigint[]) AS change (kind, amount_minor)
            JOIN accounts USING (kind)
           WHERE organisation_id = $2 AND mode = $3 AND currency = $4
        ), paid AS (
          INSERT INTO offer_payments
            (offer_id, organisation_id, mode, currency, title, net_minor, vat_minor, payment_method, state, paid_at)
          VALUES ($1, $2, $3, $4, $5, $6, 0, 'B', 'charged', $7)
          ON CONFLICT DO NOTHING RETURNING net_minor
        ), moved AS (
          UPDATE balances
             SET balance_minor = balance_minor - net_minor, last_booked_at = greatest(last_booked_at, $7)
            FROM paid, entry
           WHERE entry.kind = 'prepaid-balance' AND balances.account_id = entry.account_id
             AND balance_minor >= net_minor
             AND (low_threshold_minor IS NULL OR balance_minor < low_threshold_minor
                  OR balance_minor - net_minor >= low_threshold_minor)
             AND (SELECT count(*) FROM entry) = cardinality($8::text[])
          RETURNING balance_minor, last_booked_at
        ), booked AS (
          INSERT INTO transactions
            (cause, kind, organisation_id, mode, currency, offer_id, booked_at, balance_after_minor)
          SELECT $10, $11, $2, $3, $4, $1, last_booked_at, balance_minor FROM moved
          RETURNING transaction_id
        ), written AS (
          INSERT INTO entries (transaction_id, account_id, amount_minor)
          SELECT transaction_id, account_id, amount_minor FROM booked, entry
        )
        SELECT balance_minor FROM paid LEFT JOIN moved ON true
         WHERE CASE WHEN balance_minor IS NULL THEN abort_statement('${NOT_PLAIN}')
                    WHEN clock_timestamp() >= $12::timestamptz THEN abort_statement('${TOO_LATE}')
                    ELSE true END`,
};

/**
 * Charges a new offer if the balance can pay and crosses no threshold. The balance is locked only from this statement to its commit, even
 * if the Node process is busy. Locks are taken in the same order as everywhere: first the offer's id, then the balance.
 * @returns the balance after the charge; undefined if nothing was done and the path with several statements must decide: the offer is
 * known, the balance is too low or would fall below its threshold, or the organisation has no balance row yet
 */
export async function chargeAtOnce(
  postgres: Postgres,
  sale: Sale,
  now: Date,
  deadline?: Deadline,
): Promise<bigint | undefined> {
  const { offerId, book, title, netMinor } = sale;
  const transaction = offerCharged(book, offerId, netMinor);
  const entries = entriesOf(transaction);
  try {
    const [row] = await postgres.query<{ balance_minor: bigint }>(chargeStatement, [
      offerId,
      book.organisationId,
      book.mode,
      book.currency,
      title,
      netMinor,
      now,
      entries.map((entry) => entry.account),
      entries.map((entry) => entry.amountMinor),
      transaction.cause,
      transaction.kind,
      postgres.commitBy(deadline),
    ]);
    return row?.balance_minor;
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code === NOT_PLAIN) return undefined;
    throw error;
  }
}
