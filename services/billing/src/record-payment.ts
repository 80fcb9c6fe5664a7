/** A card payment that Stripe reports, by webhook or when asked: booked once, told to offers, or kept with its problem. */
import { OfferPaid } from '@offer-ads/contracts/billing-events';
import { newEvent } from '@offer-ads/platform/events';
import { addToOutbox } from '@offer-ads/platform/outbox';
import type { Transaction } from '@offer-ads/platform/postgres';
import type { Billing } from './billing.ts';
import { creditUnusedTime, whollyUnused } from './credit-offer.ts';
import { opened, paid } from './domain/checkout.ts';
import type { Seller } from './domain/invoice.ts';
import { movesMoney, offerPaidByCard } from './domain/ledger.ts';
import {
  type CardPayment,
  type Receipt,
  type ReceiptProblem,
  receiptProblem,
} from './domain/offer-payment.ts';
import { issueInvoice } from './invoices.ts';
import { book } from './ledger-store.ts';
import { lockPayment, recordPaidSession, updateCheckout } from './payments-store.ts';
import { recordOutcome, recordProviderEvent } from './provider-events-store.ts';

export type Recorded = 'paid' | 'paid-before' | ReceiptProblem;

export async function recordPayment(
  tx: Transaction,
  receipt: Receipt,
  { seller, now }: { readonly seller: Seller; readonly now: Date },
): Promise<Recorded> {
  const payment = await lockPayment(tx, receipt.offerId);
  const problem = receiptProblem(payment, receipt);
  if (problem !== null) return problem;
  // `receiptProblem` lets nothing else pass.
  const unpaid = payment as CardPayment;
  if (unpaid.checkout.paidAt !== null) return 'paid-before';

  const settled = await updateCheckout(
    tx,
    unpaid,
    // The webhook may be faster than the answer that names the session.
    (checkout) => paid(opened(checkout, { ...receipt, url: null }), now),
    now,
  );
  await recordPaidSession(tx, receipt.offerId, receipt.sessionId);
  const transaction = offerPaidByCard(settled.book, settled.offerId, settled);
  if (movesMoney(transaction)) await book(tx, transaction, now);
  await addToOutbox(tx, [offerPaid(settled, now)]);
  // Nobody has an offer to run for a closed checkout: the price goes to the balance at once (decision 7). That
  // offers will report the same makes no difference, credits being cumulative.
  if (settled.checkout.state === 'closed') await creditUnusedTime(tx, settled, whollyUnused, now);
  // Last: it keeps other payments of the mode waiting until this one is committed.
  const { cause } = transaction;
  await issueInvoice(tx, { kind: 'offer', ...settled, cause, paidAt: now, seller, now });
  return 'paid';
}

function offerPaid({ book, ...payment }: CardPayment, at: Date) {
  return newEvent(OfferPaid, {
    subject: `offer/${payment.offerId}`,
    subjectVersion: 1,
    at,
    data: {
      offerId: payment.offerId,
      ...book,
      netMinor: `${payment.netMinor}`,
      vatMinor: `${payment.vatMinor}`,
      paidAt: at.toISOString(),
    },
  });
}

/** A payment found by asking Stripe rather than told by a webhook; a problem is kept in the inbox all the same. */
export async function recordFoundPayment(billing: Billing, receipt: Receipt): Promise<Recorded> {
  const now = billing.clock.now();
  const recorded = await billing.postgres.transaction(async (tx) => {
    const outcome = await recordPayment(tx, receipt, { seller: billing.seller, now });
    if (isProblem(outcome)) {
      const eventId = `found ${receipt.sessionId}`;
      const found = { eventId, mode: receipt.mode, type: 'found when asked', receipt };
      if (await recordProviderEvent(tx, found, now)) await recordOutcome(tx, eventId, outcome);
    }
    return outcome;
  });
  reportPayment(billing, receipt, recorded);
  return recorded;
}

export function isProblem(recorded: Recorded): recorded is ReceiptProblem {
  return recorded !== 'paid' && recorded !== 'paid-before';
}

/** A payment that cannot be applied needs a person; the log line is what alerts. */
export function reportPayment(billing: Billing, receipt: Receipt, recorded: Recorded): void {
  billing.metrics
    .counter({
      name: 'card_payments_total',
      help: 'Card payments reported by Stripe, by outcome',
      labelNames: ['outcome'],
    })
    .inc({ outcome: recorded });
  if (!isProblem(recorded)) return;
  const { offerId, sessionId, currency, generation } = receipt;
  billing.logger.error(
    { offerId, sessionId, generation, currency, amountMinor: `${receipt.amountMinor}`, problem: recorded },
    'a card payment cannot be applied and waits for a person',
  );
}
