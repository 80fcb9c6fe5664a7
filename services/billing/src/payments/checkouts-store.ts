/** Checkouts in Postgres: their sessions at Stripe, and which of them are due for reconciliation. */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Postgres, Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Clock } from '@offer-ads/platform/process/clock';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { type CardPayment, type Purchase, purchaseName } from '../domain/payments/card-payment.ts';
import {
  type Checkout,
  FOR_EVER,
  nextCheck,
  nextClosing,
  nextReconciliation,
} from '../domain/payments/checkout.ts';
import type { Payment } from '../domain/payments/offer-payment.ts';
import {
  type CardPaymentRow,
  idValues,
  lockCardPayment,
  thisPurchase,
  toCardPayment,
} from './payments-store.ts';

export type NewPayment = Pick<CardPayment, 'book' | 'title' | 'netMinor' | 'vatMinor' | 'payToken'> & {
  /** A top-up gets its id here. */
  readonly of:
    | (({ readonly offerId: number } | { readonly groupId: number }) & { readonly spender: string })
    | { readonly idempotencyKey: string };
};

/** Undefined if the offer, the group or the key of the top-up is on record already. */
export async function insertCheckout(
  tx: Transaction,
  { of, book, title, netMinor, vatMinor, payToken }: NewPayment,
  checkout: Checkout,
  now: Date,
): Promise<CardPayment | undefined> {
  const { session, state, expiryAt } = checkout;
  const [row] = await tx.query<CardPaymentRow>(
    `INSERT INTO payments
       (offer_id, idempotency_key, top_up_id, organisation_id, mode, currency, title, net_minor, vat_minor, payment_method, state, pay_token,
        expiry_at, generation, session_begun_at, session_expires_at, next_check_at, spender, ordered_on, group_id)
     VALUES ($1, $2, CASE WHEN $2::text IS NOT NULL THEN nextval('top_up_ids') END, $3, $4, $5, $6, $7, $8, 'E', $9, $10, $11, $12, $13, $14, $15,
             $16, CASE WHEN $16::text IS NOT NULL THEN ($13 AT TIME ZONE 'UTC')::date END, $17)
     ON CONFLICT DO NOTHING RETURNING *`,
    [
      'offerId' in of ? of.offerId : null,
      'idempotencyKey' in of ? of.idempotencyKey : null,
      book.organisationId,
      book.mode,
      book.currency,
      title,
      netMinor,
      vatMinor,
      state,
      payToken,
      expiryAt,
      session.generation,
      now,
      session.expiresAt,
      nextReconciliation(checkout, now),
      'spender' in of ? of.spender : null,
      'groupId' in of ? of.groupId : null,
    ],
  );
  return row && toCardPayment(row);
}

/** Applies `change` to the checkout of a locked card payment, in one statement, and returns the changed payment. */
export async function updateCheckout<P extends CardPayment>(
  tx: Transaction,
  payment: P,
  change: (checkout: Checkout) => Checkout,
  now: Date,
): Promise<P> {
  const checkout = change(payment.checkout);
  if (checkout === payment.checkout) return payment;
  await saveCheckout(tx, payment.purchase, checkout, now);
  return { ...payment, checkout };
}

/** Locks the payment and updates its checkout in a transaction of its own; throws if the payment no longer exists. */
export async function changeCheckout(
  { postgres, clock }: { readonly postgres: Postgres; readonly clock: Clock },
  { purchase }: { readonly purchase: Purchase },
  change: (checkout: Checkout) => Checkout,
): Promise<CardPayment> {
  return postgres.transaction(async (tx) => {
    const payment = await lockCardPayment(tx, purchase);
    if (payment === undefined) throw serviceUnavailable(`checkout of ${purchaseName(purchase)} is gone`);
    return updateCheckout(tx, payment, change, clock.now());
  });
}

/**
 * The session on record of the receipt's generation, if that is not the payment's latest generation. Null if Stripe's answer for it was
 * never received.
 */
export async function earlierSession(
  on: Queryable,
  payment: Payment | undefined,
  { purchase, generation }: { readonly purchase: Purchase; readonly generation: number },
): Promise<string | null> {
  if (payment?.method !== 'E' || generation >= payment.checkout.session.generation) return null;
  const [row] = await on.query<{ session_id: string }>(
    `SELECT session_id FROM earlier_sessions WHERE ${thisPurchase} AND generation = $4`,
    [...idValues(purchase), generation],
  );
  return row?.session_id ?? null;
}

