/** Checkouts in Postgres: their sessions at Stripe, and which of them are due for reconciliation. */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Postgres, Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Clock } from '@offer-ads/platform/process/clock';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { type CardPayment, type Purchase, purchaseName } from '../domain/payments/card-payment.ts';
import { type Checkout, nextCheck, nextClosing, nextReconciliation } from '../domain/payments/checkout.ts';
import type { Payment, Sale } from '../domain/payments/offer-payment.ts';
import { type CardPaymentRow, lockCardPayment, saleValues, toCardPayment } from './payments-store.ts';

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

export async function insertCheckout(
  tx: Transaction,
  sale: Sale & { readonly vatMinor: bigint; readonly payToken: string },
  checkout: Checkout,
  now: Date,
): Promise<void> {
  const inserted = await tx.query(
    `INSERT INTO offer_payments
       (offer_id, organisation_id, mode, currency, title, net_minor, vat_minor, payment_method, state, pay_token, offer_expiry_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, 'E', $8, $9, $10)
     ON CONFLICT DO NOTHING RETURNING offer_id`,
    [...saleValues(sale), sale.vatMinor, checkout.state, sale.payToken, checkout.expiryAt],
  );
  if (inserted.length === 1) await insertSession(tx, { kind: 'offer', offerId: sale.offerId }, checkout, now);
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
  const { id, key } = rowOf(purchase);
  const [row] = await on.query<{ session_id: string | null }>(
    `SELECT session_id FROM checkout_sessions WHERE ${id} = $1 AND generation = $2`,
    [key, generation],
  );
  return row?.session_id ?? null;
}

/** $1 is the purchase; $2 to $8 are the session. */
const sessionWrite = (id: string) => `
  INSERT INTO checkout_sessions
    (${id}, generation, session_id, url, begun_at, expires_at, expired, next_check_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
  ON CONFLICT (${id}, generation) DO UPDATE
    SET session_id = excluded.session_id, url = excluded.url, expired = excluded.expired,
        next_check_at = CASE WHEN excluded.next_check_at IS NULL THEN NULL
                             ELSE least(checkout_sessions.next_check_at, excluded.next_check_at) END`;

function sessionValues(purchase: Purchase, checkout: Checkout, now: Date): unknown[] {
  const { session } = checkout;
  return [
    rowOf(purchase).key,
    session.generation,
    session.sessionId,
    session.url,
    now,
    session.expiresAt,
    session.expired,
    nextReconciliation(checkout, now),
  ];
}

/** For a new checkout, whose row was inserted in the same transaction. */
export async function insertSession(
  tx: Transaction,
  purchase: Purchase,
  checkout: Checkout,
  now: Date,
): Promise<void> {
  await tx.query(sessionWrite(rowOf(purchase).id), sessionValues(purchase, checkout, now));
}

/**
 * Writes the row of the purchase and its session. A new generation begins only when no earlier session can be paid any more, so those need
 * no further check. Only offers are deleted.
 */
const checkoutWrite = (kind: Purchase['kind']): string => {
  const { table, id } = tables[kind];
  const deletion = kind === 'offer' ? ', deletion = $13, deletion_taken_back = $14' : '';
  return `
    WITH changed AS (
      UPDATE ${table}
         SET state = $9, paid_at = $10, paid_session_id = coalesce($11, paid_session_id),
             payment_intent_id = coalesce($12, payment_intent_id)${deletion}
       WHERE ${id} = $1
    ), earlier AS (
      UPDATE checkout_sessions SET expired = true, next_check_at = NULL
       WHERE ${id} = $1 AND generation < $2 AND NOT (expired AND next_check_at IS NULL)
    ) ${sessionWrite(id)}`;
};

/** @param paid the session that was paid, if this stores a payment */
export async function saveCheckout(
  tx: Transaction,
  purchase: Purchase,
  checkout: Checkout,
  now: Date,
  paid?: { readonly sessionId: string; readonly paymentIntentId: string | null },
): Promise<void> {
  const { state, paidAt, deletion, revoked } = checkout;
  await tx.query(checkoutWrite(purchase.kind), [
    ...sessionValues(purchase, checkout, now),
    state,
    paidAt,
    paid?.sessionId,
    paid?.paymentIntentId,
    ...(purchase.kind === 'offer' ? [deletion, revoked] : []),
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
 * @param which `payable`: only those whose session outlives them, so that a payer can still pay
 */
export async function takePastEnd(
  tx: Transaction,
  { modes, now, limit }: DueQuery,
  which: 'all' | 'payable',
): Promise<CardPayment[]> {
  const taken: PurchaseRow[] = [];
  for (const { table, id, expiry } of [
    { ...tables.offer, expiry: 'offer_expiry_at' },
    { ...tables['top-up'], expiry: 'expiry_at' },
  ]) {
    const due = await tx.query<{ key: bigint; expiry_at: Date }>(
      `SELECT ${id} AS key, ${expiry} AS expiry_at FROM ${table} purchase
        WHERE state IN ('opening', 'open', 'closing') AND coalesce(close_at, ${expiry}) <= $1 AND mode = ANY ($3)
          AND ($4 = 'all' OR EXISTS (
            SELECT FROM checkout_sessions s
             WHERE s.${id} = purchase.${id} AND session_id IS NOT NULL AND NOT expired AND expires_at > $1))
        ORDER BY coalesce(close_at, ${expiry}) LIMIT $2 FOR UPDATE OF purchase SKIP LOCKED`,
      [now, limit, modes, which],
    );
    if (due.length === 0) continue;
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
 * For an offer that ended unpaid. A loop closes its checkout, because it limits the rate of Stripe calls: many offers may end at midnight.
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
    'SELECT * FROM payments WHERE offer_id = ANY ($1::bigint[]) OR top_up_id = ANY ($2::bigint[])',
    [ids('offer_id'), ids('top_up_id')],
  );
  return found.map(toCardPayment);
}
