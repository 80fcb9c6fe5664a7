/**
 * The offers that members may see, in memory, with what a card shows. The clock decides whether one has begun or ended; everything else that
 * changes is put and removed.
 */
import type { Target, TargetedMember } from '@offer-ads/contracts/audience/target';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { offerSquares } from './offer-squares.ts';

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
  readonly held: (mode: Mode) => number;
  /** Whether some were left out, and there is room now. */
  readonly hasRoomAgain: () => boolean;
};

/** In offers of about 1 KB. */
export type Room = Readonly<Record<Mode, number>>;

/** TEST offers cost nothing, so they have little room, and none of the LIVE ones'. */
export const TEST_ROOM = 50_000;
/** Free before those that were left out are read, so that this is not done for each offer that ends. */
const FREE_SHARE = 0.1;

export function liveOffers(room: Room): LiveOffers {
  const squares = { TEST: offerSquares(), LIVE: offerSquares() };
  const held = { TEST: 0, LIVE: 0 };
  const leftOut = new Set<Mode>();
  const offers = new Map<number, LiveOffer>();

  function remove(offerId: number): void {
    const offer = offers.get(offerId);
    if (offer === undefined) return;
    squares[offer.mode].remove(offer);
    held[offer.mode] -= 1;
    offers.delete(offerId);
  }

  return {
    put: (offer) => {
      offer.lack = offers.get(offer.offerId)?.lack ?? offer.lack;
      remove(offer.offerId);
      if (held[offer.mode] >= room[offer.mode]) {
        leftOut.add(offer.mode);
        return false;
      }
      held[offer.mode] += 1;
      squares[offer.mode].add(offer);
      offers.set(offer.offerId, offer);
      return true;
    },
    remove,
    get: (offerId) => offers.get(offerId),
    matching: (mode, member, now) => squares[mode].matching(member, now.getTime()),
    removeEnded: (now) => {
      for (const { offerId, expiryAtMs } of offers.values()) if (expiryAtMs <= now.getTime()) remove(offerId);
    },
    held: (mode) => held[mode],
    hasRoomAgain: () => [...leftOut].some((mode) => held[mode] <= room[mode] * (1 - FREE_SHARE)),
  };
}
