/**
 * The offers that members may see, in memory, with what a card shows. They are filed under the squares of a quarter of a degree that their
 * circles touch, so a member's square has all offers that may be for the member. A change takes effect at once. The clock decides whether an
 * offer has begun or ended.
 */
import { isWithin } from '@offer-ads/contracts/audience/great-circle';
import {
  isForMember,
  radiusRadians,
  type Target,
  type TargetedMember,
} from '@offer-ads/contracts/audience/target';
import type { Mode } from '@offer-ads/contracts/values/primitives';
import { squareOf, squaresOf } from '../domain/placements/squares.ts';

export type LiveOffer = {
  readonly offerId: number;
  readonly mode: Mode;
  readonly categoryId: number;
  readonly target: Target;
  readonly startAtMs: number;
  readonly expiryAtMs: number;
  readonly image: string;
  /** Where its clicks lead. */
  readonly url: string;
  /** What a card shows, apart from its category and what is signed for each placement, as JSON: it takes a fifth of the memory of its parts. */
  readonly card: string;
  /** What it lacks to its fair share of this replica's placements, in showings. An offer that is put again keeps it. */
  lack: number;
};

export type LiveOffers = {
  /** Adds or replaces. False: there is no room, so members are not shown the offer. */
  readonly put: (offer: LiveOffer) => boolean;
  readonly remove: (offerId: number) => void;
  readonly removeAll: (isGone: (offer: LiveOffer) => boolean) => void;
  readonly get: (offerId: number) => LiveOffer | undefined;
  /** Those that run at this instant and are for this member, in no order. The position is rounded already. */
  readonly matching: (mode: Mode, member: TargetedMember, now: Date) => LiveOffer[];
  readonly held: (mode: Mode) => number;
};

/** In offers of about 1 KB. */
export type Room = Readonly<Record<Mode, number>>;

/** TEST offers cost nothing, so they have little room, and none of the LIVE ones'. */
export const TEST_ROOM = 50_000;

const RADIANS_PER_DEGREE = Math.PI / 180;
/** Of the cosine of an angle: more than its rounding. */
const MARGIN_COSINE = 1e-12;

/** An offer with the circle as a cone: who is inside is mostly decided by one product, without the rule's trigonometry. */
type Filed = Point & { readonly offer: LiveOffer; readonly cosine: number };
type Point = { readonly x: number; readonly y: number; readonly z: number };

export function liveOffers(room: Room): LiveOffers {
  const squares = { TEST: new Map<number, Filed[]>(), LIVE: new Map<number, Filed[]>() };
  const held = { TEST: 0, LIVE: 0 };
  const offers = new Map<number, LiveOffer>();

  function remove(offerId: number): void {
    const offer = offers.get(offerId);
    if (offer === undefined) return;
    for (const square of squaresOf(offer.target)) {
      const there: Filed[] = squares[offer.mode].get(square) ?? [];
      const last = there.pop();
      if (there.length === 0) squares[offer.mode].delete(square);
      if (last !== undefined && last.offer !== offer)
        there[there.findIndex((filed) => filed.offer === offer)] = last;
    }
    held[offer.mode] -= 1;
    offers.delete(offerId);
  }

  return {
    put: (offer) => {
      offer.lack = offers.get(offer.offerId)?.lack ?? offer.lack;
      remove(offer.offerId);
      if (held[offer.mode] >= room[offer.mode]) return false;
      const filed = {
        ...onSphere(offer.target),
        cosine: Math.cos(radiusRadians(offer.target.radiusMiles)),
        offer,
      };
      for (const square of squaresOf(offer.target)) {
        const there = squares[offer.mode].get(square);
        if (there === undefined) squares[offer.mode].set(square, [filed]);
        else there.push(filed);
      }
      held[offer.mode] += 1;
      offers.set(offer.offerId, offer);
      return true;
    },
    remove,
    removeAll: (isGone) => {
      for (const offer of offers.values()) if (isGone(offer)) remove(offer.offerId);
    },
    get: (offerId) => offers.get(offerId),
    matching: (mode, member, now) => {
      const { x, y, z } = onSphere(member);
      const nowMs = now.getTime();
      const found: LiveOffer[] = [];
      for (const filed of squares[mode].get(squareOf(member)) ?? []) {
        const inside = filed.x * x + filed.y * y + filed.z * z - filed.cosine;
        if (inside < -MARGIN_COSINE) continue;
        const { startAtMs, expiryAtMs, target } = filed.offer;
        if (nowMs < startAtMs || nowMs >= expiryAtMs || !isForMember(target, member)) continue;
        if (inside > MARGIN_COSINE || isWithin(target, member)) found.push(filed.offer);
      }
      return found;
    },
    held: (mode) => held[mode],
  };
}

function onSphere(o: { readonly latitude: number; readonly longitude: number }): Point {
  const latitude = o.latitude * RADIANS_PER_DEGREE;
  const longitude = o.longitude * RADIANS_PER_DEGREE;
  const z = Math.sin(latitude);
  return { x: Math.cos(latitude) * Math.cos(longitude), y: Math.cos(latitude) * Math.sin(longitude), z };
}
