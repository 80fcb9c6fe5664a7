/**
 * The offers that members may see, in memory, with what a card shows. The clock decides whether one has begun or ended; everything else that
 * changes is put and removed.
 */
import type { Target, TargetedMember } from '@offer-ads/contracts/audience/target';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { offerCircles } from './offer-circles.ts';

/** What a card shows of an offer, apart from what is signed for each placement. */
export type Card = {
  readonly offer_id: number;
  readonly title: string;
  readonly description: string;
  readonly terms_and_conditions: string;
  readonly advertised_name: string;
};

export type LiveOffer = {
  readonly offerId: number;
  readonly mode: Mode;
  readonly categoryId: number;
  readonly categoryName: string;
  readonly target: Target;
  readonly startAtMs: number;
  readonly expiryAtMs: number;
  readonly image: string;
  /** Where its clicks lead. */
  readonly url: string;
  /** A card as JSON: one string takes a fifth of the memory of its parts. */
  readonly card: string;
  /** What it lacks to its fair share of this replica's placements, in showings. Of those that run; whoever is put again keeps it. */
  lack: number;
};

export type LiveOffers = {
  /** Adds or replaces. False: there is no room, so members are not shown the offer. */
  readonly put: (offer: LiveOffer) => boolean;
  readonly remove: (offerId: number) => void;
  readonly get: (offerId: number) => LiveOffer | undefined;
  /** Those that run at this instant and are for this member, in no order. The position is rounded already. */
  readonly matching: (mode: Mode, member: TargetedMember, now: Date) => readonly LiveOffer[];
  /** Removes those that have ended. */
  readonly removeEnded: (now: Date) => void;
  readonly size: () => number;
};

/** About 1 KB each. */
export const MOST_OFFERS = 250_000;

export function liveOffers(mostOffers = MOST_OFFERS): LiveOffers {
  const circles = { TEST: offerCircles(), LIVE: offerCircles() };
  const offers = new Map<number, LiveOffer>();

  function remove(offerId: number): void {
    const offer = offers.get(offerId);
    if (offer !== undefined) circles[offer.mode].remove(offerId);
    offers.delete(offerId);
  }

  return {
    put: (offer) => {
      offer.lack = offers.get(offer.offerId)?.lack ?? offer.lack;
      remove(offer.offerId);
      if (offers.size >= mostOffers) return false;
      circles[offer.mode].add(offer);
      offers.set(offer.offerId, offer);
      return true;
    },
    remove,
    get: (offerId) => offers.get(offerId),
    matching: (mode, member, now) => circles[mode].matching(member, now.getTime()),
    removeEnded: (now) => {
      for (const { offerId, expiryAtMs } of offers.values()) if (expiryAtMs <= now.getTime()) remove(offerId);
    },
    size: () => offers.size,
  };
}
