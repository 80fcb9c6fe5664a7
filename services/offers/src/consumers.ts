/** Consumers of events from billing and the community platform. Each event takes effect once, in any order and however often it arrives. */
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { OfferClicked, OfferViewed, type Traffic } from '@offer-ads/contracts/events/community';
import type { EventData } from '@offer-ads/contracts/events/event-declaration';
import { on, onBatch, type Subscription } from '@offer-ads/platform/messaging/broker/broker';
import { recordInInbox } from '@offer-ads/platform/messaging/inbox';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import type { OffersContext } from './context.ts';
import { applyPayment, effectiveAt } from './domain/lifecycle/lifecycle.ts';
import type { Offer } from './domain/offer.ts';
import { paymentApplied } from './lifecycle/offer-events.ts';
import { lockOffer, saveOffer } from './offers-store.ts';
import { recordTraffic, type TrafficEvent } from './traffic/intake.ts';

type ConsumerContext = Pick<OffersContext, 'postgres' | 'clock' | 'meters'>;

export function subscriptions(o: ConsumerContext): Subscription[] {
  return [
    on(OfferPaid, async ({ id, data }) => {
      const isApplied = await once(o, id, (tx) => applyOfferPaid(tx, data, o.clock.now()));
      // Only card payments arrive as events.
      if (isApplied) o.meters.paid.inc({ mode: data.mode, method: 'E' });
    }),
    onBatch(OfferViewed, (events) =>
      take(
        o,
        events.map(({ id, data }) => trafficEvent('view', id, data.viewedAt, data)),
      ),
    ),
    onBatch(OfferClicked, (events) =>
      take(
        o,
        events.map(({ id, data }) => trafficEvent('click', id, data.clickedAt, data)),
      ),
    ),
  ];
}

/** Processes one batch of the same kind. */
async function take(o: ConsumerContext, events: readonly TrafficEvent[]): Promise<void> {
  const kind = events[0]?.kind;
  if (kind === undefined) return;
  for (const [outcome, count] of Object.entries(await recordTraffic(o, events)))
    o.meters.traffic.inc({ kind, outcome }, count);
}

function trafficEvent(
  kind: TrafficEvent['kind'],
  eventId: string,
  seenAt: string,
  { offerId, viewer, automated = false }: Traffic,
): TrafficEvent {
  return { eventId, kind, offerId, seenAt: new Date(seenAt), viewer, automated };
}

async function once(
  o: ConsumerContext,
  eventId: string,
  effect: (tx: Transaction) => Promise<boolean>,
): Promise<boolean> {
  return o.postgres.transaction(async (tx) => (await recordInInbox(tx, eventId)) && effect(tx));
}

/**
 * A payment that arrives before its creation is finished is stored on the reservation and applied when the creation finishes.
 * @returns whether this payment was applied
 */
async function applyOfferPaid(
  tx: Transaction,
  payment: EventData<typeof OfferPaid>,
  now: Date,
): Promise<boolean> {
  const offer = await lockOffer(tx, payment.offerId);
  if (offer === null || !isPaymentOf(offer, payment)) {
    // No offer matches this payment. A retry would not help, so the message is parked for a person to look at.
    throw new Error(`no offer ${payment.offerId} with the price that was paid`);
  }
  const paidAt = new Date(payment.paidAt);
  const at = effectiveAt(offer, now);
  const applied = applyPayment(offer, { paidAt, vatMinor: BigInt(payment.vatMinor) }, at);
  if (!applied.ok) return false;
  const news = applied.outcome === 'kept' ? [] : [paymentApplied(applied.offer, applied.outcome, paidAt, at)];
  await saveOffer(tx, applied.offer, news);
  return applied.outcome !== 'kept';
}

function isPaymentOf(offer: Offer, payment: EventData<typeof OfferPaid>): boolean {
  return (
    offer.organisationId === payment.organisationId &&
    offer.mode === payment.mode &&
    offer.currency === payment.currency &&
    offer.netMinor === BigInt(payment.netMinor)
  );
}
