/** Payments of offers and top-ups in Postgres. The row of the purchase is locked before its money moves. */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import { offerCharged } from '../domain/ledger/ledger.ts';
import type { CardPayment, Purchase, Receipt } from '../domain/payments/card-payment.ts';
import type { CheckoutState } from '../domain/payments/checkout.ts';
import type { OfferOfBook, OfferPayment, Order, Payment, Sale } from '../domain/payments/offer-payment.ts';
import { WrongMode } from '../domain/payments/wrong-mode.ts';
import { type BookRow, bookOf } from '../ledger/book-row.ts';
import { postingSql, postTransaction } from '../ledger/ledger-store.ts';
import { lockIntent } from '../reversals/reversals-store.ts';

/** $11 to $13 are the title, the price and the spender. */
const chargeStatement = {
  name: 'charge',
  sql: postingSql(`, sale AS (
    INSERT INTO payments
      (offer_id, organisation_id, mode, currency, title, net_minor, vat_minor, payment_method, state, paid_at, spender, ordered_on)
    SELECT $5, $1, $2, $3, $11, $12, 0, 'B', 'charged', $8, $13, ($8 AT TIME ZONE 'UTC')::date FROM booked
  )`),
};

/**
 * Posts the charge of an offer together with the row of its payment, in one statement.
 * @throws an error for which `isOfKnownOffer` is true if the id is already known; waits for a concurrent transaction with the same id
 */
export function postCharge(on: Queryable, order: Order, at: Date) {
  const { book, offerId, title, netMinor, spending } = order;
  const posting = { statement: chargeStatement, values: [title, netMinor, spending.spender] };
  return postTransaction(on, offerCharged(book, offerId, netMinor), at, posting);
}

/** For a price of 0, which posts nothing. Throws as `postCharge` does. */
export async function insertFreeCharge(on: Queryable, order: Order, at: Date): Promise<void> {
  await on.query(
    `INSERT INTO payments
       (offer_id, organisation_id, mode, currency, title, net_minor, vat_minor, payment_method, state, paid_at, spender, ordered_on)
     VALUES ($1, $2, $3, $4, $5, $6, 0, 'B', 'charged', $7, $8, ($7 AT TIME ZONE 'UTC')::date)`,
    [...saleValues(order), at, order.spending.spender],
  );
}

/** SQLSTATE of a unique violation. */
const KNOWN = '23505';

export function isOfKnownOffer(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === KNOWN;
}

/** Closes an id for which nothing was requested yet: later requests for it find it closed. */
export async function insertClosed(tx: Transaction, { offerId, book }: OfferOfBook): Promise<void> {
  await tx.query(
    `INSERT INTO payments (offer_id, organisation_id, mode, currency, title, net_minor, vat_minor, state)
     VALUES ($1, $2, $3, $4, $5, $6, 0, 'closed') ON CONFLICT DO NOTHING`,
    saleValues({ offerId, book, title: '', netMinor: 0n }),
  );
}

export function saleValues({ offerId, book, title, netMinor }: Sale): readonly unknown[] {
  return [offerId, book.organisationId, book.mode, book.currency, title, netMinor];
}

/** $1 and $2 are the values of `idsOf`. */
export const thisPurchase = '(offer_id = $1 OR top_up_id = $2)';

/** Removes the row of a refused request. */
export async function deletePayment(tx: Transaction, purchase: Purchase): Promise<void> {
  const { offerId, topUpId } = idsOf(purchase);
  await tx.query(`DELETE FROM payments WHERE ${thisPurchase}`, [offerId, topUpId]);
}

/** Locks the payment of an offer or a top-up, and returns it as it is then. */
async function lockPaymentRow(tx: Transaction, purchase: Purchase): Promise<PaymentRow | undefined> {
  const { offerId, topUpId } = idsOf(purchase);
  const [row] = await tx.query<PaymentRow>(`SELECT * FROM payments WHERE ${thisPurchase} FOR UPDATE`, [
    offerId,
    topUpId,
  ]);
  return row;
}

/** The values of the columns `offer_id` and `top_up_id`, one of which is null. */
export function idsOf(purchase: Purchase) {
  return purchase.kind === 'offer'
    ? { offerId: purchase.offerId, topUpId: null }
    : { offerId: null, topUpId: purchase.topUpId };
}

export async function lockOfferPayment(tx: Transaction, offerId: number): Promise<OfferPayment | undefined> {
  const row = await lockPaymentRow(tx, { kind: 'offer', offerId });
  return row && toOfferPayment(row);
}

