/** Card payments of offers and top-ups in Postgres: checkouts, sessions, and which of them are due for reconciliation. */

import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Postgres, Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Clock } from '@offer-ads/platform/process/clock';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { type CardPayment, type Purchase, purchaseName } from '../domain/payments/card-payment.ts';
import {
  type Checkout,
  type CheckoutState,
  nextCheck,
  nextClosing,
  nextLook,
} from '../domain/payments/checkout.ts';
import { type BookRow, bookOf } from '../ledger/book-row.ts';

/** The table of each kind of purchase. The purchase's row is locked before its money moves. */
const tables = {
  offer: { table: 'offer_payments', id: 'offer_id' },
  'top-up': { table: 'top_ups', id: 'top_up_id' },
} as const;

/** Where the purchase's row is: its table, the name of its id column, and the id. */
function rowOf(purchase: Purchase) {
  const key = purchase.kind === 'offer' ? purchase.offerId : purchase.topUpId;
  return { ...tables[purchase.kind], key };
}

export async function lockCardPayment(tx: Transaction, purchase: Purchase): Promise<CardPayment | undefined> {
  const { table, id, key } = rowOf(purchase);
  // Locks first and reads in a second statement: a statement that waits for a lock returns the other tables as they were before the wait.
  const locked = await tx.query(`SELECT FROM ${table} WHERE ${id} = $1 FOR UPDATE`, [key]);
  // No row was locked, so none is read: a row inserted after the first statement would be returned without its lock.
  if (locked.length === 0) return undefined;
  const [row] = await tx.query<CardPaymentRow>(
    `SELECT * FROM card_payments WHERE purchase = $1 AND ${id} = $2`,
    [purchase.kind, key],
  );
  return row && toCardPayment(row);
}

export async function findCardPaymentByToken(
  on: Queryable,
  payToken: string,
): Promise<CardPayment | undefined> {
  const [row] = await on.query<CardPaymentRow>('SELECT * FROM card_payments WHERE pay_token = $1', [
    payToken,
  ]);
  return row && toCardPayment(row);
}

export async function findCardPaymentByIntent(
  on: Queryable,
  mode: Mode,
  paymentIntentId: string,
): Promise<CardPayment | undefined> {
  const [row] = await on.query<CardPaymentRow>(
    'SELECT * FROM card_payments WHERE payment_intent_id = $1 AND mode = $2 LIMIT 1',
    [paymentIntentId, mode],
  );
  return row && toCardPayment(row);
}

