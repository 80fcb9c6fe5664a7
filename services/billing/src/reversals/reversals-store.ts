/** Refunds and disputes at the card provider, and the decisions about them, in Postgres. Columns say `booked` for what the ledger has posted. */
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Book } from '../domain/ledger/ledger.ts';
import type { RecordedReversal, Reversal } from '../domain/payments/reversal.ts';
import type { Settlement } from '../domain/payments/settlement.ts';
import { WrongMode } from '../domain/payments/wrong-mode.ts';

/** Of a `RecordedReversal`. */
const columns = `
  reversal_id AS "reversalId", kind, mode, payment_intent_id AS "paymentIntentId", amount_minor AS "amountMinor", currency, status, reason,
  as_of AS "asOf", taken, returned, succeeded, taken_booked AS "takenPosted", returned_booked AS "returnedPosted"`;

/**
 * Takes the lock for which the recording of a payment and the recording of its refunds and disputes wait, so that neither misses the other.
 * @param key the id of the payment (`payment_intent_id`); for a reversal without one, the id of the reversal
 */
export async function lockIntent(tx: Transaction, key: string): Promise<void> {
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`card reversals of ${key}`]);
}

/** The key to pass to `lockIntent` before the row is locked; undefined for an unknown reversal. */
export async function findLockKey(on: Queryable, reversalId: string): Promise<string | undefined> {
  const [row] = await on.query<{ key: string }>(
    'SELECT coalesce(payment_intent_id, reversal_id) AS key FROM card_reversals WHERE reversal_id = $1',
    [reversalId],
  );
  return row?.key;
}

export async function lockReversal(
  tx: Transaction,
  reversalId: string,
): Promise<RecordedReversal | undefined> {
  const [reversal] = await tx.query<RecordedReversal>(
    `SELECT ${columns} FROM card_reversals WHERE reversal_id = $1 FOR UPDATE`,
    [reversalId],
  );
  return reversal;
}

export async function lockReversalsOf(
  tx: Transaction,
  mode: Reversal['mode'],
  paymentIntentId: string,
): Promise<RecordedReversal[]> {
  return tx.query(
    `SELECT ${columns} FROM card_reversals WHERE payment_intent_id = $1 AND mode = $2 ORDER BY card_reversal_id FOR UPDATE`,
    [paymentIntentId, mode],
  );
}

/** @throws {WrongMode} if the other mode has a refund or dispute of that id */
export async function saveReversal(tx: Transaction, reversal: Reversal, now: Date): Promise<void> {
  const saved = await tx.query(
    `INSERT INTO card_reversals
       (reversal_id, kind, mode, payment_intent_id, amount_minor, currency, status, reason, as_of, first_heard_at, taken, returned,
        succeeded)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
     ON CONFLICT (reversal_id) DO UPDATE
       SET payment_intent_id = excluded.payment_intent_id, status = excluded.status, reason = excluded.reason,
           as_of = excluded.as_of, taken = excluded.taken, returned = excluded.returned, succeeded = excluded.succeeded
       WHERE card_reversals.mode = excluded.mode
     RETURNING reversal_id`,
    [
      reversal.reversalId,
      reversal.kind,
      reversal.mode,
      reversal.paymentIntentId,
      reversal.amountMinor,
      reversal.currency,
      reversal.status,
      reversal.reason,
      reversal.asOf,
      now,
      reversal.taken,
      reversal.returned,
      reversal.succeeded,
    ],
  );
  if (saved.length === 0) throw new WrongMode('the refund or dispute of an event', reversal.mode);
}

export async function markPosted(
  tx: Transaction,
  reversalId: string,
  posted: { readonly taken: boolean; readonly returned: boolean },
): Promise<void> {
  await tx.query('UPDATE card_reversals SET taken_booked = $2, returned_booked = $3 WHERE reversal_id = $1', [
    reversalId,
    posted.taken,
    posted.returned,
  ]);
}

/**
 * How much of a payment, with VAT, the provider has taken and not returned. Amounts that a person has decided to take from the
 * organisation's balance are not counted.
 */
export async function sumTakenBack(
  on: Queryable,
  paymentIntentId: string,
  { mode, currency }: Pick<Book, 'mode' | 'currency'>,
): Promise<bigint> {
  const [row] = await on.query<{ minor: bigint }>(
    `SELECT coalesce(sum(amount_minor), 0)::bigint AS minor FROM card_reversals r
      WHERE payment_intent_id = $1 AND mode = $2 AND currency = $3 AND taken AND NOT returned
        AND NOT EXISTS (SELECT FROM card_settlements s WHERE s.reversal_id = r.reversal_id AND s.borne_by = 'balance')`,
    [paymentIntentId, mode, currency],
  );
  return row?.minor ?? 0n;
}

/**
 * Counts reversals that are posted as taken, not returned, and have no decision (no row of `card_settlements`). A reversal of an unknown
 * payment is not posted, so it needs no decision yet.
 */
