/** Converts Stripe's refunds and disputes into billing's type. */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Stripe } from 'stripe';
import type { Reversal } from '../domain/payments/reversal.ts';
import { idOf } from './sessions.ts';

/** The event types that are read, by webhook or from the list. */
export const reversalEvents = [
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
] as const satisfies readonly Stripe.Event['type'][];

/**
 * Null if the event is about something else. `charge.refunded` is not read: it gives the sum of a charge, and every refund in it has its
 * own events.
 */
export function reversalOf(event: Stripe.Event, mode: Mode): Reversal | null {
  const eventFacts = { mode, asOf: new Date(event.created * 1_000) };
  if (event.type === 'refund.created' || event.type === 'refund.updated' || event.type === 'refund.failed') {
    return refundOf(event.data.object, eventFacts);
  }
  if (event.type === 'charge.dispute.funds_withdrawn') {
    return { ...disputeOf(event.data.object, eventFacts), taken: true };
  }
  if (event.type === 'charge.dispute.funds_reinstated') {
    return { ...disputeOf(event.data.object, eventFacts), taken: true, returned: true };
  }
  if (
    event.type === 'charge.dispute.created' ||
    event.type === 'charge.dispute.updated' ||
    event.type === 'charge.dispute.closed'
  ) {
    return disputeOf(event.data.object, eventFacts);
  }
  return null;
}

type EventFacts = { readonly mode: Mode; readonly asOf: Date };

/** Stripe takes the money from our account when the refund is made, and returns it if the refund fails. */
function refundOf(refund: Stripe.Refund, eventFacts: EventFacts): Reversal {
  const status = refund.status ?? 'unknown';
  const failed = status === 'failed' || status === 'canceled';
  return {
    ...eventFacts,
    reversalId: refund.id,
    kind: 'refund',
    paymentIntentId: idOf(refund.payment_intent),
    amountMinor: BigInt(refund.amount),
    currency: refund.currency.toUpperCase(),
    status,
    reason: refund.reason,
    taken: true,
    returned: failed,
    succeeded: status === 'succeeded',
  };
}

/** An inquiry takes no money yet. The balance transactions show what was taken or returned. */
function disputeOf(dispute: Stripe.Dispute, eventFacts: EventFacts): Reversal {
  const moved = dispute.balance_transactions;
  const returned = moved.some(({ amount }) => amount > 0);
  return {
    ...eventFacts,
    reversalId: dispute.id,
    kind: 'dispute',
    paymentIntentId: idOf(dispute.payment_intent),
    amountMinor: BigInt(dispute.amount),
    currency: dispute.currency.toUpperCase(),
    status: dispute.status,
    reason: dispute.reason,
    taken: returned || moved.some(({ amount }) => amount < 0),
    returned,
    succeeded: false,
  };
}
