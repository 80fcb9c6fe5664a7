/** Records a card payment that Stripe reports by webhook or in answer to a request: it is posted once, or stored with its problem. */
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Billing } from '../billing.ts';
import {
  type CardPayment,
  type Receipt,
  type ReceiptProblem,
  receiptProblem,
} from '../domain/payments/card-payment.ts';
import { type Checkout, opened, paid } from '../domain/payments/checkout.ts';
import type { PaymentOutcome } from '../domain/payments/event-outcomes.ts';
import { isOfOffer, type OfferCardPayment } from '../domain/payments/offer-payment.ts';
import { type DueInvoice, issueInvoice } from '../invoices/invoices.ts';
import { postReversalsOf } from '../reversals/record-reversal.ts';
import { lockIntent } from '../reversals/reversals-store.ts';
import { postPaidTopUp } from '../top-ups/post-paid-top-up.ts';
import { isRecordedProblem, recordOutcome, recordProviderEvent } from '../webhooks/provider-events-store.ts';
import { lockCardPayment, recordPaidSession, sessionOf, updateCheckout } from './checkouts-store.ts';
import { lockOfferPayment } from './payments-store.ts';
import { postPaidOffer } from './post-paid-offer.ts';

/** If `invoice` is not null, the caller calls `issueInvoice` as the last step of its transaction. */
export type RecordedPayment = { readonly outcome: PaymentOutcome; readonly invoice: DueInvoice | null };

export async function recordPayment(tx: Transaction, receipt: Receipt, now: Date): Promise<RecordedPayment> {
  const { purchase } = receipt;
  // Before the row lock and before anything is posted: every transaction that needs several of these locks takes them in this order.
  if (receipt.paymentIntentId !== null) await lockIntent(tx, receipt.paymentIntentId);
  const payment =
    purchase.kind === 'offer'
      ? await lockOfferPayment(tx, purchase.offerId)
      : await lockCardPayment(tx, purchase);
  const problem = receiptProblem(payment, receipt, await sessionOf(tx, receipt));
  if (problem !== null) return { outcome: problem, invoice: null };
  // `receiptProblem` returns a problem for every other payment.
  const unpaid = payment as OfferCardPayment | CardPayment;
  if (unpaid.checkout.paidAt !== null) return { outcome: 'paid-before', invoice: null };

  // The webhook can arrive before the response that contains the session id.
  const change = (checkout: Checkout) => paid(opened(checkout, { ...receipt, url: null }), now);
  const { paymentIntentId } = receipt;
  const paidPayment = { ...(await updateCheckout(tx, unpaid, change, now)), paymentIntentId };
  await recordPaidSession(tx, purchase, receipt);
  const invoiced = isOfOffer(paidPayment)
    ? await postPaidOffer(tx, paidPayment, now)
    : await postPaidTopUp(tx, paidPayment, now);
  if (receipt.paymentIntentId !== null) await postReversalsOf(tx, paidPayment, receipt.paymentIntentId, now);
  return { outcome: 'paid', invoice: { ...invoiced, paidAt: now } };
}

/**
 * For a payment that was found by asking Stripe and not reported by a webhook. A problem is also stored in the inbox, and reported once.
 */
export async function recordFoundPayment(billing: Billing, receipt: Receipt): Promise<PaymentOutcome> {
  const now = billing.clock.now();
  const { recorded, isNew } = await billing.postgres.transaction(async (tx) => {
    const { outcome, invoice } = await recordPayment(tx, receipt, now);
    const isNew = !isProblem(outcome) || (await storeProblem(tx, receipt, outcome, now));
    if (invoice !== null) await issueInvoice(tx, { ...invoice, seller: billing.seller, now });
    return { recorded: outcome, isNew };
  });
  if (isNew) reportPayment(billing, receipt, recorded);
  return recorded;
}

/** False if the problem was stored before. */
async function storeProblem(
  tx: Transaction,
  receipt: Receipt,
  problem: ReceiptProblem,
  now: Date,
): Promise<boolean> {
  if (await isRecordedProblem(tx, receipt.sessionId, problem)) return false;
  const eventId = `found ${receipt.sessionId}`;
  const found = { eventId, mode: receipt.mode, type: 'found when asked', receipt };
  const isNew = await recordProviderEvent(tx, found, now);
  await recordOutcome(tx, eventId, problem);
  return isNew;
}

export function isProblem(recorded: PaymentOutcome): recorded is ReceiptProblem {
  return recorded !== 'paid' && recorded !== 'paid-before';
}

/** A payment that cannot be applied needs a person. The alert reads this log line. */
export function reportPayment(billing: Billing, receipt: Receipt, recorded: PaymentOutcome): void {
  const { purchase, sessionId, mode, currency, generation } = receipt;
  billing.meters.payments.inc({ outcome: recorded });
  if (recorded === 'paid')
    billing.meters.charged.inc(
      { mode, currency, method: 'card', purchase: purchase.kind },
      Number(receipt.amountMinor),
    );
  if (!isProblem(recorded)) return;
  billing.logger.error(
    { purchase, sessionId, generation, currency, amountMinor: `${receipt.amountMinor}`, problem: recorded },
    'a card payment cannot be applied and waits for a person',
  );
}
