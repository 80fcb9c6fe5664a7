/** Pause and resume by the advertiser; disable, enable and review by the platform's staff. */
import type { Deadline } from '@offer-ads/platform/calls/deadline';
import type { OffersContext } from '../context.ts';
import {
  type AskForReviewRefusal,
  askForReview,
  type ReviewRefusal,
  review,
} from '../domain/lifecycle/edit-content.ts';
import { type Decision, disable, enable, pause, resume } from '../domain/lifecycle/lifecycle.ts';
import type { Offer } from '../domain/offer.ts';
import { type Change, findOfferForAdmin, type OfferReference, updateOffer } from '../offers-store.ts';
import { disabled, enabled, type OfferEvent, paused, resumed } from './offer-events.ts';

/** The time of the request, and the deadline after which nothing is changed. */
type Timing = { readonly receivedAt: Date; readonly deadline: Deadline };

export const pauseOffer = changeBy(pause, paused);
export const resumeOffer = changeBy(resume, resumed);
export const enableOffer = byAdmin(changeBy(enable, enabled));

/** @param reason what the advertiser is told */
export function disableOffer(o: OffersContext, offerId: number, reason: string, timing: Timing) {
  const change = changeBy((offer: Offer, now: Date) => disable(offer, now, reason), disabled);
  return byAdmin(change)(o, offerId, timing);
}

/** The advertiser asks the platform's staff to look again at an offer that they have disabled. No one is told. */
export function requestReview(o: OffersContext, reference: OfferReference, timing: Timing) {
  const { receivedAt, deadline } = timing;
  const change = (offer: Offer, now: Date): Change<AskForReviewRefusal> => {
    const asked = askForReview(offer, now, receivedAt);
    return asked.ok ? { ...asked, events: [] } : asked;
  };
  return updateOffer(o.postgres, reference, receivedAt, change, deadline);
}

/**
 * The platform's staff have looked at what members see of the offer. No one is told.
 * @param contentVersion of the content that they looked at
 */
export function reviewOffer(o: OffersContext, offerId: number, contentVersion: number, timing: Timing) {
  return byAdmin((_, reference, { receivedAt, deadline }) => {
    const change = (offer: Offer): Change<ReviewRefusal> => {
      const reviewed = review(offer, contentVersion);
      return reviewed.ok ? { ...reviewed, events: [] } : reviewed;
    };
    return updateOffer(o.postgres, reference, receivedAt, change, deadline);
  })(o, offerId, timing);
}

/** One transaction: decides about the locked offer, and writes the offer with its event. */
function changeBy<Refusal extends string>(
  decide: (offer: Offer, now: Date) => Decision<Refusal>,
  eventOf: (offer: Offer, at: Date) => OfferEvent,
) {
  return async (o: OffersContext, reference: OfferReference, { receivedAt, deadline }: Timing) => {
    const change = (offer: Offer, now: Date): Change<Refusal> => {
      const decided = decide(offer, now);
      return decided.ok ? { ...decided, events: [eventOf(decided.offer, decided.at)] } : decided;
    };
    return updateOffer(o.postgres, reference, receivedAt, change, deadline);
  };
}

/** Admins give only the offer's id, without organisation and mode. */
function byAdmin<C>(change: (o: OffersContext, reference: OfferReference, timing: Timing) => Promise<C>) {
  return async (o: OffersContext, offerId: number, timing: Timing) => {
    const reference = await findOfferForAdmin(o.postgres, offerId);
    return reference === null ? notFound : change(o, reference, timing);
  };
}

const notFound = { ok: false, reason: 'not-found' } as const;
