/**
 * The offers that members may see, in memory: in boxes of latitude and longitude, with what a card shows. The clock decides whether one has
 * begun or ended; everything else that changes is put and removed.
 */

import {
  isTargeted,
  radiusRadians,
  type Target,
  type TargetedMember,
} from '@offer-ads/contracts/audience/target';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import RBush from 'rbush';

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
  /** A card as JSON: one string takes a fifth of the memory of its parts. */
  readonly card: string;
};

export type LiveOffers = {
  /** Adds or replaces. False: there is no room, so members are not shown the offer. */
  readonly put: (offer: LiveOffer) => boolean;
  readonly remove: (offerId: number) => void;
  /** Those that run at this instant and are for this member, in no order. The position is rounded already. */
  readonly matching: (mode: Mode, member: TargetedMember, now: Date) => readonly LiveOffer[];
  /** Removes those that have ended. */
  readonly removeEnded: (now: Date) => void;
  readonly size: () => number;
};

type Box = { readonly minX: number; readonly minY: number; readonly maxX: number; readonly maxY: number };
/** What a search looks at is in one object: objects of 100,000 offers are seldom in the processor's cache. */
type Entry = Box & Target & Pick<LiveOffer, 'startAtMs' | 'expiryAtMs'> & { readonly offer: LiveOffer };

function entryOf({ minX, minY, maxX, maxY }: Box, offer: LiveOffer): Entry {
  const { startAtMs, expiryAtMs } = offer;
  const { latitude, longitude, radiusMiles, gender, interests } = offer.target;
  const target = { latitude, longitude, radiusMiles, gender, interests };
  return { minX, minY, maxX, maxY, startAtMs, expiryAtMs, ...target, offer };
}

/** About 1 KB each. */
export const MOST_OFFERS = 250_000;
const DEGREES_PER_RADIAN = 180 / Math.PI;
/** Boxes are larger than circles by a metre, so that rounding leaves nobody out. The rule itself decides. */
const MARGIN_DEGREES = 1e-5;

export function liveOffers(mostOffers = MOST_OFFERS): LiveOffers {
  const trees = { TEST: new RBush<Entry>(), LIVE: new RBush<Entry>() };
  const entries = new Map<number, readonly Entry[]>();

  function remove(offerId: number): void {
    for (const entry of entries.get(offerId) ?? []) trees[entry.offer.mode].remove(entry);
    entries.delete(offerId);
  }

  return {
    put: (offer) => {
      remove(offer.offerId);
      if (entries.size >= mostOffers) return false;
      const added = boxesOf(offer.target).map((box) => entryOf(box, offer));
      for (const entry of added) trees[offer.mode].insert(entry);
      entries.set(offer.offerId, added);
      return true;
    },
    remove,
    matching: (mode, member, now) => {
      const { latitude: y, longitude: x } = member;
      const nowMs = now.getTime();
      const found: LiveOffer[] = [];
      for (const entry of trees[mode].search({ minX: x, minY: y, maxX: x, maxY: y })) {
        const runs = entry.startAtMs <= nowMs && nowMs < entry.expiryAtMs;
        if (runs && isTargeted(entry, member)) found.push(entry.offer);
      }
      return found;
    },
    removeEnded: (now) => {
      for (const [offerId, [entry]] of entries)
        if (entry !== undefined && entry.expiryAtMs <= now.getTime()) remove(offerId);
    },
    size: () => entries.size,
  };
}

/** Boxes around the circle that never overlap: two when it crosses the date line; the whole circle of latitude when it holds a pole. */
function boxesOf({ latitude, longitude, radiusMiles }: Target): Box[] {
  const radius = radiusRadians(radiusMiles);
  const height = radius * DEGREES_PER_RADIAN + MARGIN_DEGREES;
  const rows = { minY: latitude - height, maxY: latitude + height };
  // The meridians that touch the circle, by the law of sines.
  const sine = Math.sin(radius) / Math.cos(latitude / DEGREES_PER_RADIAN);
  const holdsPole = rows.maxY >= 90 || rows.minY <= -90 || sine >= 1;
  if (holdsPole) return [{ ...rows, minX: -180, maxX: 180 }];
  const width = Math.asin(sine) * DEGREES_PER_RADIAN + MARGIN_DEGREES;
  const [west, east] = [longitude - width, longitude + width];
  if (west < -180)
    return [
      { ...rows, minX: -180, maxX: east },
      { ...rows, minX: west + 360, maxX: 180 },
    ];
  if (east > 180)
    return [
      { ...rows, minX: west, maxX: 180 },
      { ...rows, minX: -180, maxX: east - 360 },
    ];
  return [{ ...rows, minX: west, maxX: east }];
}
