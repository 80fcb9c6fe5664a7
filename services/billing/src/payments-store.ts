/** Offers' payments and their checkouts in Postgres. The row of an offer is the lock under which its money moves. */
import type { Clock } from '@offer-ads/platform/clock';
import { serviceUnavailable } from '@offer-ads/platform/faults';
import type { Postgres, Transaction } from '@offer-ads/platform/postgres';
import { type Checkout, type CheckoutState, nextCheck, nextLook } from './domain/checkout.ts';
import type { Book } from './domain/ledger.ts';
import type { CardPayment, OfferPayment } from './domain/offer-payment.ts';

type Sale = {
  readonly offerId: number;
  readonly book: Book;
  readonly title: string;
  readonly netMinor: bigint;
};

/** False: the id is known already. Waits for whoever is at work on it. */
export async function insertCharge(tx: Transaction, sale: Sale, chargedAt: Date): Promise<boolean> {
  return inserted(
    tx,
    `INSERT INTO offer_payments
       (offer_id, organisation_id, mode, currency, title, net_minor, vat_minor, payment_method, state, paid_at)
     VALUES ($1, $2, $3, $4, $5, $6, 0, 'B', 'charged', $7)
     ON CONFLICT DO NOTHING RETURNING offer_id`,
    [...saleValues(sale), chargedAt],
  );
}

export async function insertCheckout(
  tx: Transaction,
  sale: Sale & { readonly vatMinor: bigint; readonly payToken: string },
  checkout: Checkout,
  now: Date,
): Promise<boolean> {
  const isNew = await inserted(
    tx,
    `INSERT INTO offer_payments
       (offer_id, organisation_id, mode, currency, title, net_minor, vat_minor, payment_method, state, pay_token, offer_expiry_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, 'E', $8, $9, $10)
     ON CONFLICT DO NOTHING RETURNING offer_id`,
    [...saleValues(sale), sale.vatMinor, checkout.state, sale.payToken, checkout.offerExpiryAt],
  );
  if (isNew) await writeSession(tx, sale.offerId, checkout, now);
  return isNew;
}

/** Closes an id that nothing was asked of yet: whatever still comes for it finds it closed. */
export async function insertClosed(tx: Transaction, offerId: number, book: Book): Promise<boolean> {
  return inserted(
    tx,
    `INSERT INTO offer_payments (offer_id, organisation_id, mode, currency, title, net_minor, vat_minor, state)
     VALUES ($1, $2, $3, $4, $5, $6, 0, 'closed')
     ON CONFLICT DO NOTHING RETURNING offer_id`,
    saleValues({ offerId, book, title: '', netMinor: 0n }),
  );
}

async function inserted(tx: Transaction, sql: string, values: readonly unknown[]): Promise<boolean> {
  return (await tx.query(sql, values)).length === 1;
}

function saleValues({ offerId, book, title, netMinor }: Sale): readonly unknown[] {
  return [offerId, book.organisationId, book.mode, book.currency, title, netMinor];
}

/** A refused request leaves nothing behind. */
export async function deletePayment(tx: Transaction, offerId: number): Promise<void> {
  await tx.query('DELETE FROM offer_payments WHERE offer_id = $1', [offerId]);
}

const SELECT_PAYMENT = `
  SELECT p.*, s.generation, s.session_id, s.url, s.expires_at, s.expired
    FROM offer_payments p
    LEFT JOIN LATERAL (
      SELECT * FROM checkout_sessions s WHERE s.offer_id = p.offer_id ORDER BY generation DESC LIMIT 1
    ) s ON true`;

export async function lockPayment(tx: Transaction, offerId: number): Promise<OfferPayment | undefined> {
  // Two statements: a lock that had to wait would show the session as it was before the wait.
  await tx.query('SELECT FROM offer_payments WHERE offer_id = $1 FOR UPDATE', [offerId]);
  return findPayment(tx, offerId);
}

export async function findPayment(on: Transaction, offerId: number): Promise<OfferPayment | undefined> {
  const [row] = await on.query<PaymentRow>(`${SELECT_PAYMENT} WHERE p.offer_id = $1`, [offerId]);
  return row && paymentOf(row);
}

export async function findByPayToken(on: Transaction, payToken: string): Promise<CardPayment | undefined> {
  const [row] = await on.query<PaymentRow>(`${SELECT_PAYMENT} WHERE p.pay_token = $1`, [payToken]);
  const payment = row && paymentOf(row);
  return payment?.method === 'E' ? payment : undefined;
}

/** Changes a locked card payment's checkout as `change` says, and gives the payment as it is then. */
export async function updateCheckout(
  tx: Transaction,
  payment: CardPayment,
  change: (checkout: Checkout) => Checkout,
  now: Date,
): Promise<CardPayment> {
  const checkout = change(payment.checkout);
  if (checkout === payment.checkout) return payment;
  await tx.query(
    `UPDATE offer_payments SET state = $2, paid_at = $3, deletion = $4, deletion_taken_back = $5
      WHERE offer_id = $1`,
    [payment.offerId, checkout.state, checkout.paidAt, checkout.deletion, checkout.takenBack],
  );
  await writeSession(tx, payment.offerId, checkout, now);
  return { ...payment, checkout };
}

/** The same in a transaction of its own; a payment that is no longer there is a fault. */
export async function changeCheckout(
  { postgres, clock }: { readonly postgres: Postgres; readonly clock: Clock },
  { offerId }: { readonly offerId: number },
  change: (checkout: Checkout) => Checkout,
): Promise<CardPayment> {
  return postgres.transaction(async (tx) => {
    const payment = await lockPayment(tx, offerId);
    if (payment?.method !== 'E') throw serviceUnavailable(`checkout of offer ${offerId} is gone`);
    return updateCheckout(tx, payment, change, clock.now());
  });
}

