/** Payments of offers, groups and top-ups in Postgres. The row of the purchase is locked before its money moves. */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import { offerCharged } from '../domain/ledger/ledger.ts';
import type { CardPayment, Purchase, Receipt } from '../domain/payments/card-payment.ts';
import type { CheckoutState } from '../domain/payments/checkout.ts';
import {
  type GroupOffer,
  type GroupSale,
  isOfGroup,
  type OfferSale,
  type Order,
  type Payment,
  purchaseOf,
  type Sale,
  type SaleOfBook,
} from '../domain/payments/offer-payment.ts';
import { WrongMode } from '../domain/payments/wrong-mode.ts';
import { conflictingSale } from '../faults.ts';
import { type BookRow, bookOf } from '../ledger/book-row.ts';
import { postingSql, postTransaction } from '../ledger/ledger-store.ts';
import { lockIntent } from '../reversals/reversals-store.ts';

/** $12 to $14 are the title, the price and the spender. */
const chargeStatement = {
  name: 'charge',
  sql: postingSql(`, sale AS (
    INSERT INTO payments
      (offer_id, organisation_id, mode, currency, title, net_minor, vat_minor, payment_method, state, paid_at, spender, ordered_on)
    SELECT $5, $1, $2, $3, $12, $13, 0, 'B', 'charged', $8, $14, ($8 AT TIME ZONE 'UTC')::date FROM booked
  )`),
};

/**
 * Posts the charge of an offer together with the row of its payment, in one statement.
 * @throws an error for which `isOfKnownOffer` is true if the id is already known; waits for a concurrent transaction with the same id
 */
export function postCharge(on: Queryable, order: Order<OfferSale>, at: Date) {
  const { book, offerId, title, netMinor, spending } = order;
  const posting = { statement: chargeStatement, values: [title, netMinor, spending.spender] };
  return postTransaction(on, offerCharged(book, offerId, netMinor), at, posting);
}

/**
 * The row of a charge without its postings: of a group, or for a price of 0, which posts nothing.
 * @returns false if the id is already known
 */
export async function insertCharge(on: Queryable, order: Order, at: Date): Promise<boolean> {
  const { book, title, netMinor, spending } = order;
  const { organisationId, mode, currency } = book;
  const ids = idValues(purchaseOf(order));
  const inserted = await on.query(
    `INSERT INTO payments
       (offer_id, top_up_id, group_id, organisation_id, mode, currency, title, net_minor, vat_minor, payment_method, state, paid_at, spender, ordered_on)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0, 'B', 'charged', $9, $10, ($9 AT TIME ZONE 'UTC')::date)
     ON CONFLICT DO NOTHING RETURNING state`,
    [...ids, organisationId, mode, currency, title, netMinor, at, spending.spender],
  );
  return inserted.length === 1;
}

/**
 * The rows of a new group's offers.
 * @param at when they are charged; null: when the group is paid
 */
export async function insertGroupOffers(
  tx: Transaction,
  { groupId, book, offers }: GroupSale,
  at: Date | null,
): Promise<void> {
  const inserted = await tx.query(
    `INSERT INTO payments (offer_id, of_group, organisation_id, mode, currency, title, net_minor, vat_minor, payment_method, state, paid_at)
     SELECT offer_id, $4, $5, $6, $7, title, net_minor, 0, 'B', CASE WHEN $8::timestamptz IS NULL THEN 'unpaid' ELSE 'charged' END, $8
       FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS offer (offer_id, title, net_minor)
     ON CONFLICT DO NOTHING RETURNING offer_id`,
    [
      offers.map(({ offerId }) => offerId),
      offers.map(({ title }) => title),
      offers.map(({ netMinor }) => netMinor),
      groupId,
      book.organisationId,
      book.mode,
      book.currency,
      at,
    ],
  );
  if (inserted.length < offers.length) throw conflictingSale(`an offer of group ${groupId}`);
}

/** In the order of their ids. */
export async function listGroupOffers(on: Queryable, groupId: number): Promise<GroupOffer[]> {
  return on.query<GroupOffer>(
    `SELECT offer_id::float8 AS "offerId", title, net_minor AS "netMinor" FROM payments WHERE of_group = $1 ORDER BY offer_id`,
    [groupId],
  );
}

/** True for a single offer, and for the group on record if it has these offers at these prices. */
export async function hasSameOffers(on: Queryable, sale: Sale): Promise<boolean> {
  if (!isOfGroup(sale)) return true;
  const known = new Map((await listGroupOffers(on, sale.groupId)).map((offer) => [offer.offerId, offer]));
  return (
    known.size === sale.offers.length &&
    sale.offers.every(({ offerId, netMinor }) => known.get(offerId)?.netMinor === netMinor)
  );
}

/** The group was paid: the charges of its offers are posted after this. */
export async function markOffersCharged(tx: Transaction, groupId: number, at: Date): Promise<void> {
  await tx.query(`UPDATE payments SET state = 'charged', paid_at = $2 WHERE of_group = $1`, [groupId, at]);
}

/** SQLSTATE of a unique violation. */
const KNOWN = '23505';

export function isOfKnownOffer(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === KNOWN;
}

