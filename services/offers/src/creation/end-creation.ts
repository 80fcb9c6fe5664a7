/** The two ends of a creation after `charging`: finished or dropped. Used by requests and by the sweeper. */
import type { CreateReply } from '@offer-ads/contracts/public/api';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import type { OffersContext } from '../context.ts';
import { type Billed, paymentOutcome, show } from '../domain/lifecycle/lifecycle.ts';
import { type Offer, statusAt } from '../domain/offer.ts';
import { created, type OfferEvent, paymentApplied, paymentLinkIssued } from '../lifecycle/offer-events.ts';
import type { CallContext } from '../other-services.ts';
import { nowIn } from '../test-clock/test-clock-store.ts';
import { freeKey, type Hold } from './idempotency-store.ts';
import { dropReservation, findReservation, finishReservation } from './reservations-store.ts';

/**
 * Finds out what became of a charge: returns what was billed, or null if nothing was billed and nothing can be for this id.
 * @throws the 503 fault while billing cannot tell
 */
export async function resolveCharge(
  o: OffersContext,
  call: CallContext,
  offerId: number,
): Promise<Billed | null> {
  const charge = await o.otherServices.resolveCharge(call, offerId);
  switch (charge.outcome) {
    case 'charged':
      return {
        paymentUrl: charge.paymentUrl,
        vatMinor: BigInt(charge.vatMinor),
        paidAt: new Date(charge.paidAt),
      };
    case 'closed':
      return null;
    case 'unknown':
      throw serviceUnavailable(`billing cannot tell yet whether offer ${offerId} was charged`);
  }
}

/**
 * Shows the offer, stores its reply for replays and writes its events, all in one statement.
 * @param reservation as it was read. If a payment has changed it since, it is read again, at most once, because it is paid only once
 * @param at the real time
 */
export async function finishCreation(
  o: OffersContext,
  hold: Hold,
  reservation: Offer,
  billed: Billed,
  at: Date,
): Promise<CreateReply> {
  const now = await nowIn(o.postgres, reservation, at);
  const offer = show(reservation, billed, now, at);
  const imageUrl = o.addresses.sign(offer.image, offer.expiryAt);
  const events = [created(offer, imageUrl), paymentEvent(offer, now)];
  const reply = replyOf(offer, now);
  if (!(await finishReservation(o.postgres, hold, reservation, { offer, events, at, reply }))) {
    const paid = await findReservation(o.postgres, hold, offer.offerId);
    return finishCreation(o, hold, paid, billed, at);
  }
  const labels = { mode: offer.mode, method: offer.paymentMethod };
  o.meters.created.inc(labels);
  if (offer.paidAt !== null) o.meters.paid.inc(labels);
  return reply;
}

/** Nothing was charged and nothing will be. Only the offer id remains, and it is never used again. */
export async function dropCreation(o: OffersContext, hold: Hold, offerId: number): Promise<void> {
  await o.postgres.transaction(async (tx) => {
    await freeKey(tx, hold);
    await dropReservation(tx, offerId);
  });
}

function paymentEvent(offer: Offer, now: Date): OfferEvent {
  return offer.paidAt === null
    ? paymentLinkIssued(offer, linkOf(offer))
    : paymentApplied(offer, paymentOutcome(statusAt(offer, now)), offer.paidAt, now);
}

/** "Behaviour" 2 and 3 of POST /offers. The reply for a card offer is the same even if the payment came first. */
function replyOf(offer: Offer, now: Date): CreateReply {
  const created = { return_code: 'S1', offer_id: offer.offerId } as const;
  switch (offer.paymentMethod) {
    case 'E':
      return { ...created, status: 'Awaiting Payment', payment_url: linkOf(offer), currency: offer.currency };
    case 'B':
      return { ...created, status: now < offer.startAt ? 'Scheduled' : 'Active', payment_url: null };
  }
}

function linkOf(offer: Offer): string {
  if (offer.paymentUrl === null) throw new Error(`offer ${offer.offerId} has no payment link`);
  return offer.paymentUrl;
}
