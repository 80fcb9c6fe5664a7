/** Charges of the prepaid balance as one SQL statement. Nearly all charges are done by it. */
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { type Postgres, type PreparedStatement, TOO_LATE } from '@offer-ads/platform/postgres/postgres';
import { entriesOf, offerCharged } from '../domain/ledger/ledger.ts';
import type { Sale } from '../domain/payments/offer-payment.ts';
import { balanceSubject } from './balance-events.ts';

export type Charge = { readonly sale: Sale; readonly at: Date; readonly deadline?: Deadline | undefined };

/** An SQLSTATE from a class that the standard reserves for applications. */
const NOT_PLAIN = 'OA001';
/** SQLSTATE of a unique violation: the offer is known. */
const KNOWN = '23505';

/**
 * Each array of $1 to $9 has one element for each charge, $10 to $12 one for each entry. `later` is what the charges of the same balance
 * after it take, so that each transaction gets the balance that it left. The subqueries hide the arrays' lengths from the planner: otherwise
 * it would plan each execution anew for its length. $13 bounds each wait for a lock, in milliseconds; 0 is no bound.
 */
const chargeStatement: PreparedStatement = {
  name: 'charge',
  sql: `WITH bound AS MATERIALIZED (
          SELECT set_config('lock_timeout', $13, true)
        ), charge AS MATERIALIZED (
          SELECT charge.*
            FROM bound, unnest((SELECT $1::bigint[]), (SELECT $2::bigint[]), (SELECT $3::text[]), (SELECT $4::text[]),
                               (SELECT $5::text[]), (SELECT $6::bigint[]), (SELECT $7::timestamptz[]),
                               (SELECT $8::text[]), (SELECT $9::bigint[])) WITH ORDINALITY
                   AS charge (offer_id, organisation_id, mode, currency, title, net_minor, at, cause, later_minor, place)
        ), entry AS MATERIALIZED (
          SELECT offer_id, account_id, kind, change.amount_minor
            FROM unnest((SELECT $10::bigint[]), (SELECT $11::text[]), (SELECT $12::bigint[])) AS change (offer_id, kind, amount_minor)
            JOIN charge USING (offer_id)
            JOIN accounts USING (organisation_id, mode, currency, kind)
        ), paid AS (
          INSERT INTO offer_payments
            (offer_id, organisation_id, mode, currency, title, net_minor, vat_minor, payment_method, state, paid_at)
          SELECT offer_id, organisation_id, mode, currency, title, net_minor, 0, 'B', 'charged', at FROM charge ORDER BY offer_id
          RETURNING offer_id, net_minor, paid_at
        ), total AS MATERIALIZED (
          SELECT account_id, sum(net_minor)::bigint AS net_minor, max(paid_at) AS at
            FROM paid JOIN entry USING (offer_id) WHERE kind = 'prepaid-balance' GROUP BY account_id
        ), locked AS MATERIALIZED (
          SELECT account_id FROM balances WHERE account_id = ANY (ARRAY(SELECT account_id FROM total)) ORDER BY account_id FOR UPDATE
        ), moved AS (
          UPDATE balances
             SET balance_minor = balance_minor - net_minor, last_booked_at = greatest(last_booked_at, at)
            FROM locked JOIN total USING (account_id)
           WHERE balances.account_id = locked.account_id
             AND balance_minor >= net_minor
             AND (low_threshold_minor IS NULL OR balance_minor < low_threshold_minor
                  OR balance_minor - net_minor >= low_threshold_minor)
          RETURNING balances.account_id, balance_minor, last_booked_at
        ), booked AS (
          INSERT INTO transactions
            (cause, kind, organisation_id, mode, currency, offer_id, booked_at, balance_after_minor)
          SELECT cause, $14, organisation_id, mode, currency, offer_id, last_booked_at, balance_minor + later_minor
            FROM moved JOIN entry USING (account_id) JOIN charge USING (offer_id) ORDER BY place
          RETURNING transaction_id, offer_id, balance_after_minor
        ), written AS (
          INSERT INTO entries (transaction_id, account_id, amount_minor)
          SELECT transaction_id, account_id, amount_minor FROM booked JOIN entry USING (offer_id)
        )
        SELECT array_agg(balance_after_minor ORDER BY transaction_id)::text[] AS balances FROM booked
        HAVING CASE WHEN count(*) < cardinality($1::bigint[]) OR (SELECT count(*) FROM entry) < cardinality($10::bigint[])
                      THEN abort_statement('${NOT_PLAIN}')
                    WHEN clock_timestamp() >= $15::timestamptz THEN abort_statement('${TOO_LATE}')
                    ELSE true END`,
};

/**
 * Charges new offers, all or none, if each balance can pay its charges and crosses no threshold. Balances are locked only from this
 * statement to its commit, even if the Node process is busy. Locks are taken in the same order as everywhere: first the ids of the offers,
 * in their order, then the balances, in the order of their accounts.
 * @param lockWaitMs how long to wait for each lock; 0 is no bound
 * @returns the balance after each charge, in the order of `charges`; undefined if nothing was done: an offer is known, a balance is too
 * low or would fall below its threshold, or an organisation has no balance row yet
 * @throws an error for which `isBlocked` is true if a lock was not free in time
 */
export async function chargeAtOnce(
  postgres: Postgres,
  charges: readonly Charge[],
  lockWaitMs: number,
): Promise<readonly bigint[] | undefined> {
  const sales = charges.map(({ sale }) => sale);
  const transactions = sales.map(({ book, offerId, netMinor }) => offerCharged(book, offerId, netMinor));
  const entries = transactions.flatMap((transaction) =>
    entriesOf(transaction).map(
      ({ account, amountMinor }) => [transaction.offerId, account, amountMinor] as const,
    ),
  );
  try {
    const [row] = await postgres.query<{ balances: readonly string[] }>(chargeStatement, [
      sales.map(({ offerId }) => offerId),
      sales.map(({ book }) => book.organisationId),
      sales.map(({ book }) => book.mode),
      sales.map(({ book }) => book.currency),
      sales.map(({ title }) => title),
      sales.map(({ netMinor }) => netMinor),
      charges.map(({ at }) => at),
      transactions.map(({ cause }) => cause),
      takenLater(sales),
      entries.map(([offerId]) => offerId),
      entries.map(([, account]) => account),
      entries.map(([, , amountMinor]) => amountMinor),
      `${lockWaitMs}`,
      transactions[0]?.kind,
      earliest(charges.map(({ deadline }) => postgres.commitBy(deadline))),
    ]);
    return row?.balances.map(BigInt);
  } catch (error) {
    const code = (error as { code?: unknown } | null)?.code;
    if (code === NOT_PLAIN || code === KNOWN) return undefined;
    throw error;
  }
}

/** For each sale, what the sales of the same book after it take, in minor units. */
function takenLater(sales: readonly Sale[]): readonly bigint[] {
  const taken = new Map<string, bigint>();
  return sales
    .toReversed()
    .map(({ book, netMinor }) => {
      const key = balanceSubject(book);
      const later = taken.get(key) ?? 0n;
      taken.set(key, later + netMinor);
      return later;
    })
    .toReversed();
}

function earliest(instants: readonly (Date | null)[]): Date | null {
  return instants.reduce((first, at) => (first === null || (at !== null && at < first) ? at : first), null);
}
