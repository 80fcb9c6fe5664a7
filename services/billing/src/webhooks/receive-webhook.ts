/** Applies one webhook of Stripe once, in whatever order webhooks arrive and repeat. It is answered only after the commit. */
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Billing } from '../billing.ts';
import { earlierSession, updateCheckout } from '../checkouts/checkouts-store.ts';
import { type Issuing, recordPayment, reportPayment } from '../checkouts/record-payment.ts';
import { type CardPayment, isKnownSession, isOfBook, type Receipt } from '../domain/payments/card-payment.ts';
import { sessionExpired } from '../domain/payments/checkout.ts';
import { type EventOutcome, quietOutcomes, reversalOutcomes } from '../domain/payments/event-outcomes.ts';
import type { OfferPayment } from '../domain/payments/offer-payment.ts';
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

async function apply(tx: Transaction, event: ProviderEvent, issuing: Issuing): Promise<EventOutcome> {
  const received = { ...event, receipt: receiptOf(event) };
  const usual = usualOutcome(event);
  const recorded = await recordProviderEvent(tx, received, usual, issuing.now);
  if (recorded === 'seen-before') return 'seen-before';
  const outcome = await applyContent(tx, event, recorded.payment, issuing);
  if (outcome !== usual) await recordOutcome(tx, event.eventId, outcome);
  return outcome;
}

function receiptOf({ content }: ProviderEvent): Receipt | null {
  return content === null || content.kind === 'reversal' ? null : content.session.receipt;
}

/** The outcome that nearly all events of this kind have, so that their row is written once. */
function usualOutcome({ content }: ProviderEvent): EventOutcome {
  switch (content?.kind) {
    case 'completed':
      return content.session.isPaid ? 'paid' : 'not-paid-yet';
    case 'ended':
      return 'session-over';
    case 'reversal':
      return 'reversal-booked';
    case undefined:
      return 'not-ours';
  }
}

/** @param payment that of the event's receipt, locked */
async function applyContent(
  tx: Transaction,
  event: ProviderEvent,
  payment: OfferPayment | CardPayment | undefined,
  issuing: Issuing,
): Promise<EventOutcome> {
  const { content } = event;
  if (content?.kind === 'reversal') return recordReversal(tx, content.reversal, issuing.now);
  const receipt = receiptOf(event);
  if (content === null || receipt === null) return 'not-ours';
  if (content.kind === 'ended') return endSession(tx, payment, receipt, issuing.now);
  return content.session.isPaid ? recordPayment(tx, payment, receipt, issuing) : 'not-paid-yet';
}

async function endSession(
  tx: Transaction,
  payment: OfferPayment | CardPayment | undefined,
  receipt: Receipt,
  now: Date,
): Promise<EventOutcome> {
  if (payment?.method !== 'E' || !isOfBook(payment, receipt)) return 'not-ours';
  if (!isKnownSession(payment, receipt, await earlierSession(tx, payment, receipt))) return 'not-ours';
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