/** Closes an id for which nothing was requested yet: later requests for it find it closed. */
export async function insertClosed(tx: Transaction, { book, ...sale }: SaleOfBook): Promise<void> {
  await tx.query(
    `INSERT INTO payments (offer_id, top_up_id, group_id, organisation_id, mode, currency, title, net_minor, vat_minor, state)
     VALUES ($1, $2, $3, $4, $5, $6, '', 0, 0, 'closed') ON CONFLICT DO NOTHING`,
    [...idValues(purchaseOf(sale)), book.organisationId, book.mode, book.currency],
  );
}

/** $1 to $3 are the values of `idValues`. */
export const thisPurchase = '(offer_id = $1 OR top_up_id = $2 OR group_id = $3)';

/** Removes the row of a refused request, and those of a group's offers with it. */
export async function deletePayment(tx: Transaction, purchase: Purchase): Promise<void> {
  await tx.query(`DELETE FROM payments WHERE ${thisPurchase}`, idValues(purchase));
}

/** The values of the columns `offer_id`, `top_up_id` and `group_id`, of which one is not null. */
export function idValues({ kind, id }: Purchase): (number | null)[] {
  return (['offer', 'top-up', 'group'] as const).map((one) => (one === kind ? id : null));
}

/** Locks the payment, and returns it as it is then. */
export async function lockPayment(tx: Transaction, purchase: Purchase): Promise<Payment | undefined> {
  const sql = `SELECT * FROM payments WHERE ${thisPurchase} FOR UPDATE`;
  const [row] = await tx.query<PaymentRow>(sql, idValues(purchase));
  return row && toPayment(row);
}

export async function findPayment(on: Queryable, purchase: Purchase): Promise<Payment | undefined> {
  const [row] = await on.query<PaymentRow>(
    `SELECT * FROM payments WHERE ${thisPurchase}`,
    idValues(purchase),
  );
  return row && toPayment(row);
}

/** The payment that a receipt is for, with the lock for which refunds and disputes of the same payment at the provider wait. */
export async function lockPaymentOf(
  tx: Transaction,
  { purchase, paymentIntentId }: Receipt,
): Promise<Payment | undefined> {
  if (paymentIntentId !== null) await lockIntent(tx, paymentIntentId);
  return lockPayment(tx, purchase);
}

/** One page of the payments of all offers, ordered by offer id. `paidWith`: what the payer pays, the offer itself or its group. */
export async function listPayments(
  on: Queryable,
  o: { after: number; limit: number },
): Promise<{ readonly payment: Payment; readonly paidWith: Payment }[]> {
  const rows = await on.query<PaymentRow>(
    'SELECT * FROM payments WHERE offer_id > $1 ORDER BY offer_id LIMIT $2',
    [o.after, o.limit],
  );
  const groups = await on.query<PaymentRow>('SELECT * FROM payments WHERE group_id = ANY ($1)', [
    rows.flatMap(({ of_group }) => of_group ?? []),
  ]);
  const groupOf = new Map(groups.map((group) => [group.group_id, group]));
  return rows.map((row) => ({
    payment: toPayment(row),
    paidWith: toPayment((row.of_group === null ? undefined : groupOf.get(row.of_group)) ?? row),
  }));
}

/** Stores what the Unused Time is worth so far, and how much of it was credited. */
export async function saveCredits(
  tx: Transaction,
  offerId: number,
  { earnedMinor, creditedMinor }: Pick<Payment, 'earnedMinor' | 'creditedMinor'>,
): Promise<void> {
  await tx.query('UPDATE payments SET earned_minor = $2, credited_minor = $3 WHERE offer_id = $1', [
    offerId,
    earnedMinor,
    creditedMinor,
  ]);
}

/** Undefined also for an offer that is not paid by card. */
export async function lockCardPayment(tx: Transaction, purchase: Purchase): Promise<CardPayment | undefined> {
  const payment = await lockPayment(tx, purchase);
  return payment?.method === 'E' ? payment : undefined;
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
  group_id: bigint | null;
  of_group: bigint | null;
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
    | { payment_method: 'B' | null; state: 'charged' | 'unpaid' | 'closed' }
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

function factsOf(row: PaymentRow) {
  return {
    purchase: purchaseIn(row),
    book: bookOf(row),
    title: row.title,
    netMinor: row.net_minor,
    vatMinor: row.vat_minor,
    groupId: row.of_group === null ? null : Number(row.of_group),
    creditedMinor: row.credited_minor,
    earnedMinor: row.earned_minor,
  };
}

function purchaseIn({ offer_id, top_up_id, group_id }: PaymentRow): Purchase {
  if (offer_id !== null) return { kind: 'offer', id: Number(offer_id) };
  return group_id === null
    ? { kind: 'top-up', id: Number(top_up_id) }
    : { kind: 'group', id: Number(group_id) };
}

export function toCardPayment(row: CardPaymentRow): CardPayment {
  return {
    ...factsOf(row),
    method: 'E',
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

function toPayment(row: PaymentRow): Payment {
  if (row.payment_method === 'E') return toCardPayment(row);
  return row.payment_method === 'B'
    ? { ...factsOf(row), method: 'B', chargedAt: row.paid_at }
    : { ...factsOf(row), method: null };
}