/** A new generation begins only when no earlier session can be paid any more, so those need no further check. */
const SAVE_CHECKOUT = `
  WITH earlier AS (
    INSERT INTO earlier_sessions (session_id, offer_id, top_up_id, group_id, generation)
    SELECT session_id, offer_id, top_up_id, group_id, generation FROM payments
     WHERE ${thisPurchase} AND generation < $4 AND session_id IS NOT NULL
  )
  UPDATE payments
     SET state = $5, paid_at = $6, deletion = $7, deletion_taken_back = $8,
         paid_session_id = coalesce($9, paid_session_id), payment_intent_id = coalesce($10, payment_intent_id),
         session_id = $11, session_url = $12, session_expires_at = $13, session_expired = $14, generation = $4,
         session_begun_at = CASE WHEN generation = $4 THEN session_begun_at ELSE $15 END,
         next_check_at = CASE WHEN $16::timestamptz IS NULL THEN NULL
                              WHEN generation = $4 THEN least(next_check_at, $16) ELSE $16 END
   WHERE ${thisPurchase}`;

/** @param paid the session that was paid, if this stores a payment */
export async function saveCheckout(
  tx: Transaction,
  purchase: Purchase,
  checkout: Checkout,
  now: Date,
  paid?: { readonly sessionId: string; readonly paymentIntentId: string | null },
): Promise<void> {
  const { state, paidAt, deletion, revoked, session } = checkout;
  await tx.query(SAVE_CHECKOUT, [
    ...idValues(purchase),
    session.generation,
    state,
    paidAt,
    deletion,
    revoked,
    paid?.sessionId,
    paid?.paymentIntentId,
    session.sessionId,
    session.url,
    session.expiresAt,
    session.expired,
    now,
    nextReconciliation(checkout, now),
  ]);
}

/** Asks for the batch that is due, oldest first. */
type DueQuery = { readonly modes: readonly Mode[]; readonly now: Date; readonly limit: number };

/**
 * Card payments whose session is due for a check with Stripe. Sets the time of their next check at once, so that no other replica takes them
 * too.
 */
export async function takeDueSessions(tx: Transaction, due: DueQuery): Promise<CardPayment[]> {
  return takeBatch(tx, due, {
    where: 'next_check_at <= $1',
    time: 'next_check_at',
    putOff: (row) => nextCheck(due.now, row.session_begun_at, row.session_expires_at),
  });
}

/**
 * Unpaid checkouts past their end, which are to be closed (decision 4, expiry wins). Sets the time of the next try at once. The wait grows
 * with each try, so that checkouts that cannot be closed do not delay the others.
 * @param which `payable`: only those whose session outlives them, so that a payer can still pay
 */
export async function takePastEnd(
  tx: Transaction,
  due: DueQuery,
  which: 'all' | 'payable',
): Promise<CardPayment[]> {
  const isPayable = 'session_id IS NOT NULL AND NOT session_expired AND session_expires_at > $1';
  return takeBatch(tx, due, {
    where: `${waiting} AND coalesce(close_at, expiry_at) <= $1 ${which === 'payable' ? `AND ${isPayable}` : ''}`,
    time: 'close_at',
    putOff: (row) => nextClosing(due.now, row.expiry_at),
  });
}

const waiting = `state IN ('opening', 'open', 'closing')`;

/** Leaves out what another transaction has locked. */
async function takeBatch(
  tx: Transaction,
  { modes, now, limit }: DueQuery,
  o: {
    readonly where: string;
    /** The column of the time at which a payment is due. */
    readonly time: 'next_check_at' | 'close_at';
    readonly putOff: (row: CardPaymentRow) => Date;
  },
): Promise<CardPayment[]> {
  const due = await tx.query<CardPaymentRow>(
    `SELECT * FROM payments WHERE ${o.where} AND mode = ANY ($3)
      ORDER BY ${o.time === 'close_at' ? 'coalesce(close_at, expiry_at)' : o.time} LIMIT $2 FOR UPDATE SKIP LOCKED`,
    [now, limit, modes],
  );
  if (due.length > 0)
    await tx.query(
      `UPDATE payments SET ${o.time} = put_off.until
         FROM unnest($1::text[], $2::timestamptz[]) AS put_off (token, until) WHERE pay_token = put_off.token`,
      [due.map((row) => row.pay_token), due.map(o.putOff)],
    );
  return due.map(toCardPayment);
}

/**
 * For an offer that ended or was deleted unpaid; of a group, it ends the group. A checkout that is closed stays closed. A loop closes an open
 * one, because it limits the rate of Stripe calls: many offers may end at midnight.
 */
export async function closeForEver(on: Queryable, offerId: number, now: Date): Promise<void> {
  await on.query(
    `UPDATE payments
        SET close_at = $2, deletion = CASE WHEN state = 'closed' THEN $3 ELSE deletion END
      WHERE (offer_id = $1 OR group_id = (SELECT of_group FROM payments WHERE offer_id = $1))
        AND (${waiting} AND coalesce(close_at, expiry_at) > $2 OR state = 'closed' AND deletion < $3)`,
    [offerId, now, FOR_EVER],
  );
}
