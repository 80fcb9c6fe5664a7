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
  const circumstances = { mode, asOf: new Date(event.created * 1_000) };
  if (event.type === 'refund.created' || event.type === 'refund.updated' || event.type === 'refund.failed') {
    return refundOf(event.data.object, circumstances);
  }
  if (event.type === 'charge.dispute.funds_withdrawn') {
    return { ...disputeOf(event.data.object, circumstances), taken: true };
  }
  if (event.type === 'charge.dispute.funds_reinstated') {
    return { ...disputeOf(event.data.object, circumstances), taken: true, returned: true };
  }
  if (
    event.type === 'charge.dispute.created' ||
    event.type === 'charge.dispute.updated' ||
    event.type === 'charge.dispute.closed'
  ) {
    return disputeOf(event.data.object, circumstances);
  }
  return null;
}

type Circumstances = { readonly mode: Mode; readonly asOf: Date };

/** Stripe takes the money from our account when the refund is made, and returns it if the refund fails. */
function refundOf(refund: Stripe.Refund, circumstances: Circumstances): Reversal {
  const status = refund.status ?? 'unknown';
  const failed = status === 'failed' || status === 'canceled';
  return {
    ...circumstances,
    reversalId: refund.id,
    kind: 'refund',
    paymentIntentId: idOf(refund.payment_intent),
    amountMinor: BigInt(refund.amount),
    currency: refund.currency.toUpperCase(),
    status,
    reason: refund.reason,
    taken: true,
    returned: failed,
  };
}

/** An inquiry takes no money yet. The balance transactions show what was taken or returned. */
function disputeOf(dispute: Stripe.Dispute, circumstances: Circumstances): Reversal {
  const moved = dispute.balance_transactions;
  const returned = moved.some(({ amount }) => amount > 0);
  return {
    ...circumstances,
    reversalId: dispute.id,
    kind: 'dispute',
    paymentIntentId: idOf(dispute.payment_intent),
    amountMinor: BigInt(dispute.amount),
    currency: dispute.currency.toUpperCase(),
    status: dispute.status,
    reason: dispute.reason,
    taken: returned || moved.some(({ amount }) => amount < 0),
    returned,
  };
}
