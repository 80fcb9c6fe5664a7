/** The two ends of a creation after `charging`: finished or dropped. Used by requests and by the sweeper. */
import type { CreateReply } from '@offer-ads/contracts/public/api';
import type { CreateGroupReply } from '@offer-ads/contracts/public/groups-api';
import { vatParts } from '@offer-ads/contracts/values/vat-parts';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import type { OffersContext } from '../context.ts';
import { type Billed, paymentOutcome, show } from '../domain/lifecycle/lifecycle.ts';
import { type Offer, statusAt } from '../domain/offer.ts';
import { created, type OfferEvent, paymentApplied, paymentLinkIssued } from '../lifecycle/offer-events.ts';
import type { CallContext } from '../other-services.ts';
import { nowIn } from '../test-clock/test-clock-store.ts';
import { freeKey, type Hold } from './idempotency-store.ts';
import {
  dropReservations,
  findReservations,
  finishReservations,
  type Reservations,
} from './reservations-store.ts';

/**
 * Finds out what became of a charge: returns what was billed, or null if nothing was billed and nothing can be for this offer or group.
 * @throws the 503 fault while billing cannot tell
 */
export async function resolveCharge(
  o: OffersContext,
  call: CallContext,
  [offer]: Reservations,
): Promise<Billed | null> {
  const charge = await o.otherServices.resolveCharge(call, offer);
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
      throw serviceUnavailable(`billing cannot tell yet whether offer ${offer.offerId} was charged`);
  }
}

/**
 * Shows the offers, stores the reply for replays and writes the events, all in one statement.
 * @param reservations as they were read. If a payment has changed one since, they are read again: each is paid only once, so this ends
 * @param at the real time
 */
export async function finishCreation(
  o: OffersContext,
  hold: Hold,
  reservations: Reservations,
  billed: Billed,
  at: Date,
): Promise<CreateReply | CreateGroupReply> {
  const now = await nowIn(o.postgres, reservations[0], at);
  const vat = vatParts(
    reservations.map(({ netMinor }) => netMinor),
    billed.vatMinor,
  );
  const offers = reservations.map((reservation, index) =>
    show(reservation, { ...billed, vatMinor: vat[index] ?? 0n }, now, at),
  );
  const shown = offers.map((offer) => {
    const imageUrl = o.addresses.sign(offer.image, offer.expiryAt);
    return { offer, events: [created(offer, imageUrl), paymentEvent(offer, offers, now)] };
  });
  const reply = replyOf(offers, now);
  if (!(await finishReservations(o.postgres, hold, { reservations, shown, at, reply }))) {
    const paid = await findReservations(o.postgres, hold, reservations[0].offerId);
    return finishCreation(o, hold, paid, billed, at);
  }
  for (const offer of offers) {
    const labels = { mode: offer.mode, method: offer.paymentMethod };
    o.meters.created.inc(labels);
    if (offer.paidAt !== null) o.meters.paid.inc(labels);
  }
  return reply;
}

/** Nothing was charged and nothing will be. Only the ids remain, and they are never used again. */
export async function dropCreation(o: OffersContext, hold: Hold, offers: Reservations): Promise<void> {
  await o.postgres.transaction(async (tx) => {
    await freeKey(tx, hold);
    await dropReservations(tx, offers);
  });
}

function paymentEvent(offer: Offer, together: readonly Offer[], now: Date): OfferEvent {
  return offer.paidAt === null
    ? paymentLinkIssued(offer, linkOf(offer), together)
    : paymentApplied(offer, paymentOutcome(statusAt(offer, now)), together, offer.paidAt, now);
}

/** "Behaviour" 2 and 3 of POST /offers. The reply for a card offer is the same even if the payment came first. */
function replyOf(offers: readonly Offer[], now: Date): CreateReply | CreateGroupReply {
  const [offer] = offers;
  if (offer === undefined) throw new Error('a creation without offers');
  const { groupId, currency } = offer;
  const isPaid = offer.paymentMethod === 'B';
  const paid = (each: Offer) => (now < each.startAt ? 'Scheduled' : 'Active');
  if (groupId !== null)
    return {
      return_code: 'S1',
      group_id: groupId,
      offers: offers.map((each) => ({
        offer_id: each.offerId,
        status: isPaid ? paid(each) : 'Awaiting Payment',
        label: each.placeLabel,
      })),
      payment_url: isPaid ? null : linkOf(offer),
      currency,
    };
  const created = { return_code: 'S1', offer_id: offer.offerId } as const;
  return isPaid
    ? { ...created, status: paid(offer), payment_url: null }
    : { ...created, status: 'Awaiting Payment', payment_url: linkOf(offer), currency };
}

function linkOf(offer: Offer): string {
  if (offer.paymentUrl === null) throw new Error(`offer ${offer.offerId} has no payment link`);
  return offer.paymentUrl;
}