/** The payment that a receipt is for, with the lock for which refunds and disputes of the same payment at the provider wait. */
export async function lockPaymentOf(
  tx: Transaction,
  { purchase, paymentIntentId }: Receipt,
): Promise<Payment | undefined> {
  if (paymentIntentId !== null) await lockIntent(tx, paymentIntentId);
  const row = await lockPaymentRow(tx, purchase);
  if (row === undefined) return undefined;
  return row.offer_id === null && isCardRow(row) ? toCardPayment(row) : toOfferPayment(row);
}

export async function findOfferPayment(on: Queryable, offerId: number): Promise<OfferPayment | undefined> {
  const [row] = await on.query<PaymentRow>('SELECT * FROM payments WHERE offer_id = $1', [offerId]);
  return row && toOfferPayment(row);
}

/** One page of all payments, ordered by offer id. */
export async function listPayments(
  on: Queryable,
  o: { after: number; limit: number },
): Promise<OfferPayment[]> {
  const rows = await on.query<PaymentRow>(
    'SELECT * FROM payments WHERE offer_id > $1 ORDER BY offer_id LIMIT $2',
    [o.after, o.limit],
  );
  return rows.map(toOfferPayment);
}

/** Stores what the Unused Time is worth so far, and how much of it was credited. */
export async function saveCredits(
  tx: Transaction,
  offerId: number,
  { earnedMinor, creditedMinor }: Pick<OfferPayment, 'earnedMinor' | 'creditedMinor'>,
): Promise<void> {
  await tx.query('UPDATE payments SET earned_minor = $2, credited_minor = $3 WHERE offer_id = $1', [
    offerId,
    earnedMinor,
    creditedMinor,
  ]);
}

/** Undefined also for an offer that is not paid by card. */
export async function lockCardPayment(tx: Transaction, purchase: Purchase): Promise<CardPayment | undefined> {
  const row = await lockPaymentRow(tx, purchase);
  return row && isCardRow(row) ? toCardPayment(row) : undefined;
}

export async function findCardPaymentByToken(
  on: Queryable,
  payToken: string,
): Promise<CardPayment | undefined> {
  const [row] = await on.query<CardPaymentRow>('SELECT * FROM payments WHERE pay_token = $1', [payToken]);
  return row && toCardPayment(row);
}

/** @throws {WrongMode} if only the other mode has a payment with this intent */
export async function findCardPaymentByIntent(
  on: Queryable,
  mode: Mode,
  paymentIntentId: string,
): Promise<CardPayment | undefined> {
  const [row] = await on.query<CardPaymentRow>(
    'SELECT * FROM payments WHERE payment_intent_id = $1 ORDER BY mode = $2 DESC LIMIT 1',
    [paymentIntentId, mode],
  );
  if (row !== undefined && row.mode !== mode) throw new WrongMode('the payment of a refund or dispute', mode);
  return row && toCardPayment(row);
}

/** The columns of the checkout and its session are null for an offer that is not paid by card. */
type PaymentRow = BookRow & {
  offer_id: bigint | null;
  top_up_id: bigint | null;
  title: string;
  net_minor: bigint;
  vat_minor: bigint;
  earned_minor: bigint;
  credited_minor: bigint;
  paid_at: Date | null;
  paid_session_id: string | null;
  payment_intent_id: string | null;
  deletion: number;
  deletion_taken_back: boolean;
} & (
    | { payment_method: 'B' | null; state: 'charged' | 'closed' }
    | {
        payment_method: 'E';
        state: CheckoutState;
        pay_token: string;
        expiry_at: Date;
        generation: number;
        session_id: string | null;
        session_begun_at: Date;
        session_url: string | null;
        session_expires_at: Date;
        session_expired: boolean;
      }
  );
export type CardPaymentRow = Extract<PaymentRow, { payment_method: 'E' }>;

function isCardRow(row: PaymentRow): row is CardPaymentRow {
  return row.payment_method === 'E';
}

export function toCardPayment(row: CardPaymentRow): CardPayment {
  return {
    method: 'E',
    purchase:
      row.top_up_id === null
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
        expiresAt: row.session_expires_at,
        sessionId: row.session_id,
        url: row.session_url,
        expired: row.session_expired,
      },
      expiryAt: row.expiry_at,
      paidAt: row.paid_at,
      deletion: row.deletion,
      revoked: row.deletion_taken_back,
    },
  };
}

function toOfferPayment(row: PaymentRow): OfferPayment {
  const facts = {
    offerId: Number(row.offer_id),
    book: bookOf(row),
    title: row.title,
    netMinor: row.net_minor,
    vatMinor: row.vat_minor,
    creditedMinor: row.credited_minor,
    earnedMinor: row.earned_minor,
  };
  if (isCardRow(row)) return { ...facts, ...toCardPayment(row) };
  // The table's constraints guarantee the columns that a payment method requires.
  return row.payment_method === 'B'
    ? { ...facts, method: 'B', chargedAt: row.paid_at as Date }
    : { ...facts, method: null };
}
