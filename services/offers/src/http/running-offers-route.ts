/** GET /placements/offers, called with the signed caller of a placement key: all offers of its mode that have not ended, in pages. */
import { hash } from 'node:crypto';
import {
  type OfferStateEvent,
  offerStateType,
  type RunningOffersReply,
  runningOffersQuery,
} from '@offer-ads/contracts/community/running-offers-api';
import { eventSource } from '@offer-ads/contracts/events/event-declaration';
import { requestFacts } from '@offer-ads/platform/http/request';
import { validInput } from '@offer-ads/platform/http/valid-input';
import type { Express } from 'express';
import type { OffersContext } from '../context.ts';
import type { Offer } from '../domain/offer.ts';
import { stateOf } from '../lifecycle/offer-events.ts';
import { pageOfRunning } from '../offers-store.ts';
import { placementCallerOf, requirePlacementCaller } from './placement-caller.ts';

export function mountRunningOffersRoute(
  app: Express,
  o: Pick<OffersContext, 'postgres' | 'addresses' | 'clock' | 'contextSecret'>,
): void {
  app.get('/placements/offers', requirePlacementCaller(o), async (req, res) => {
    const { mode } = placementCallerOf(res);
    const { cursor = 0, limit } = validInput(runningOffersQuery, req.query);
    const now = requestFacts(req).receivedAt;
    // One more shows whether another page follows.
    const found = await pageOfRunning(o.postgres, { mode, after: cursor, limit: limit + 1 });
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    res.json({
      // The picture's address is the one in OfferCreated.
      offers: page.map((offer) => stateEvent(offer, o.addresses.sign(offer.image, offer.expiryAt), now)),
      next_cursor: last === undefined ? null : String(last.offerId),
    } satisfies RunningOffersReply);
  });
}

function stateEvent(offer: Offer, imageUrl: string, now: Date): OfferStateEvent {
  return {
    specversion: '1.0',
    id: idOfState(offer),
    source: eventSource('offers'),
    type: offerStateType,
    time: now.toISOString(),
    subject: `offer/${offer.offerId}`,
    subjectversion: offer.version,
    datacontenttype: 'application/json',
    data: stateOf(offer, imageUrl),
  };
}

/** A UUID of version 8 (RFC 9562): made from a hash. Every version of an offer has a state of its own. */
function idOfState({ offerId, version }: Offer): string {
  const hex = hash('sha256', `${offerStateType}/${offerId}/${version}`);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
