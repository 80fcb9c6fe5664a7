/** A lost webhook only delays: what should have been heard of is asked about, a few at a time. */
import type { Billing } from './billing.ts';
import { changeCheckout, takeDueSessions, takeOutlived } from './checkouts-store.ts';
import { closeCheckout, closeTopUp } from './close-checkout.ts';
import { type CardPayment, purchaseName } from './domain/card-payment.ts';
import { reopened, sessionExpired } from './domain/checkout.ts';
import { recordFoundPayment } from './record-payment.ts';
import { stripeDeadline } from './stripe-client.ts';
import { retrieveSession } from './stripe-sessions.ts';

/** Well under Stripe's limit of 100 requests a second, and done long before the next round. */
const BATCH = 50;

export async function reconcileCheckouts(billing: Billing, signal: AbortSignal): Promise<void> {
  const now = billing.clock.now();
  const { postgres } = billing;
  const due = await postgres.transaction((tx) => takeDueSessions(tx, now, BATCH));
  for (const payment of due) if (!signal.aborted) await survive(billing, payment, askAbout);
  const outlived = await postgres.transaction((tx) => takeOutlived(tx, now, BATCH));
  for (const payment of outlived) if (!signal.aborted) await survive(billing, payment, closeOutlived);
}

/** One checkout that cannot be settled now must not keep the others waiting; its turn comes again. */
async function survive(
  billing: Billing,
  payment: CardPayment,
  work: (billing: Billing, payment: CardPayment) => Promise<void>,
): Promise<void> {
  try {
    await work(billing, payment);
  } catch (error) {
    const purchase = purchaseName(payment.purchase);
    billing.logger.warn({ error, purchase }, 'a checkout could not be reconciled, it waits');
  }
}

async function askAbout(billing: Billing, payment: CardPayment): Promise<void> {
  // Nobody is at it any more, and offers was told nothing or `E7`: the page can be paid again, or closed again. Should somebody
  // be at it after all, the session is over and is closed all the same.
  if (payment.checkout.state === 'closing') await changeCheckout(billing, payment, reopened);
  const { sessionId, generation } = payment.checkout.session;
  // Still opening: whoever opens it goes on, or settles it; a payer was never led there.
  if (sessionId === null) return;
  const facts = await retrieveSession(billing.stripe, payment.book.mode, sessionId, stripeDeadline());
  if (facts.isPaid && facts.receipt !== null) {
    const recorded = await recordFoundPayment(billing, facts.receipt);
    billing.logger.info({ purchase: payment.purchase, recorded }, 'a payment was found by asking');
  } else if (facts.status === 'expired') {
    await changeCheckout(billing, payment, (checkout) => sessionExpired(checkout, generation));
  }
}

/** The offer ended unpaid (decision 4), or the top-up waits no longer: the page is closed. */
async function closeOutlived(billing: Billing, payment: CardPayment): Promise<void> {
  const { purchase, book } = payment;
  if (purchase.kind === 'offer') await closeCheckout(billing, { ...purchase, book }, stripeDeadline());
  else await closeTopUp(billing, payment, stripeDeadline());
}
