/**
 * The card checkout of an offer. The row comes first, then the call to Stripe, then the row again (rule: no network
 * call inside a transaction); whatever breaks in between, a repeat goes on with the same generation under the same key.
 */
import { randomBytes } from 'node:crypto';
import type { CheckoutReply } from '@offer-ads/contracts/billing-api';
import { cardMinimumMinor, isBilledCurrency } from '@offer-ads/contracts/currencies';
import type { Deadline } from '@offer-ads/platform/deadline';
import { Fault, serviceUnavailable } from '@offer-ads/platform/faults';
import type { Billing } from './billing.ts';
import { newCheckout, opened, renewed, sessionExpired } from './domain/checkout.ts';
import type { Book } from './domain/ledger.ts';
import { type CardPayment, isSameSale } from './domain/offer-payment.ts';
import { vatOnCardPayment } from './domain/vat.ts';
import { conflictingSale } from './faults.ts';
import { changeCheckout, deletePayment, insertCheckout, lockPayment } from './payments-store.ts';
import { openSession } from './stripe-sessions.ts';

export type CheckoutOrder = {
  readonly offerId: number;
  readonly book: Book;
  readonly country: string;
  readonly title: string;
  readonly netMinor: bigint;
  readonly offerExpiryAt: Date;
};

export async function openCheckout(
  billing: Billing,
  order: CheckoutOrder,
  deadline: Deadline,
): Promise<CheckoutReply> {
  const minimumMinor = requireMinimum(order.book.currency);
  if (order.netMinor < minimumMinor) return belowMinimum(minimumMinor);
  const payment = await reserve(billing, order);
  if (payment === 'closed') return { outcome: 'refused', reason: 'closed', minimumMinor: null };
  const ready = await ensureSession(billing, payment, deadline);
  if (ready === 'too-small') return belowMinimum(minimumMinor);
  return {
    outcome: 'opened',
    paymentUrl: paymentUrl(billing, payment),
    netMinor: `${payment.netMinor}`,
    vatMinor: `${payment.vatMinor}`,
  };
}

/** The stable link (decision 12); the same in every answer and every mail. */
export function paymentUrl({ publicUrl }: Billing, { payToken }: CardPayment): string {
  return `${publicUrl}/pay/${payToken}`;
}

/** Offers refuses such currencies before (`E6`); a zero-decimal one would be billed a hundredfold. */
function requireMinimum(currency: string): bigint {
  const minimumMinor = cardMinimumMinor(currency);
  if (minimumMinor === undefined || !isBilledCurrency(currency)) {
    throw new Fault(`checkout asked for in ${currency}, which is not billed`, {
      status: 400,
      publicMessage: `${currency} is not a billed currency`,
    });
  }
  return minimumMinor;
}

/** 192 random bits: the link is the payer's only credential. */
const PAY_TOKEN_BYTES = 24;

async function reserve(billing: Billing, order: CheckoutOrder): Promise<CardPayment | 'closed'> {
  const { offerId, book, title, netMinor } = order;
  const now = billing.clock.now();
  const vatMinor = vatOnCardPayment(netMinor, order.country);
  const payToken = randomBytes(PAY_TOKEN_BYTES).toString('base64url');
  return billing.postgres.transaction(async (tx) => {
    const checkout = newCheckout(order.offerExpiryAt, now);
    await insertCheckout(tx, { offerId, book, title, netMinor, vatMinor, payToken }, checkout, now);
    const payment = await lockPayment(tx, offerId);
    if (payment === undefined) throw serviceUnavailable(`checkout of offer ${offerId} vanished, ask again`);
    if (payment.method === null) return 'closed';
    if (payment.method !== 'E' || !isSameSale(payment, order)) throw conflictingSale(offerId);
    // A settling that offers has given up on may still be at it: an offer must not be shown with a link that is about to close.
    if (payment.checkout.state === 'closing') throw serviceUnavailable(`offer ${offerId} is being settled`);
    return payment.checkout.state === 'closed' ? 'closed' : payment;
  });
}

/**
 * Goes on with a checkout that is opening until its session is known. Throws a 503 when Stripe's answer is not: the row
 * stays *opening*, and asking again is harmless. A price that Stripe finds too small leaves nothing behind.
 */
export async function ensureSession(
  billing: Billing,
  payment: CardPayment,
  deadline: Deadline,
): Promise<CardPayment | 'too-small'> {
  if (payment.checkout.state !== 'opening') return payment;
  const { generation } = payment.checkout.session;
  const answer = await openSession(billing.stripe, payment, billing.publicUrl, deadline);
  switch (answer.kind) {
    case 'opened':
      return changeCheckout(billing, payment, (checkout) => opened(checkout, { ...answer, generation }));
    case 'too-late': {
      // Stripe was away for so long that the session would now be too short: one generation on, with a new expiry.
      const next = await changeCheckout(billing, payment, (checkout) =>
        renewed(sessionExpired(checkout, generation), billing.clock.now()),
      );
      if (next.checkout.session.generation === generation) return next;
      return ensureSession(billing, next, deadline);
    }
    case 'too-small':
      await dropRefused(billing, payment);
      return 'too-small';
    case 'refused':
      throw new Fault(`stripe refused the session of offer ${payment.offerId}: ${answer.reason}`, {
        status: 500,
        publicMessage: 'Internal server error',
      });
  }
}

/** Only a first generation: once a session was open, the price was large enough. */
async function dropRefused(billing: Billing, { offerId }: CardPayment): Promise<void> {
  await billing.postgres.transaction(async (tx) => {
    const payment = await lockPayment(tx, offerId);
    const isFirst = payment?.method === 'E' && payment.checkout.session.generation === 1;
    if (isFirst && payment.checkout.state === 'opening') await deletePayment(tx, offerId);
  });
}

function belowMinimum(minimumMinor: bigint): CheckoutReply {
  return { outcome: 'refused', reason: 'below-minimum', minimumMinor: `${minimumMinor}` };
}