async function writeSession(tx: Transaction, offerId: number, checkout: Checkout, now: Date): Promise<void> {
  const { session } = checkout;
  await tx.query(
    `INSERT INTO checkout_sessions
       (offer_id, generation, session_id, url, begun_at, expires_at, expired, next_check_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (offer_id, generation) DO UPDATE
       SET session_id = excluded.session_id, url = excluded.url, expired = excluded.expired,
           next_check_at = CASE WHEN excluded.next_check_at IS NULL THEN NULL
                                ELSE least(checkout_sessions.next_check_at, excluded.next_check_at) END`,
    [
      offerId,
      session.generation,
      session.sessionId,
      session.url,
      now,
      session.expiresAt,
      session.expired,
      nextLook(checkout, now),
    ],
  );
  // A new generation begins only when the ones before it are certain to be over: nobody asks about those again.
  await tx.query(
    `UPDATE checkout_sessions SET expired = true, next_check_at = NULL
      WHERE offer_id = $1 AND generation < $2 AND next_check_at IS NOT NULL`,
    [offerId, session.generation],
  );
}

export async function recordPaidSession(tx: Transaction, offerId: number, sessionId: string): Promise<void> {
  await tx.query('UPDATE offer_payments SET paid_session_id = $2 WHERE offer_id = $1', [offerId, sessionId]);
}

export async function addCredit(tx: Transaction, offerId: number, amountMinor: bigint): Promise<void> {
  await tx.query('UPDATE offer_payments SET credited_minor = credited_minor + $2 WHERE offer_id = $1', [
    offerId,
    amountMinor,
  ]);
}

/** Card payments whose session Stripe should be asked about; the next question is put off at once, so replicas share the work. */
export async function takeDueSessions(on: Transaction, now: Date, limit: number): Promise<CardPayment[]> {
  const due = await on.query<{ offer_id: bigint; begun_at: Date; expires_at: Date }>(
    `SELECT offer_id, begun_at, expires_at FROM checkout_sessions
      WHERE next_check_at <= $1 ORDER BY next_check_at LIMIT $2 FOR UPDATE SKIP LOCKED`,
    [now, limit],
  );
  if (due.length === 0) return [];
  await on.query(
    `UPDATE checkout_sessions SET next_check_at = put_off.until
       FROM unnest($1::bigint[], $2::timestamptz[]) AS put_off (offer_id, until)
      WHERE checkout_sessions.offer_id = put_off.offer_id AND next_check_at IS NOT NULL`,
    [due.map((row) => row.offer_id), due.map((row) => nextCheck(now, row.begun_at, row.expires_at))],
  );
  const rows = await on.query<PaymentRow>(`${SELECT_PAYMENT} WHERE p.offer_id = ANY ($1)`, [
    due.map((row) => row.offer_id),
  ]);
  return rows.map(paymentOf).filter((payment) => payment.method === 'E');
}

/** Checkouts of offers that have ended unpaid; their page is to be closed (decision 4). */
export async function findOutlived(on: Transaction, now: Date, limit: number): Promise<CardPayment[]> {
  const rows = await on.query<PaymentRow>(
    `${SELECT_PAYMENT}
      WHERE p.state IN ('opening', 'open', 'closing') AND p.offer_expiry_at <= $1
      ORDER BY p.offer_expiry_at LIMIT $2`,
    [now, limit],
  );
  return rows.map(paymentOf).filter((payment) => payment.method === 'E');
}

type PaymentRow = {
  offer_id: bigint;
  organisation_id: bigint;
  mode: Book['mode'];
  currency: string;
  title: string;
  net_minor: bigint;
  vat_minor: bigint;
  credited_minor: bigint;
  payment_method: 'B' | 'E' | null;
  state: 'charged' | CheckoutState;
  paid_at: Date | null;
  pay_token: string | null;
  offer_expiry_at: Date | null;
  paid_session_id: string | null;
  deletion: number;
  deletion_taken_back: boolean;
  generation: number | null;
  session_id: string | null;
  url: string | null;
  expires_at: Date | null;
  expired: boolean | null;
};

function paymentOf(row: PaymentRow): OfferPayment {
  const facts = {
    offerId: Number(row.offer_id),
    book: { organisationId: Number(row.organisation_id), mode: row.mode, currency: row.currency },
    title: row.title,
    netMinor: row.net_minor,
    vatMinor: row.vat_minor,
    creditedMinor: row.credited_minor,
  };
  if (row.payment_method === null) return { ...facts, method: null };
  if (row.state === 'charged') {
    return { ...facts, method: 'B', chargedAt: present(row.paid_at) };
  }
  const session = {
    generation: present(row.generation),
    expiresAt: present(row.expires_at),
    sessionId: row.session_id,
    url: row.url,
    expired: present(row.expired),
  };
  return {
    ...facts,
    method: 'E',
    payToken: present(row.pay_token),
    paidSessionId: row.paid_session_id,
    checkout: {
      state: row.state,
      session,
      offerExpiryAt: present(row.offer_expiry_at),
      paidAt: row.paid_at,
      deletion: row.deletion,
      takenBack: row.deletion_taken_back,
    },
  };
}

/** The table's constraints promise it. */
function present<T>(value: T | null): T {
  if (value === null) throw new Error('a payment row lacks what its payment method needs');
  return value;
}
