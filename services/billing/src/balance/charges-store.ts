/** Charges of the prepaid balance as one SQL statement. Nearly all charges are done by it. */
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { type Postgres, type PreparedStatement, TOO_LATE } from '@offer-ads/platform/postgres/postgres';
import { entriesOf, offerCharged } from '../domain/ledger/ledger.ts';
import type { Sale } from '../domain/payments/offer-payment.ts';

export type Charge = { readonly sale: Sale; readonly at: Date; readonly deadline?: Deadline | undefined };

/** An SQLSTATE from a class that the standard reserves for applications. */
const NOT_PLAIN = 'OA001';
/** SQLSTATE of a unique violation: the offer is known. */
const KNOWN = '23505';

/**
 * The arrays $4 to $9 have one element for each charge, $10 to $12 one for each entry. `later` is what the charges after it take, so that
 * each transaction gets the balance that it left. The subqueries hide the arrays' lengths from the planner: otherwise it would plan each
 * execution anew for its length.
 */
const chargeStatement: PreparedStatement = {
  name: 'charge',
  sql: `WITH charge AS MATERIALIZED (
          SELECT * FROM unnest((SELECT $4::bigint[]), (SELECT $5::text[]), (SELECT $6::bigint[]), (SELECT $7::timestamptz[]),
                               (SELECT $8::text[]), (SELECT $9::bigint[]))
                   WITH ORDINALITY AS charge (offer_id, title, net_minor, at, cause, later_minor, place)
        ), entry AS MATERIALIZED (
          SELECT offer_id, account_id, kind, amount_minor
            FROM unnest((SELECT $10::bigint[]), (SELECT $11::text[]), (SELECT $12::bigint[])) AS change (offer_id, kind, amount_minor)
            JOIN accounts USING (kind)
           WHERE organisation_id = $1 AND mode = $2 AND currency = $3
        ), paid AS (
          INSERT INTO offer_payments
            (offer_id, organisation_id, mode, currency, title, net_minor, vat_minor, payment_method, state, paid_at)
          SELECT offer_id, $1, $2, $3, title, net_minor, 0, 'B', 'charged', at FROM charge ORDER BY offer_id
          RETURNING net_minor, paid_at
        ), total AS MATERIALIZED (
          SELECT sum(net_minor)::bigint AS net_minor, max(paid_at) AS at FROM paid
        ), moved AS (
          UPDATE balances
             SET balance_minor = balance_minor - net_minor, last_booked_at = greatest(last_booked_at, at)
            FROM total, accounts
           WHERE organisation_id = $1 AND mode = $2 AND currency = $3 AND kind = 'prepaid-balance'
             AND balances.account_id = accounts.account_id
             AND balance_minor >= net_minor
             AND (low_threshold_minor IS NULL OR balance_minor < low_threshold_minor
                  OR balance_minor - net_minor >= low_threshold_minor)
             AND (SELECT count(*) FROM entry) = cardinality($10::bigint[])
          RETURNING balance_minor, last_booked_at
        ), booked AS (
          INSERT INTO transactions
            (cause, kind, organisation_id, mode, currency, offer_id, booked_at, balance_after_minor)
          SELECT cause, $13, $1, $2, $3, offer_id, last_booked_at, balance_minor + later_minor
            FROM moved, charge ORDER BY place
          RETURNING transaction_id, offer_id
        ), written AS (
          INSERT INTO entries (transaction_id, account_id, amount_minor)
          SELECT transaction_id, account_id, amount_minor FROM booked JOIN entry USING (offer_id)
        )
        SELECT balance_minor FROM total LEFT JOIN moved ON true
         WHERE CASE WHEN balance_minor IS NULL THEN abort_statement('${NOT_PLAIN}')
                    WHEN clock_timestamp() >= $14::timestamptz THEN abort_statement('${TOO_LATE}')
                    ELSE true END`,
};

/**
 * Charges new offers of one book, all or none, if the balance can pay and crosses no threshold. The balance is locked only from this
 * statement to its commit, even if the Node process is busy. Locks are taken in the same order as everywhere: first the ids of the offers,
 * in their order, then the balance.
 * @returns the balance after each charge, in the order of `charges`; undefined if nothing was done: an offer is known, the balance is too
 * low or would fall below its threshold, or the organisation has no balance row yet
 */
export async function chargeAtOnce(
  postgres: Postgres,
  charges: readonly Charge[],
): Promise<readonly bigint[] | undefined> {
  const sales = charges.map(({ sale }) => sale);
  const [first] = sales;
  if (first === undefined) return [];
  const { book } = first;
  const transactions = sales.map(({ offerId, netMinor }) => offerCharged(book, offerId, netMinor));
  const entries = transactions.flatMap((transaction) =>
    entriesOf(transaction).map(
      ({ account, amountMinor }) => [transaction.offerId, account, amountMinor] as const,
    ),
  );
  let leftMinor = sales.reduce((sum, { netMinor }) => sum + netMinor, 0n);
  const laterMinor = sales.map(({ netMinor }) => {
    leftMinor -= netMinor;
    return leftMinor;
  });
  try {
    const [row] = await postgres.query<{ balance_minor: bigint }>(chargeStatement, [
      book.organisationId,
      book.mode,
      book.currency,
      sales.map(({ offerId }) => offerId),
      sales.map(({ title }) => title),
      sales.map(({ netMinor }) => netMinor),
      charges.map(({ at }) => at),
      transactions.map(({ cause }) => cause),
      laterMinor,
      entries.map(([offerId]) => offerId),
      entries.map(([, account]) => account),
      entries.map(([, , amountMinor]) => amountMinor),
      transactions[0]?.kind,
      earliest(charges.map(({ deadline }) => postgres.commitBy(deadline))),
    ]);
    return row && laterMinor.map((minor) => row.balance_minor + minor);
  } catch (error) {
    const code = (error as { code?: unknown } | null)?.code;
    if (code === NOT_PLAIN || code === KNOWN) return undefined;
    throw error;
  }
}

function earliest(instants: readonly (Date | null)[]): Date | null {
  return instants.reduce((first, at) => (first === null || (at !== null && at < first) ? at : first), null);
}
