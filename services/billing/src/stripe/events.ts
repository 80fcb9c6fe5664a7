/** Reads Stripe's list of events, to find those whose webhook never arrived. */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { Stripe } from 'stripe';
import type { Stretch } from '../domain/payments/missed-events.ts';
import { callStripe } from './calls.ts';
import type { StripeAccounts } from './client.ts';
import { readEvent, type StripeEventReading } from './read-event.ts';
import { reversalEvents } from './reversals.ts';

/** The most that Stripe lists at once. */
const PAGE = 100;

export type EventPage = {
  /** Newest first. */
  readonly events: readonly StripeEventReading[];
  /** The event after which the stretch continues; null at its end. */
  readonly lastEventId: string | null;
};

/** Paid sessions. Sessions on record are asked about one by one, and sooner; after a restore some sessions are no longer on record. */
const paymentEvents = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
] as const satisfies readonly Stripe.Event['type'][];

/**
 * Lists payments, refunds and disputes. It ignores whether Stripe counts an event as delivered: an endpoint may not have subscribed to it,
 * or may have lost it after its 200 (when the database was restored to an earlier state).
 * @param after the event after which the page begins; null for the first page
 */
export async function listMoneyEvents(
  stripe: StripeAccounts,
  mode: Mode,
  { from, to }: Stretch,
  after: string | null,
  deadline: Deadline,
): Promise<EventPage> {
  const { data, has_more: goesOn } = await callStripe(stripe[mode], deadline, (client, options) =>
    client.events.list(
      {
        types: [...paymentEvents, ...reversalEvents],
        created: { gte: from.getTime() / 1_000, lt: to.getTime() / 1_000 },
        limit: PAGE,
        ...(after !== null && { starting_after: after }),
      },
      options,
    ),
  );
  return {
    events: data.map((event) => readEvent(event, mode)),
    lastEventId: goesOn ? (data.at(-1)?.id ?? null) : null,
  };
}