/** Applies `change` to the checkout of a locked card payment and returns the changed payment. */
export async function updateCheckout<P extends CardPayment>(
  tx: Transaction,
  payment: P,
  change: (checkout: Checkout) => Checkout,
  now: Date,
): Promise<P> {
  const checkout = change(payment.checkout);
  if (checkout === payment.checkout) return payment;
  const { table, id, key } = rowOf(payment.purchase);
  const { state, paidAt, deletion, revoked } = checkout;
  // Only offers are deleted.
  const isOffer = payment.purchase.kind === 'offer';
  await tx.query(
    `UPDATE ${table} SET state = $2, paid_at = $3${isOffer ? ', deletion = $4, deletion_taken_back = $5' : ''}
      WHERE ${id} = $1`,
    [key, state, paidAt, ...(isOffer ? [deletion, revoked] : [])],
  );
  await writeSession(tx, payment.purchase, checkout, now);
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

/** The stored session of a generation; null if Stripe's answer for it was never received. */
export async function sessionOf(
  on: Queryable,
  { purchase, generation }: { readonly purchase: Purchase; readonly generation: number },
): Promise<string | null> {
  const { id, key } = rowOf(purchase);
  const [row] = await on.query<{ session_id: string | null }>(
    `SELECT session_id FROM checkout_sessions WHERE ${id} = $1 AND generation = $2`,
    [key, generation],
  );
  return row?.session_id ?? null;
}

export async function writeSession(
  tx: Transaction,
  purchase: Purchase,
  checkout: Checkout,
  now: Date,
): Promise<void> {
  const { id, key } = rowOf(purchase);
  const { session } = checkout;
  await tx.query(
    `INSERT INTO checkout_sessions
       (${id}, generation, session_id, url, begun_at, expires_at, expired, next_check_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (${id}, generation) DO UPDATE
       SET session_id = excluded.session_id, url = excluded.url, expired = excluded.expired,
           next_check_at = CASE WHEN excluded.next_check_at IS NULL THEN NULL
                                ELSE least(checkout_sessions.next_check_at, excluded.next_check_at) END`,
    [
      key,
      session.generation,
      session.sessionId,
      session.url,
      now,
      session.expiresAt,
      session.expired,
      nextLook(checkout, now),
    ],
  );
  // A new generation begins only when no earlier session can be paid any more, so those need no further check.
  await tx.query(
    `UPDATE checkout_sessions SET expired = true, next_check_at = NULL
      WHERE ${id} = $1 AND generation < $2 AND next_check_at IS NOT NULL`,
    [key, session.generation],
  );
}

export async function recordPaidSession(
  tx: Transaction,
  purchase: Purchase,
  paid: { readonly sessionId: string; readonly paymentIntentId: string | null },
): Promise<void> {
  const { table, id, key } = rowOf(purchase);
  await tx.query(`UPDATE ${table} SET paid_session_id = $2, payment_intent_id = $3 WHERE ${id} = $1`, [
    key,
    paid.sessionId,
    paid.paymentIntentId,
  ]);
}

/** Asks for the batch that is due, oldest first: at most `limit` sessions, or at most `limit` offers and as many top-ups. */
type DueQuery = { readonly modes: readonly Mode[]; readonly now: Date; readonly limit: number };

/**
 * Card payments whose session is due for a check with Stripe. Sets the time of their next check at once, so that no other replica takes them
 * too.
 */
export async function takeDueSessions(
  tx: Transaction,
  { modes, now, limit }: DueQuery,
): Promise<CardPayment[]> {
  const due = await tx.query<{ checkout_session_id: bigint; begun_at: Date; expires_at: Date }>(
    `SELECT checkout_session_id, begun_at, expires_at FROM checkout_sessions s
      WHERE next_check_at <= $1
        AND coalesce((SELECT mode FROM offer_payments p WHERE p.offer_id = s.offer_id),
                     (SELECT mode FROM top_ups p WHERE p.top_up_id = s.top_up_id)) = ANY ($3)
      ORDER BY next_check_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
    [now, limit, modes],
  );
  if (due.length === 0) return [];
  const taken = await tx.query<PurchaseRow>(
    `UPDATE checkout_sessions SET next_check_at = put_off.until
       FROM unnest($1::bigint[], $2::timestamptz[]) AS put_off (id, until)
      WHERE checkout_session_id = put_off.id
     RETURNING offer_id, top_up_id`,
    [
      due.map((row) => row.checkout_session_id),
      due.map((row) => nextCheck(now, row.begun_at, row.expires_at)),
    ],
  );
  return findCardPayments(tx, taken);
}

/**
 * Unpaid checkouts past their end, which are to be closed (decision 4, expiry wins). Sets the time of the next try at once. The wait grows
 * with each try, so that checkouts that cannot be closed do not delay the others.
 */
export async function takePastEnd(tx: Transaction, { modes, now, limit }: DueQuery): Promise<CardPayment[]> {
  const taken: PurchaseRow[] = [];
  for (const { table, id, expiry } of [
    { ...tables.offer, expiry: 'offer_expiry_at' },
    { ...tables['top-up'], expiry: 'expiry_at' },
  ]) {
    const due = await tx.query<{ key: bigint; expiry_at: Date }>(
      `SELECT ${id} AS key, ${expiry} AS expiry_at FROM ${table}
        WHERE state IN ('opening', 'open', 'closing') AND coalesce(close_at, ${expiry}) <= $1 AND mode = ANY ($3)
        ORDER BY coalesce(close_at, ${expiry}) LIMIT $2 FOR UPDATE SKIP LOCKED`,
      [now, limit, modes],
    );
    taken.push(
      ...(await tx.query<PurchaseRow>(
        `UPDATE ${table} SET close_at = put_off.until
           FROM unnest($1::bigint[], $2::timestamptz[]) AS put_off (key, until)
          WHERE ${id} = put_off.key
         RETURNING ${id}`,
        [due.map((row) => row.key), due.map((row) => nextClosing(now, row.expiry_at))],
      )),
    );
  }
  return findCardPayments(tx, taken);
}

/**
 * For an offer that ended unpaid. The reconciliation closes its checkout, because it limits the rate of Stripe calls: many offers may end
 * at midnight.
 */
export async function scheduleClosing(on: Queryable, offerId: number, now: Date): Promise<void> {
  await on.query(
    `UPDATE offer_payments SET close_at = $2
      WHERE offer_id = $1 AND state IN ('opening', 'open', 'closing') AND coalesce(close_at, offer_expiry_at) > $2`,
    [offerId, now],
  );
}

type PurchaseRow = { readonly offer_id?: bigint | null; readonly top_up_id?: bigint | null };

async function findCardPayments(on: Queryable, rows: readonly PurchaseRow[]): Promise<CardPayment[]> {
  const ids = (id: keyof PurchaseRow) => rows.map((row) => row[id] ?? null).filter((key) => key !== null);
  const found = await on.query<CardPaymentRow>(
    'SELECT * FROM card_payments WHERE offer_id = ANY ($1::bigint[]) OR top_up_id = ANY ($2::bigint[])',
    [ids('offer_id'), ids('top_up_id')],
  );
  return found.map(toCardPayment);
}

/** A row of the view `card_payments`. */
export type CardPaymentRow = BookRow & {
  purchase: Purchase['kind'];
  offer_id: bigint | null;
  top_up_id: bigint | null;
  title: string;
  net_minor: bigint;
  vat_minor: bigint;
  state: CheckoutState;
  pay_token: string;
  expiry_at: Date;
  paid_at: Date | null;
  paid_session_id: string | null;
  payment_intent_id: string | null;
  deletion: number;
  deletion_taken_back: boolean;
  generation: number;
  session_id: string | null;
  url: string | null;
  expires_at: Date;
  expired: boolean;
};

export function toCardPayment(row: CardPaymentRow): CardPayment {
  return {
    method: 'E',
    purchase:
      row.purchase === 'offer'
        ? { kind: 'offer', offerId: Number(row.offer_id) }
        : { kind: 'top-up', topUpId: Number(row.top_up_id) },
    book: bookOf(row),
    title: row.title,
    netMinor: row.net_minor,
    vatMinor: row.vat_minor,
    payToken: row.pay_token,
    paidSessionId: row.paid_session_id,
    paymentIntentId: row.payment_intent_id,
    checkout: {
      state: row.state,
      session: {
        generation: row.generation,
        expiresAt: row.expires_at,
        sessionId: row.session_id,
        url: row.url,
        expired: row.expired,
      },
      expiryAt: row.expiry_at,
      paidAt: row.paid_at,
      deletion: row.deletion,
      revoked: row.deletion_taken_back,
    },
  };
}
