/** Applies Stripe's events once each, in whatever order they arrive and repeat. */
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Billing } from '../billing.ts';
import { isKnownSession, isOfBook, type Receipt } from '../domain/payments/card-payment.ts';
import { sessionExpired } from '../domain/payments/checkout.ts';
import { type EventOutcome, quietOutcomes, reversalOutcomes } from '../domain/payments/event-outcomes.ts';
import type { Payment } from '../domain/payments/offer-payment.ts';
import { WrongMode } from '../domain/payments/wrong-mode.ts';
import { earlierSession, updateCheckout } from '../payments/checkouts-store.ts';
import { lockPaymentOf } from '../payments/payments-store.ts';
import { type Issuing, recordPayment, reportPayment } from '../payments/record-payment.ts';
import { recordReversal, reportReversal } from '../reversals/record-reversal.ts';
import type { EventName, ProviderEvent } from '../stripe/read-event.ts';
import { recordOutcome, recordProviderEvent, recordUnapplied } from './provider-events-store.ts';

/**
 * Applies an event once, whether it came by webhook or from the list. Locks are taken in the same order as everywhere: the event, the
 * payment, its balance, the numbers of invoices.
 * @throws {WrongMode} if the event names something of the other mode
 */
export async function applyEvent(billing: Billing, event: ProviderEvent): Promise<EventOutcome> {
  const now = billing.clock.now();
  const outcome = await billing.postgres.transaction(async (tx) => {
    const isNew = await recordProviderEvent(tx, { ...event, receipt: receiptOf(event) }, now);
    if (!isNew) return 'seen-before';
    const outcome = await applyContent(tx, event, { seller: billing.seller, now, paidAt: event.createdAt });
    await recordOutcome(tx, event.eventId, outcome);
    return outcome;
  });
  report(billing, event, outcome);
  return outcome;
}

/**
 * Keeps an event that cannot be read or applied, for a person to look at (decision 89, unreadable Stripe events). Alerts once for each event: a
 * repeat of one that is on record changes nothing.
 */
export async function keepUnapplied(
  { postgres, clock, meters, logger }: Billing,
  { eventId, mode, type }: EventName,
  error: unknown,
): Promise<void> {
  if (!(await recordUnapplied(postgres, { eventId, mode, type }, clock.now()))) return;
  meters.unappliedEvents.inc({ mode });
  logger.error({ error, eventId, mode, type }, 'an event of the card provider cannot be applied');
}

function receiptOf({ content }: ProviderEvent): Receipt | null {
  return content === null || content.kind === 'reversal' ? null : content.session.receipt;
}

async function applyContent(tx: Transaction, event: ProviderEvent, issuing: Issuing): Promise<EventOutcome> {
  const { content } = event;
  if (content?.kind === 'reversal') return recordReversal(tx, content.reversal, issuing.now);
  const receipt = receiptOf(event);
  if (content === null || receipt === null) return 'not-ours';
  const payment = await lockPaymentOf(tx, receipt);
  if (payment !== undefined && payment.book.mode !== event.mode)
    throw new WrongMode('the purchase of a session', event.mode);
  if (content.kind === 'ended') return endSession(tx, payment, receipt, issuing.now);
  return content.session.isPaid ? recordPayment(tx, payment, receipt, issuing) : 'not-paid-yet';
}

async function endSession(
  tx: Transaction,
  payment: Payment | undefined,
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
