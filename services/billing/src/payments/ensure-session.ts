/**
 * Continues a checkout in state *opening*, of an offer or a top-up, until its session is known. Every caller asks for the same generation
 * with the same idempotency key, so repeats are harmless.
 */
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { Fault, serviceUnavailable } from '@offer-ads/platform/process/faults';
import type { Billing } from '../billing.ts';
import { type CardPayment, purchaseName } from '../domain/payments/card-payment.ts';
import { opened, renewed, sessionExpired } from '../domain/payments/checkout.ts';
import { openSession } from '../stripe/sessions.ts';
import { changeCheckout } from './checkouts-store.ts';
import { deletePayment, lockCardPayment } from './payments-store.ts';

/**
 * Throws a 503 if Stripe's answer is unknown: the row stays *opening*, and the caller can repeat. If Stripe refuses the price as too small,
 * the row is removed.
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
      // Stripe was unreachable for so long that the session would now be too short: start the next generation with a new expiry.
      const next = await startNextGeneration(billing, payment);
      return next.checkout.session.generation === generation ? next : ensureSession(billing, next, deadline);
    }
    case 'spent':
      await startNextGeneration(billing, payment);
      throw serviceUnavailable(
        `stripe: the idempotency key of ${purchaseName(payment.purchase)} cannot be used again, the next request uses a new one`,
      );
    case 'too-small':
      await dropRefused(billing, payment);
      return 'too-small';
    case 'refused':
      throw new Fault(`stripe refused the session of ${purchaseName(payment.purchase)}: ${answer.reason}`, {
        status: 500,
        publicMessage: 'Internal server error',
      });
  }
}

/** Call it when the last session can certainly not be paid any more. Does nothing if the next generation has begun meanwhile. */
export function startNextGeneration(billing: Billing, payment: CardPayment): Promise<CardPayment> {
  const { generation } = payment.checkout.session;
  return changeCheckout(billing, payment, (checkout) =>
    renewed(sessionExpired(checkout, generation), billing.clock.now()),
  );
}

/** Only for the first generation: if a session existed before, the price was large enough. */
async function dropRefused(billing: Billing, { purchase }: CardPayment): Promise<void> {
  await billing.postgres.transaction(async (tx) => {
    const payment = await lockCardPayment(tx, purchase);
    const isFirst = payment?.checkout.session.generation === 1 && payment.checkout.state === 'opening';
    if (isFirst) await deletePayment(tx, purchase);
  });
}
