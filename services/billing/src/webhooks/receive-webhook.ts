/** Applies one webhook of Stripe once, in whatever order webhooks arrive and repeat. It is answered only after the commit. */
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Billing } from '../billing.ts';
import { lockCardPayment, sessionOf, updateCheckout } from '../checkouts/checkouts-store.ts';
import { recordPayment, reportPayment } from '../checkouts/record-payment.ts';
import type { Seller } from '../domain/invoices/invoice.ts';
import { isKnownSession, isOfBook, type Receipt } from '../domain/payments/card-payment.ts';
import { sessionExpired } from '../domain/payments/checkout.ts';
import { type EventOutcome, quietOutcomes, reversalOutcomes } from '../domain/payments/event-outcomes.ts';
import { type DueInvoice, issueInvoice } from '../invoices/invoices.ts';
import { recordReversal, reportReversal } from '../reversals/record-reversal.ts';
import { type ProviderEvent, readWebhook } from '../stripe/webhooks.ts';
import { recordOutcome, recordProviderEvent } from './provider-events-store.ts';

export type WebhookAnswer = 'accepted' | 'refused';

export async function receiveWebhook(
  billing: Billing,
  body: Buffer,
  signature: string,
): Promise<WebhookAnswer> {
  const { webhooks, webhookDelay } = billing.meters;
  const now = billing.clock.now();
  const reading = readWebhook(billing.stripe, body, signature, now);
  if (!reading.ok) {
    webhooks.inc({ outcome: reading.reason });
    billing.logger.warn({ reason: reading.reason }, 'webhook refused');
    return 'refused';
  }
  const outcome = await applyEvent(billing, reading.event).catch((error: unknown) => {
    // Stripe gets no 200, so it sends the event again.
    webhooks.inc({ outcome: 'failed' });
    throw error;
  });
  webhooks.inc({ outcome });
  const delayMs = now.getTime() - reading.event.createdAt.getTime();
  // An event without a time is applied too.
  if (outcome !== 'seen-before' && !Number.isNaN(delayMs)) webhookDelay.observe(Math.max(0, delayMs) / 1_000);
  return 'accepted';
}

/** Applies each event once, whether it came by webhook or from the list. */
export async function applyEvent(billing: Billing, event: ProviderEvent): Promise<EventOutcome> {
  const issuing = { seller: billing.seller, now: billing.clock.now() };
  const outcome = await billing.postgres.transaction((tx) => apply(tx, event, issuing));
  report(billing, event, outcome);
  return outcome;
}

type Issuing = { readonly seller: Seller; readonly now: Date };

async function apply(tx: Transaction, event: ProviderEvent, issuing: Issuing): Promise<EventOutcome> {
  const receipt = receiptOf(event);
  const isNew = await recordProviderEvent(tx, { ...event, receipt }, issuing.now);
  if (!isNew) return 'seen-before';
  const { outcome, invoice } = await effectOf(tx, event, issuing.now);
  await recordOutcome(tx, event.eventId, outcome);
  // Last, because other payments of the mode wait for this transaction from here on.
  if (invoice !== null) await issueInvoice(tx, { ...invoice, ...issuing });
  return outcome;
}

function receiptOf({ content }: ProviderEvent): Receipt | null {
  return content === null || content.kind === 'reversal' ? null : content.session.receipt;
}

type Effect = { readonly outcome: EventOutcome; readonly invoice: DueInvoice | null };

async function effectOf(tx: Transaction, event: ProviderEvent, now: Date): Promise<Effect> {
  const { content } = event;
  const only = (outcome: EventOutcome): Effect => ({ outcome, invoice: null });
  if (content?.kind === 'reversal') return only(await recordReversal(tx, content.reversal, now));
  const receipt = receiptOf(event);
  if (content === null || receipt === null) return only('not-ours');
  if (content.kind === 'ended') return only(await endSession(tx, receipt, now));
  return content.session.isPaid ? recordPayment(tx, receipt, now) : only('not-paid-yet');
}

async function endSession(tx: Transaction, receipt: Receipt, now: Date): Promise<EventOutcome> {
  const payment = await lockCardPayment(tx, receipt.purchase);
  if (payment === undefined || !isOfBook(payment, receipt)) return 'not-ours';
  if (!isKnownSession(payment, receipt, await sessionOf(tx, receipt))) return 'not-ours';
  await updateCheckout(tx, payment, (checkout) => sessionExpired(checkout, receipt.generation), now);
  return 'session-over';
}

function report(billing: Billing, event: ProviderEvent, outcome: EventOutcome): void {
  if (isOneOf(quietOutcomes, outcome)) return;
  if (isOneOf(reversalOutcomes, outcome)) {
    if (event.content?.kind === 'reversal') reportReversal(billing, event.content.reversal, outcome);
    return;
  }
  const receipt = receiptOf(event);
  if (receipt !== null) reportPayment(billing, receipt, outcome);
}

function isOneOf<T extends string>(outcomes: readonly T[], outcome: string): outcome is T {
  return (outcomes as readonly string[]).includes(outcome);
}
