/**
 * Goes on with a checkout that is opening, of an offer or of a top-up, until its session is known: the same generation under
 * the same key, whoever comes and however often.
 */
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import { Fault, serviceUnavailable } from '@offer-ads/platform/process/faults';
import type { Billing } from '../billing.ts';
import { type CardPayment, purchaseName } from '../domain/payments/card-payment.ts';
import { opened, renewed, sessionExpired } from '../domain/payments/checkout.ts';
import { openSession } from '../stripe/sessions.ts';
import { deleteTopUp } from '../top-ups/top-ups-store.ts';
import { changeCheckout, lockCardPayment } from './checkouts-store.ts';
import { deletePayment } from './payments-store.ts';

/**
 * Throws a 503 when Stripe's answer is not known: the row stays *opening*, and asking again is harmless. A price that Stripe
 * finds too small leaves nothing behind.
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
      const next = await nextGeneration(billing, payment);
      return next.checkout.session.generation === generation ? next : ensureSession(billing, next, deadline);
    }
    case 'spent':
      await nextGeneration(billing, payment);
      throw serviceUnavailable(
        `stripe: the key of ${purchaseName(payment.purchase)} is spent, the next is tried when asked`,
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

function nextGeneration(billing: Billing, payment: CardPayment): Promise<CardPayment> {
  const { generation } = payment.checkout.session;
  return changeCheckout(billing, payment, (checkout) =>
    renewed(sessionExpired(checkout, generation), billing.clock.now()),
  );
}

/** Only a first generation: once a session was open, the price was large enough. */
async function dropRefused(billing: Billing, { purchase }: CardPayment): Promise<void> {
  await billing.postgres.transaction(async (tx) => {
    const payment = await lockCardPayment(tx, purchase);
    const isFirst = payment?.checkout.session.generation === 1 && payment.checkout.state === 'opening';
    if (!isFirst) return;
    if (purchase.kind === 'offer') await deletePayment(tx, purchase.offerId);
    else await deleteTopUp(tx, purchase.topUpId);
  });
}