export async function countUndecided(
  on: Queryable,
): Promise<{ kind: Reversal['kind']; mode: Reversal['mode']; waiting: number }[]> {
  return on.query(
    `SELECT kind, mode, count(*)::integer AS waiting FROM card_reversals r
      WHERE taken_booked AND NOT returned
        AND NOT EXISTS (SELECT FROM card_settlements s WHERE s.reversal_id = r.reversal_id)
      GROUP BY kind, mode`,
  );
}

/** An offer that was credited although a refund or dispute of its payment has no decision yet. */
export type CreditedDespiteReversal = Book & {
  readonly offerId: number;
  readonly netMinor: bigint;
  readonly vatMinor: bigint;
  readonly creditedMinor: bigint;
  /** What the card provider has taken back: in all, and without a decision. */
  readonly totalMinor: bigint;
  readonly undecidedMinor: bigint;
};

/** More than people ever leave undecided; the alert needs no exact number above it. */
const MAX_CREDITED = 10_000;

export async function listCreditedDespiteReversal(
  on: Queryable,
  limit = MAX_CREDITED,
): Promise<CreditedDespiteReversal[]> {
  return on.query(
    `SELECT p.offer_id::float8 AS "offerId", p.organisation_id::float8 AS "organisationId", p.mode, p.currency,
            p.net_minor AS "netMinor", p.vat_minor AS "vatMinor", p.credited_minor AS "creditedMinor",
            coalesce(sum(r.amount_minor) FILTER (WHERE s.borne_by IS DISTINCT FROM 'balance'), 0)::bigint AS "totalMinor",
            sum(r.amount_minor) FILTER (WHERE s.borne_by IS NULL)::bigint AS "undecidedMinor"
       FROM card_reversals r
       JOIN payments p
         ON (p.payment_intent_id, p.mode, p.currency) = (r.payment_intent_id, r.mode, r.currency)
       LEFT JOIN card_settlements s USING (reversal_id)
      WHERE r.taken AND NOT r.returned AND p.credited_minor > 0
      GROUP BY p.offer_id, p.organisation_id, p.mode, p.currency, p.net_minor, p.vat_minor, p.credited_minor
     HAVING bool_or(s.borne_by IS NULL)
      ORDER BY p.offer_id DESC LIMIT $1`,
    [limit],
  );
}

/** A row of the admin list. */
export type ListedReversal = RecordedReversal & {
  readonly firstHeardAt: Date;
  readonly organisationId: number | null;
  readonly offerId: number | null;
  readonly topUpId: number | null;
  readonly groupId: number | null;
};

/** The latest first, each with its payment if that is known. */
export async function latestReversals(on: Queryable, limit: number): Promise<ListedReversal[]> {
  return on.query(
    `SELECT ${columns}, first_heard_at AS "firstHeardAt", organisation_id::float8 AS "organisationId",
            offer_id::float8 AS "offerId", top_up_id::float8 AS "topUpId", group_id::float8 AS "groupId"
       FROM (SELECT * FROM card_reversals ORDER BY first_heard_at DESC, reversal_id DESC LIMIT $1) r
       LEFT JOIN LATERAL (
         SELECT organisation_id, offer_id, top_up_id, group_id FROM payments p
          WHERE p.payment_intent_id = r.payment_intent_id AND p.mode = r.mode LIMIT 1
       ) p ON true
      ORDER BY first_heard_at DESC, reversal_id DESC`,
    [limit],
  );
}

const settlementColumns = `
  reversal_id AS "reversalId", borne_by AS "borneBy", amount_minor AS "amountMinor", reason, decided_by AS "decidedBy",
  settled_at AS "settledAt", returned_cause IS NOT NULL AS "givenBack"`;

/** By the ids of the reversals. */
export async function findSettlements(
  on: Queryable,
  reversalIds: readonly string[],
): Promise<Map<string, Settlement>> {
  const settlements = await on.query<Settlement>(
    `SELECT ${settlementColumns} FROM card_settlements WHERE reversal_id = ANY ($1)`,
    [reversalIds],
  );
  return new Map(settlements.map((settlement) => [settlement.reversalId, settlement]));
}

export async function findSettlement(on: Queryable, reversalId: string): Promise<Settlement | undefined> {
  return (await findSettlements(on, [reversalId])).get(reversalId);
}

export async function insertSettlement(
  tx: Transaction,
  settlement: Omit<Settlement, 'givenBack'>,
  cause: string,
): Promise<void> {
  const { reversalId, borneBy, amountMinor, reason, decidedBy, settledAt } = settlement;
  await tx.query(
    `INSERT INTO card_settlements (reversal_id, borne_by, amount_minor, reason, decided_by, settled_at, cause)
     VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    [reversalId, borneBy, amountMinor, reason, decidedBy, settledAt, cause],
  );
}

export async function markGivenBack(tx: Transaction, reversalId: string, cause: string): Promise<void> {
  await tx.query('UPDATE card_settlements SET returned_cause = $2 WHERE reversal_id = $1', [
    reversalId,
    cause,
  ]);
}
