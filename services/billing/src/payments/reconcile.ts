/**
 * Reconciles with Stripe: asks about sessions whose webhook is missing, batch after batch until nothing is due. A lost webhook only delays
 * a payment. Pages of offers that have ended are closed, first of all those that can still be paid.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { mode as modeSchema } from '@offer-ads/contracts/values/primitives';
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import type { Billing } from '../billing.ts';
import { type CardPayment, purchaseName } from '../domain/payments/card-payment.ts';
import { isUndecidedTooLong, reopened, sessionExpired } from '../domain/payments/checkout.ts';
import { stripeDeadline } from '../stripe/client.ts';
import { retrieveSession } from '../stripe/sessions.ts';
import { changeCheckout, takeDueSessions, takePastEnd } from './checkouts-store.ts';
import { closePastEnd } from './close-checkout.ts';
import { applySessionFacts, isProblem } from './record-payment.ts';

/** Per kind. The next check of a batch is moved on when it is read, so a batch is small enough to be finished soon. */
const BATCH = 20;
/**
 * Stripe allows 25 requests a second in TEST mode and 100 in LIVE, and answers in a quarter of a second. With the pause, two replicas
 * together send 20 to 30 a second, which leaves room for requests of people. A 429 makes the reconciliation wait and so slows it down.
 */
const AT_ONCE = 4;
const PACE = { roundMs: 5 * 60_000, pauseMs: 500 };

export async function reconcileCheckouts(billing: Billing, signal: AbortSignal, pace = PACE): Promise<void> {
  const round = createDeadline(pace.roundMs);
  while (await reconcileBatch(billing, signal)) {
    if (signal.aborted || round.remainingMs() === 0) return;
    await pause(pace.pauseMs, undefined, { signal }).catch(() => {});
  }
}

/**
 * Closes the pages that can be paid although their offer or top-up has ended. Stripe ends a session with its offer if it ends between half
 * an hour and a day after the session was opened, so these are few, and none waits for the many that end at midnight by themselves.
 */
export async function closePayablePages(billing: Billing, signal: AbortSignal): Promise<void> {
  for (let due = BATCH; due >= BATCH && !signal.aborted; ) {
    due = await closeBatch(billing, signal, 'payable');
  }
}

async function closeBatch(billing: Billing, signal: AbortSignal, which: 'all' | 'payable'): Promise<number> {
  const pastEnd = await billing.postgres.transaction((tx) => takePastEnd(tx, dueQuery(billing), which));
  // The offer or group ended unpaid (decision 4, expiry wins), or the top-up's time is over.
  await forEach(billing, pastEnd, signal, async (_, payment) => {
    await closePastEnd(billing, payment, stripeDeadline());
  });
  return pastEnd.length;
}

/** Modes whose breaker is open stay due; the other mode's account is still asked. */
function dueQuery({ clock, stripe }: Billing) {
  const modes = modeSchema.options.filter((mode) => !stripe[mode].breaker.isOpen());
  return { modes, now: clock.now(), limit: BATCH };
}

/** True if more may be due. */
async function reconcileBatch(billing: Billing, signal: AbortSignal): Promise<boolean> {
  const due = await billing.postgres.transaction((tx) => takeDueSessions(tx, dueQuery(billing)));
  await forEach(billing, due, signal, askAbout);
  return (await closeBatch(billing, signal, 'all')) >= BATCH || due.length >= BATCH;
}

/** Several at once. An error in one checkout does not stop the others; it is tried again later. */
async function forEach(
  billing: Billing,
  payments: readonly CardPayment[],
  signal: AbortSignal,
  work: (billing: Billing, payment: CardPayment) => Promise<void>,
): Promise<void> {
  // All workers read from the same iterator.
  const waiting = payments.values();
  const worker = async () => {
    for (const payment of waiting) {
      if (signal.aborted) return;
      await work(billing, payment).catch((error: unknown) => {
        const purchase = purchaseName(payment.purchase);
        billing.logger.warn(
          { error, purchase },
          'a checkout could not be reconciled and will be tried again',
        );
      });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function askAbout(billing: Billing, payment: CardPayment): Promise<void> {
  // The process that closed it has crashed, and offers got no answer or `E7`. The page can be paid or closed again. If the close is still running
  // after all, it ends the session and closes the checkout anyway.
  if (payment.checkout.state === 'closing') await changeCheckout(billing, payment, reopened);
  const { sessionId, generation } = payment.checkout.session;
  // Still opening: a repeat of the request that opens it continues or closes it, and no payer has reached a session yet.
  if (sessionId === null) return;
  const facts = await retrieveSession(billing.stripe, payment.book.mode, sessionId, stripeDeadline());
  const { unpayable, recorded } = await applySessionFacts(billing, payment, facts);
  const { purchase, checkout } = payment;
  if (recorded !== null) {
    if (recorded === 'paid') billing.meters.missedPayments.inc({ mode: payment.book.mode });
    billing.logger.info({ purchase, recorded }, 'a payment was found by asking Stripe');
    if (!isProblem(recorded)) return;
  }
  const isGivenUp = facts.status === 'complete' && isUndecidedTooLong(checkout.session, billing.clock.now());
  if (!unpayable && !isGivenUp) return;
  await changeCheckout(billing, payment, (checkout) => sessionExpired(checkout, generation));
  // A payment with a problem was alerted when it was recorded.
  if (isGivenUp && recorded === null) {
    billing.logger.error(
      { purchase, sessionId },
      'a card payment stayed undecided and is not checked any more',
    );
  }
}
