/** A lost webhook only delays: what should have been heard of is asked about, batch after batch until nothing is due. */
import { setTimeout as pause } from 'node:timers/promises';
import { mode as modeSchema } from '@offer-ads/contracts/values/primitives';
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import type { Billing } from '../billing.ts';
import { type CardPayment, purchaseName } from '../domain/payments/card-payment.ts';
import { isOverAtStripe, isUndecidedTooLong, reopened, sessionExpired } from '../domain/payments/checkout.ts';
import { stripeDeadline } from '../stripe/client.ts';
import { retrieveSession } from '../stripe/sessions.ts';
import { changeCheckout, takeDueSessions, takeOutlived } from './checkouts-store.ts';
import { closeCheckout, closeTopUp } from './close-checkout.ts';
import { isProblem, recordFoundPayment } from './record-payment.ts';
import { reportMissing } from './report-missing.ts';

/** Of each kind. What is taken is put off, so no more is taken than is soon done. */
const BATCH = 20;
/**
 * Stripe takes 25 requests a second in TEST mode and 100 in LIVE, and answers in a quarter of a second: with the pause, two
 * replicas together ask 20 to 30, so that people who create and delete find room. A 429 is waited for, which slows them.
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

/** True: there may be more. */
async function reconcileBatch(billing: Billing, signal: AbortSignal): Promise<boolean> {
  const { clock, postgres, stripe } = billing;
  // What cannot be asked about now stays due. The other account's turn comes all the same.
  const modes = () => modeSchema.options.filter((mode) => !stripe[mode].breaker.isOpen());
  const dueQuery = () => ({ modes: modes(), now: clock.now(), limit: BATCH });
  const due = await postgres.transaction((tx) => takeDueSessions(tx, dueQuery()));
  await forEach(due, signal, (payment) => survive(billing, payment, askAbout));
  const outlived = await postgres.transaction((tx) => takeOutlived(tx, dueQuery()));
  await forEach(outlived, signal, (payment) => survive(billing, payment, closeOutlived));
  return due.length >= BATCH || outlived.length >= BATCH;
}

async function forEach<T>(
  items: readonly T[],
  signal: AbortSignal,
  work: (item: T) => Promise<void>,
): Promise<void> {
  // All take from the same place.
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) if (!signal.aborted) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
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
  let isAlerted = false;
  if (facts.isPaid && facts.receipt !== null) {
    const recorded = await recordFoundPayment(billing, facts.receipt);
    if (recorded === 'paid') billing.meters.missedPayments.inc({ mode: payment.book.mode });
    billing.logger.info({ purchase: payment.purchase, recorded }, 'a payment was found by asking');
    if (!isProblem(recorded)) return;
    isAlerted = true;
  }
  const isGivenUp =
    facts.status === 'complete' && isUndecidedTooLong(payment.checkout.session, billing.clock.now());
  if (facts.status === 'missing') reportMissing(billing, payment);
  const isOver = isOverAtStripe(payment.checkout.session, facts.status, billing.clock.now());
  if (!isOver && !isGivenUp) return;
  await changeCheckout(billing, payment, (checkout) => sessionExpired(checkout, generation));
  if (isGivenUp && !isAlerted) {
    const { purchase } = payment;
    billing.logger.error({ purchase, sessionId }, 'a card payment came to no end and is asked about no more');
  }
}

/** The offer ended unpaid (decision 4, expiry wins), or the top-up waits no longer: the page is closed. */
async function closeOutlived(billing: Billing, payment: CardPayment): Promise<void> {
  const { purchase, book } = payment;
  if (purchase.kind === 'offer') await closeCheckout(billing, { ...purchase, book }, stripeDeadline());
  else await closeTopUp(billing, payment, stripeDeadline());
}
