/** Payments of offers in Postgres. The row of an offer is locked before its money moves. */
import type { PreparedStatement, Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import type { CardPayment, Receipt } from '../domain/payments/card-payment.ts';
import type { Checkout } from '../domain/payments/checkout.ts';
import type { OfferOfBook, OfferPayment, Sale } from '../domain/payments/offer-payment.ts';
import { bookOf } from '../ledger/book-row.ts';
import { intentLock } from '../reversals/reversals-store.ts';
import {
  insertSession,
  isCardRow,
  lockPaymentRow,
  type PaymentRow,
  toCardPayment,
} from './checkouts-store.ts';

/** False if the id is already known. Waits for a concurrent transaction with the same id. */
export async function insertCharge(tx: Transaction, sale: Sale, chargedAt: Date): Promise<boolean> {
  return inserted(tx, insertChargeStatement, [...saleValues(sale), chargedAt]);
}

const insertChargeStatement: PreparedStatement = {
  name: 'insert-charge',
  sql: `INSERT INTO offer_payments
          (offer_id, organisation_id, mode, currency, title, net_minor, vat_minor, payment_method, state, paid_at)
        VALUES ($1, $2, $3, $4, $5, $6, 0, 'B', 'charged', $7)
        ON CONFLICT DO NOTHING RETURNING offer_id`,
};

export async function insertCheckout(
  tx: Transaction,
  sale: Sale & { readonly vatMinor: bigint; readonly payToken: string },
  checkout: Checkout,
  now: Date,
): Promise<void> {
  const isNew = await inserted(
    tx,
    `INSERT INTO offer_payments
       (offer_id, organisation_id, mode, currency, title, net_minor, vat_minor, payment_method, state, pay_token, offer_expiry_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, 'E', $8, $9, $10)
     ON CONFLICT DO NOTHING RETURNING offer_id`,
    [...saleValues(sale), sale.vatMinor, checkout.state, sale.payToken, checkout.expiryAt],
  );
  if (isNew) await insertSession(tx, { kind: 'offer', offerId: sale.offerId }, checkout, now);
}

/** Closes an id for which nothing was requested yet: later requests for it find it closed. */
export async function insertClosed(tx: Transaction, { offerId, book }: OfferOfBook): Promise<void> {
  await inserted(
    tx,
    `INSERT INTO offer_payments (offer_id, organisation_id, mode, currency, title, net_minor, vat_minor, state)
     VALUES ($1, $2, $3, $4, $5, $6, 0, 'closed')
     ON CONFLICT DO NOTHING RETURNING offer_id`,
    saleValues({ offerId, book, title: '', netMinor: 0n }),
  );
}

async function inserted(
  tx: Transaction,
  statement: string | PreparedStatement,
  values: readonly unknown[],
): Promise<boolean> {
  return (await tx.query(statement, values)).length === 1;
}

function saleValues({ offerId, book, title, netMinor }: Sale): readonly unknown[] {
  return [offerId, book.organisationId, book.mode, book.currency, title, netMinor];
}

/** Removes the row of a refused request. */
export async function deletePayment(tx: Transaction, offerId: number): Promise<void> {
  await tx.query('DELETE FROM offer_payments WHERE offer_id = $1', [offerId]);
}

export async function lockOfferPayment(tx: Transaction, offerId: number): Promise<OfferPayment | undefined> {
  const row = await lockPaymentRow(tx, { kind: 'offer', offerId });
  return row && toOfferPayment(row);
}

/** The payment that a receipt is for, with the lock for which refunds and disputes of the same payment at the provider wait. */
export async function lockPaymentOf(
  tx: Transaction,
  { purchase, paymentIntentId }: Receipt,
): Promise<OfferPayment | CardPayment | undefined> {
  const row = await lockPaymentRow(tx, purchase, paymentIntentId && intentLock(paymentIntentId));
  return row && toPayment(row);
}

/** Of an offer or of a top-up. */
export function toPayment(row: PaymentRow): OfferPayment | CardPayment {
  return row.purchase === 'top-up' && isCardRow(row) ? toCardPayment(row) : toOfferPayment(row);
}

const SELECT_PAYMENT = `SELECT * FROM payments WHERE purchase = 'offer'`;

export async function findOfferPayment(on: Queryable, offerId: number): Promise<OfferPayment | undefined> {
  const [row] = await on.query<PaymentRow>(`${SELECT_PAYMENT} AND offer_id = $1`, [offerId]);
  return row && toOfferPayment(row);
}

/** One page of all payments, ordered by offer id. */
export async function listPayments(
  on: Queryable,
  o: { after: number; limit: number },
): Promise<OfferPayment[]> {
  const rows = await on.query<PaymentRow>(`${SELECT_PAYMENT} AND offer_id > $1 ORDER BY offer_id LIMIT $2`, [
    o.after,
    o.limit,
  ]);
  return rows.map(toOfferPayment);
}

/** Stores what the Unused Time is worth so far, and how much of it was credited. */
export async function saveCredits(
  tx: Transaction,
  offerId: number,
  { earnedMinor, creditedMinor }: Pick<OfferPayment, 'earnedMinor' | 'creditedMinor'>,
): Promise<void> {
  await tx.query('UPDATE offer_payments SET earned_minor = $2, credited_minor = $3 WHERE offer_id = $1', [
    offerId,
    earnedMinor,
    creditedMinor,
  ]);
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
