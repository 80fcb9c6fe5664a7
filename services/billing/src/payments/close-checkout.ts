/**
 * Closes a checkout, so that it can never be paid again (architecture, rule 5). First the state *closing* is stored, so that the link opens
 * no session any more; then the session is expired at Stripe; then the state is *closed*. If a payment came first, it is recorded at once
 * (`E6`). If the result is not certain, the state goes back to *open* (`E7`). A checkout that was closed for a deletion also reopens if the
 * offers service reports that it never received the answer.
 */
import type { CloseCheckoutReply, KeepCheckoutReply } from '@offer-ads/contracts/internal/billing-api';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { Fault } from '@offer-ads/platform/process/faults';
import type { Billing } from '../billing.ts';
import { isSameBook } from '../domain/ledger/ledger.ts';
import { type CardPayment, purchaseName } from '../domain/payments/card-payment.ts';
import {
  type Checkout,
  closed,
  closing,
  deletionRevoked,
  FOR_EVER,
  opened,
  reopened,
  sessionExpired,
} from '../domain/payments/checkout.ts';
import { paidAt, purchaseOf, type SaleOfBook } from '../domain/payments/offer-payment.ts';
import { conflictingSale } from '../faults.ts';
import { expireSession, openSession } from '../stripe/sessions.ts';
import { changeCheckout, updateCheckout } from './checkouts-store.ts';
import { insertClosed, lockPayment } from './payments-store.ts';
import { applySessionFacts, isProblem } from './record-payment.ts';

export type Closing = CloseCheckoutReply['outcome'];

/** @param deletion the deletion's number, if closing can be revoked */
export async function closeCheckout(
  billing: Billing,
  sale: SaleOfBook,
  deadline: Deadline,
  deletion = FOR_EVER,
): Promise<Closing> {
  const begun = await beginClosing(billing, sale, deletion, deadline);
  return typeof begun === 'string' ? begun : finishClosing(billing, begun, deadline);
}

/** Closes what was not paid in time. */
export async function closePastEnd(
  billing: Billing,
  payment: CardPayment,
  deadline: Deadline,
): Promise<Closing> {
  return finishClosing(billing, await changeCheckout(billing, payment, closing), deadline);
}

async function finishClosing(billing: Billing, begun: CardPayment, deadline: Deadline): Promise<Closing> {
  if (begun.checkout.state !== 'closing') return outcomeOf(begun);
  const { generation } = begun.checkout.session;
  const unpayable = begun.checkout.session.expired || (await endSession(billing, begun, deadline));
  return outcomeOf(
    await changeCheckout(billing, begun, (checkout) =>
      unpayable ? closed(sessionExpired(checkout, generation)) : reopened(checkout),
    ),
  );
}

function outcomeOf({ checkout: { state } }: CardPayment): Closing {
  return state === 'closed' || state === 'paid' ? state : 'unknown';
}

async function beginClosing(
  billing: Billing,
  sale: SaleOfBook,
  deletion: number,
  deadline: Deadline,
): Promise<CardPayment | Closing> {
  const purchase = purchaseOf(sale);
  return billing.postgres.transaction(async (tx) => {
    await insertClosed(tx, sale);
    const payment = await lockPayment(tx, purchase);
    if (payment === undefined) throw new Error(`${purchaseName(purchase)} is neither new nor on record`);
    if (!isSameBook(payment.book, sale.book)) throw conflictingSale(purchaseName(purchase));
    if (payment.method === null) return 'closed';
    if (payment.method === 'B') {
      // An offer of an unpaid group: the whole group is closed, by its own id.
      if (paidAt(payment) === null) throw conflictingSale(purchaseName(purchase));
      return 'paid';
    }
    // A later deletion is stored even if the checkout is already closed.
    const change = (checkout: Checkout) => closing(checkout, deletion);
    return updateCheckout(tx, payment, change, billing.clock.now());
  }, deadline);
}

/** Revokes a deletion: its caller got the answer that nothing was deleted, but its request may have closed the checkout. */
export async function keepCheckout(
  billing: Billing,
  sale: SaleOfBook,
  deletion: number,
): Promise<KeepCheckoutReply['outcome']> {
  const purchase = purchaseOf(sale);
  return billing.postgres.transaction(async (tx) => {
    const payment = await lockPayment(tx, purchase);
    if (payment?.method !== 'E' || !isSameBook(payment.book, sale.book))
      throw conflictingSale(purchaseName(purchase));
    const change = (checkout: Checkout) => deletionRevoked(checkout, deletion);
    const { checkout } = await updateCheckout(tx, payment, change, billing.clock.now());
    if (checkout.paidAt !== null) return 'paid';
    return checkout.state === 'closed' || checkout.state === 'closing' ? 'closed' : 'open';
  });
}

/** True if the session can certainly never be paid. False if it was paid, or if its state is unknown. */
async function endSession(billing: Billing, payment: CardPayment, deadline: Deadline): Promise<boolean> {
  const purchase = purchaseName(payment.purchase);
  try {
    const sessionId = await resolveSessionId(billing, payment, deadline);
    if (sessionId === null) return true;
    const facts = await expireSession(billing.stripe, payment.book.mode, sessionId, deadline);
    const { unpayable, recorded } = await applySessionFacts(billing, payment, facts);
    // A payment of a wrong amount is stored for a person to look at, and the session accepts no second payment (decision 87, payments of
    // a wrong amount).
    return unpayable || (facts.status === 'complete' && recorded !== null && isProblem(recorded));
  } catch (error) {
    if (!(error instanceof Fault) || error.status !== 503) throw error;
    billing.logger.warn({ error, purchase }, 'it is uncertain whether a payment page was closed');
    return false;
  }
}

/**
 * The id of the session to expire. While the checkout is opening, a request to create its session may still be running. Repeating that
 * request with the same idempotency key returns its session and creates no second one. Null: there is no session, or no payer can reach
 * one.
 */
async function resolveSessionId(
  billing: Billing,
  payment: CardPayment,
  deadline: Deadline,
): Promise<string | null> {
  const { sessionId, generation } = payment.checkout.session;
  if (sessionId !== null) return sessionId;
  const answer = await openSession(billing.stripe, payment, billing.publicUrl, deadline);
  if (answer.kind !== 'opened') return null;
  await changeCheckout(billing, payment, (checkout) => opened(checkout, { ...answer, generation }));
  return answer.sessionId;
}
