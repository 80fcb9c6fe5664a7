/** Stripe's list of events, for those whose webhook may never come. */
import type { Mode } from '@offer-ads/contracts/values/primitives';
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { Stripe } from 'stripe';
import type { Stretch } from '../domain/payments/missed-events.ts';
import { callStripe, isRefusal } from './calls.ts';
import type { StripeAccounts } from './client.ts';
import { reversalEvents } from './reversals.ts';
import { type ProviderEvent, providerEventOf } from './webhooks.ts';

/** The most that Stripe lists at once. */
const PAGE = 100;

/** Read one by one: one that cannot be read must not keep the others from being. */
export type ListedEvent = Pick<ProviderEvent, 'eventId' | 'mode' | 'type'> & {
  readonly read: () => ProviderEvent;
};

export type EventPage = {
  /** Newest first. */
  readonly events: readonly ListedEvent[];
  /** After which the stretch goes on; null at its end. */
  readonly lastEventId: string | null;
};

/** Sessions that were paid. Those on record are asked about one by one, sooner; after a restore some are on record no more. */
const paymentEvents = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
] as const satisfies readonly Stripe.Event['type'][];

/**
 * Payments, refunds and disputes. Whether Stripe counts an event as delivered is not asked: an endpoint that does not subscribe
 * to it, or that lost it after its 200 (with the database that was then restored to a moment before), has missed it all the same.
 *
 * @returns 'place-gone' when the event to go on after is no longer listed
 */
export async function listMoneyEvents(
  stripe: StripeAccounts,
  mode: Mode,
  { from, to, afterEventId }: Stretch,
  deadline: Deadline,
): Promise<EventPage | 'place-gone'> {
  try {
    const { data, has_more: goesOn } = await callStripe(stripe[mode], deadline, (client, options) =>
      client.events.list(
        {
          types: [...paymentEvents, ...reversalEvents],
          created: { gte: from.getTime() / 1_000, lt: to.getTime() / 1_000 },
          limit: PAGE,
          ...(afterEventId !== null && { starting_after: afterEventId }),
        },
        options,
      ),
    );
    // Stripe keeps the accounts apart; should it ever not, nothing is taken over.
    const events = data.filter(({ livemode }) => livemode === (mode === 'LIVE'));
    return {
      events: events.map((event) => ({
        eventId: event.id,
        mode,
        type: event.type,
        read: () => providerEventOf(event, mode),
      })),
      lastEventId: goesOn ? (data.at(-1)?.id ?? null) : null,
    };
  } catch (error) {
    if (isRefusal(error) && error.param === 'starting_after') return 'place-gone';
    throw error;
  }
}
