/** Consumers of events from billing and the community platform. Each event takes effect once, in any order and however often it arrives. */
import { BalanceCredited, OfferPaid } from '@offer-ads/contracts/events/billing';
import { OfferClicked, OfferViewed, type Traffic } from '@offer-ads/contracts/events/community';
import type { EventData } from '@offer-ads/contracts/events/event-declaration';
import { instantOf } from '@offer-ads/contracts/values/primitives';
import { on, onBatch, type Subscription } from '@offer-ads/platform/messaging/broker/broker';
import { recordInInbox } from '@offer-ads/platform/messaging/inbox';
import type { Transaction } from '@offer-ads/platform/postgres/postgres';
import type { OffersContext } from './context.ts';
import { type AppliedPayment, applyPayment } from './domain/lifecycle/lifecycle.ts';
import type { Offer } from './domain/offer.ts';
import { paymentApplied } from './lifecycle/offer-events.ts';
import { lockOffer, saveOffer } from './offers-store.ts';
import { bookCredit } from './results/spend-store.ts';
import { nowIn } from './test-clock/test-clock-store.ts';
import { recordTraffic, type TrafficEvent } from './traffic/intake.ts';

type ConsumerContext = Pick<OffersContext, 'postgres' | 'clock' | 'meters'>;

export function subscriptions(o: ConsumerContext): Subscription[] {
  return [
    on(OfferPaid, async ({ id, data }) => {
      const applied = await o.postgres.transaction(async (tx) =>
        (await recordInInbox(tx, id)) ? applyOfferPaid(tx, data, o.clock.now()) : 0,
      );
      // Only card payments arrive as events.
      if (applied > 0) o.meters.paid.inc({ mode: data.mode, method: 'E' }, applied);
    }),
    on(BalanceCredited, async ({ id, time, data }) => {
      await o.postgres.transaction(async (tx) => {
        if (await recordInInbox(tx, id)) await bookCredit(tx, data, time);
      });
    }),
    onBatch(OfferViewed, (events) =>
      recordBatch(o, 'view', events, ({ viewedAt, ...data }) => ({ ...data, seenAt: viewedAt })),
    ),
    onBatch(OfferClicked, (events) =>
      recordBatch(o, 'click', events, ({ clickedAt, ...data }) => ({ ...data, seenAt: clickedAt })),
    ),
  ];
}

async function recordBatch<D>(
  o: ConsumerContext,
  kind: TrafficEvent['kind'],
  events: readonly { readonly id: string; readonly data: D }[],
  read: (data: D) => Traffic & { readonly seenAt: string },
): Promise<void> {
  const batch = events.map(({ id, data }): TrafficEvent => {
    const { offerId, viewer, automated = false, seenAt } = read(data);
    return { eventId: id, kind, offerId, seenAt: instantOf(seenAt), viewer, automated };
  });
  for (const [outcome, count] of Object.entries(await recordTraffic(o, batch)))
    o.meters.traffic.inc({ kind, outcome }, count);
}

type Payment = EventData<typeof OfferPaid>;

/**
 * The offers of a group are paid in one transaction, by the first of their events. A payment that arrives before its creation is finished is
 * stored on the reservations and applied when the creation finishes.
 * @returns to how many offers it was applied
 */
async function applyOfferPaid(tx: Transaction, payment: Payment, now: Date): Promise<number> {
  const parts = payment.together ?? [payment];
  const paidAt = new Date(payment.paidAt);
  const changes: AppliedPayment[] = [];
  // In one order, so that two events of a group cannot wait for each other.
  for (const part of parts.toSorted((a, b) => a.offerId - b.offerId)) {
    const offer = await lockOffer(tx, part.offerId);
    if (offer === null || !isPaymentOf(offer, { ...payment, ...part })) {
      // No offer matches this payment. A retry would not help, so the message is parked for a person to look at.
      throw new Error(`no offer ${part.offerId} with the price that was paid`);
    }
    const at = await nowIn(tx, offer, now);
    changes.push(applyPayment(offer, { paidAt, vatMinor: BigInt(part.vatMinor) }, at, now));
  }
  const applied = changes.filter((change) => change.ok);
  const together = applied.map(({ offer }) => offer);
  for (const { offer, outcome } of applied) {
    const at = await nowIn(tx, offer, now);
    const events = outcome === 'deferred' ? [] : [paymentApplied(offer, outcome, together, paidAt, at)];
    await saveOffer(tx, offer, events, now);
  }
  return applied.filter(({ outcome }) => outcome !== 'deferred').length;
}

function isPaymentOf(offer: Offer, payment: Payment): boolean {
  return (
    offer.organisationId === payment.organisationId &&
    offer.mode === payment.mode &&
    offer.currency === payment.currency &&
    offer.netMinor === BigInt(payment.netMinor)
  );
}
