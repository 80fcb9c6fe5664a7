/** Events from billing and from the community platform. Each takes effect once, whatever their number and order. */
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
      // Only cards are paid by an event.
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

/** All of one kind. */
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
 * A payment that comes before its creation is finished is kept on the reservation, which then counts it.
 * @returns whether the offer is paid by it
 */
async function applyOfferPaid(
  tx: Transaction,
  payment: EventData<typeof OfferPaid>,
  now: Date,
): Promise<boolean> {
  const offer = await lockOffer(tx, payment.offerId);
  if (offer === null || !isPaymentOf(offer, payment)) {
    // Money for what is not ours to sell: no retry helps, so it is parked for a person to look at.
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
