/** Converts Stripe's refunds and disputes into billing's type. */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Stripe } from 'stripe';
import { z } from 'zod';
import type { Reversal } from '../domain/payments/reversal.ts';
import { amount, currency, reference, text } from './fields.ts';

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
type ReversalEvent = (typeof reversalEvents)[number];

type EventFacts = { readonly mode: Mode; readonly createdAt: Date };

/**
 * Null if the event is about something else. `charge.refunded` is not read: it gives the sum of a charge, and every refund in it has its
 * own events.
 * @throws if the object has not the shape that Stripe documents
 */
export function reversalOf(type: string, object: unknown, facts: EventFacts): Reversal | null {
  switch (type as ReversalEvent) {
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
      return refundOf(object, facts);
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
      return disputeOf(object, facts);
    case 'charge.dispute.funds_withdrawn':
      return { ...disputeOf(object, facts), taken: true };
    case 'charge.dispute.funds_reinstated':
      return { ...disputeOf(object, facts), taken: true, returned: true };
    default:
      return null;
  }
}

const money = { id: text, amount, currency, payment_intent: reference };
/** Stripe's refunds do not say their mode. */
const refundShape = z.object({ ...money, status: z.string().nullable(), reason: z.string().nullable() });
const disputeShape = (mode: Mode) =>
  z.object({
    ...money,
    status: z.string(),
    reason: z.string(),
    livemode: z.literal(mode === 'LIVE'),
    balance_transactions: z.array(z.object({ amount: z.int() })),
  });

function commonFacts(
  { id, amount, currency, payment_intent }: z.infer<z.ZodObject<typeof money>>,
  { mode, createdAt }: EventFacts,
) {
  return {
    reversalId: id,
    mode,
    asOf: createdAt,
    paymentIntentId: payment_intent,
    amountMinor: amount,
    currency,
  };
}

/** Stripe takes the money from our account when the refund is made, and returns it if the refund fails. */
function refundOf(object: unknown, facts: EventFacts): Reversal {
  const refund = refundShape.parse(object);
  const status = refund.status ?? 'unknown';
  return {
    ...commonFacts(refund, facts),
    kind: 'refund',
    status,
    reason: refund.reason,
    taken: true,
    returned: status === 'failed' || status === 'canceled',
    succeeded: status === 'succeeded',
  };
}

/** An inquiry takes no money yet. The balance transactions show what was taken or returned. */
function disputeOf(object: unknown, facts: EventFacts): Reversal {
  const dispute = disputeShape(facts.mode).parse(object);
  const moved = dispute.balance_transactions;
  const returned = moved.some(({ amount }) => amount > 0);
  return {
    ...commonFacts(dispute, facts),
    kind: 'dispute',
    status: dispute.status,
    reason: dispute.reason,
    taken: returned || moved.some(({ amount }) => amount < 0),
    returned,
    succeeded: false,
  };
}
