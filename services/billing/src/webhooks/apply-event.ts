/** Applies Stripe's events once each, in whatever order they arrive and repeat. */
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import { currentSpan, inSpanOf, type Span } from '@offer-ads/platform/telemetry/traces';
import type { Billing } from '../billing.ts';
import { earlierSession, updateCheckout } from '../checkouts/checkouts-store.ts';
import { type Issuing, recordPayment, reportPayment } from '../checkouts/record-payment.ts';
import type { Book } from '../domain/ledger/ledger.ts';
import { type CardPayment, isKnownSession, isOfBook, type Receipt } from '../domain/payments/card-payment.ts';
import { sessionExpired } from '../domain/payments/checkout.ts';
import { type EventOutcome, quietOutcomes, reversalOutcomes } from '../domain/payments/event-outcomes.ts';
import type { OfferPayment } from '../domain/payments/offer-payment.ts';
import { WrongMode } from '../domain/payments/wrong-mode.ts';
import { boundLockWaits, lockBalances } from '../ledger/ledger-store.ts';
import { recordReversal, reportReversal } from '../reversals/record-reversal.ts';
import type { ProviderEvent } from '../stripe/read-event.ts';
import { type RecordedEvent, recordOutcome, recordProviderEvent } from './provider-events-store.ts';

/** `span`: that of the request, in whose trace the event is applied. */
export type IncomingEvent = { readonly event: ProviderEvent; readonly span: Span | undefined };

/** Applies an event once, whether it came by webhook or from the list. */
export async function applyEvent(billing: Billing, event: ProviderEvent): Promise<EventOutcome> {
  const [outcome] = await applyEvents(billing, [{ event, span: currentSpan() }]);
  return outcome as EventOutcome;
}

/**
 * Applies each event once, in one transaction: all or none. Events of several payments share its round trips and its commit. Locks are
 * taken in the same order as everywhere: first those of the events and payments, in the order of the list, then the balances in the order of
 * their accounts.
 * @param incoming each about another purchase, and in an order that all replicas share
 * @param lockWaitMs how long to wait for each lock; 0 is no bound but the time of a statement
 * @returns the outcomes in the order of the list
 * @throws {WrongMode} if an event names something of the other mode
 */
export async function applyEvents(
  billing: Billing,
  incoming: readonly IncomingEvent[],
  lockWaitMs = 0,
): Promise<readonly EventOutcome[]> {
  const now = billing.clock.now();
  const applied = await billing.postgres.transaction(async (tx) => {
    if (lockWaitMs > 0) boundLockWaits(tx, lockWaitMs);
    const recorded = await Promise.all(
      incoming.map(async ({ event, span }) => ({
        event,
        span,
        as: await inSpanOf(span, () => record(tx, event, now)),
      })),
    );
    if (recorded.length > 1) lockBalances(tx, recorded.flatMap(bookIn));
    return Promise.all(
      recorded.map(async ({ event, span, as }) => ({
        event,
        span,
        outcome: await inSpanOf(span, () =>
          apply(tx, event, as, { seller: billing.seller, now, paidAt: event.createdAt }),
        ),
      })),
    );
  });
  return applied.map(({ event, span, outcome }) => {
    inSpanOf(span, () => report(billing, event, outcome));
    return outcome;
  });
}

function record(tx: Transaction, event: ProviderEvent, now: Date): Promise<RecordedEvent> {
  return recordProviderEvent(tx, { ...event, receipt: receiptOf(event) }, usualOutcome(event), now);
}

function bookIn({ as }: { readonly as: RecordedEvent }): readonly Book[] {
  return as === 'seen-before' || as.payment === undefined ? [] : [as.payment.book];
}

async function apply(
  tx: Transaction,
  event: ProviderEvent,
  recorded: RecordedEvent,
  issuing: Issuing,
): Promise<EventOutcome> {
  if (recorded === 'seen-before') return 'seen-before';
  const { payment } = recorded;
  if (payment !== undefined && payment.book.mode !== event.mode)
    throw new WrongMode('the purchase of a session', event.mode);
  const outcome = await applyContent(tx, event, payment, issuing);
  if (outcome !== usualOutcome(event)) await recordOutcome(tx, event.eventId, outcome);
  return outcome;
}

export function receiptOf({ content }: ProviderEvent): Receipt | null {
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
