/**
 * Closing a payment page, so that it can never be paid again (architecture, rule 5): first *closing* is on record, which
 * keeps the link from opening anything; then the session is made certain to be over; then *closed*. A payment that
 * turns out to have come first is recorded at once (`E6`); what cannot be made certain goes back to *open* (`E7`). So does,
 * when offers says so, what was closed for a deletion that offers has heard no answer for.
 */
import type { CloseCheckoutReply, KeepCheckoutReply } from '@offer-ads/contracts/internal/billing-api';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { Fault } from '@offer-ads/platform/process/faults';
import type { Billing } from '../billing.ts';
import type { Book } from '../domain/ledger/ledger.ts';
import { type CardPayment, purchaseName } from '../domain/payments/card-payment.ts';
import {
  type Checkout,
  closed,
  closing,
  FOR_EVER,
  isOverAtStripe,
  opened,
  reopened,
  sessionExpired,
  takenBack,
} from '../domain/payments/checkout.ts';
import { isSameBook } from '../domain/payments/offer-payment.ts';
import { conflictingSale } from '../faults.ts';
import { expireSession, openSession } from '../stripe/sessions.ts';
import { changeCheckout, updateCheckout } from './checkouts-store.ts';
import { insertClosed, lockPayment } from './payments-store.ts';
import { isProblem, recordFoundPayment } from './record-payment.ts';
import { reportMissing } from './report-missing.ts';

export type Closing = CloseCheckoutReply['outcome'];

/** @param deletion its number, when closing may be taken back */
export async function closeCheckout(
  billing: Billing,
  offer: { readonly offerId: number; readonly book: Book },
  deadline: Deadline,
  deletion = FOR_EVER,
): Promise<Closing> {
  const begun = await beginClosing(billing, offer, deletion, deadline);
  return typeof begun === 'string' ? begun : finishClosing(billing, begun, deadline);
}

/** The page of a top-up that was not paid in time. */
export async function closeTopUp(
  billing: Billing,
  payment: CardPayment,
  deadline: Deadline,
): Promise<Closing> {
  const begun = await changeCheckout(billing, payment, closing);
  const { state } = begun.checkout;
  return state === 'closing' ? finishClosing(billing, begun, deadline) : state === 'paid' ? 'paid' : 'closed';
}

async function finishClosing(billing: Billing, begun: CardPayment, deadline: Deadline): Promise<Closing> {
  const { generation } = begun.checkout.session;
  const end = begun.checkout.session.expired ? 'over' : await endSession(billing, begun, deadline);
  const { checkout } = await changeCheckout(billing, begun, (checkout) =>
    end === 'over' ? closed(sessionExpired(checkout, generation)) : reopened(checkout),
  );
  if (checkout.state === 'closed') return 'closed';
  return checkout.state === 'paid' ? 'paid' : 'unknown';
}

async function beginClosing(
  billing: Billing,
  { offerId, book }: { readonly offerId: number; readonly book: Book },
  deletion: number,
  deadline: Deadline,
): Promise<CardPayment | Closing> {
  return billing.postgres.transaction(async (tx) => {
    await insertClosed(tx, offerId, book);
    const payment = await lockPayment(tx, offerId);
    if (payment === undefined) throw new Error(`offer ${offerId} is neither new nor on record`);
    if (!isSameBook(payment.book, book)) throw conflictingSale(offerId);
    if (payment.method === null) return 'closed';
    if (payment.method === 'B') return 'paid';
    // A later deletion is put on record even if there is nothing left to close.
    const change = (checkout: Checkout) => closing(checkout, deletion);
    const begun = await updateCheckout(tx, payment, change, billing.clock.now());
    switch (begun.checkout.state) {
      case 'closing':
        return begun;
      case 'closed':
        return 'closed';
      case 'paid':
        return 'paid';
      case 'opening':
      case 'open':
        return 'unknown';
    }
  }, deadline);
}

/** For a deletion whose caller was told that nothing was deleted, although its request may have closed the page. */
export async function keepCheckout(
  billing: Billing,
  { offerId, book }: { readonly offerId: number; readonly book: Book },
  deletion: number,
): Promise<KeepCheckoutReply['outcome']> {
  return billing.postgres.transaction(async (tx) => {
    const payment = await lockPayment(tx, offerId);
    if (payment?.method !== 'E' || !isSameBook(payment.book, book)) throw conflictingSale(offerId);
    const change = (checkout: Checkout) => takenBack(checkout, deletion);
    const { checkout } = await updateCheckout(tx, payment, change, billing.clock.now());
    if (checkout.paidAt !== null) return 'paid';
    return checkout.state === 'closed' || checkout.state === 'closing' ? 'closed' : 'open';
  });
}

/** `over`: the session can never be paid. `not-over`: it has been paid, or nobody knows. */
async function endSession(
  billing: Billing,
  payment: CardPayment,
  deadline: Deadline,
): Promise<'over' | 'not-over'> {
  const purchase = purchaseName(payment.purchase);
  try {
    const sessionId = await resolveSessionId(billing, payment, deadline);
    if (sessionId === null) return 'over';
    const { status, isPaid, receipt } = await expireSession(
      billing.stripe,
      payment.book.mode,
      sessionId,
      deadline,
    );
    if (status === 'missing') reportMissing(billing, payment);
    if (isOverAtStripe(payment.checkout.session, status, billing.clock.now())) return 'over';
    if (isPaid && receipt !== null) {
      const recorded = await recordFoundPayment(billing, receipt);
      // What was paid there is kept for a person; nothing more can be (decision 87, payments of a wrong amount).
      if (status === 'complete' && isProblem(recorded)) return 'over';
    }
    return 'not-over';
  } catch (error) {
    if (!(error instanceof Fault) || error.status !== 503) throw error;
    billing.logger.warn({ error, purchase }, 'closing a payment page came to no certain end');
    return 'not-over';
  }
}

/**
 * Which session to expire. While it is opening, a request for it may still be on its way: asking under the same key
 * makes the session known, and nobody can be given another. Null: there is none, or none that anybody can be led to.
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
