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

/** x, y and z of the centre, and the cosine of the radius. */
const CONE = 4;

export function liveOffers(room: Room): LiveOffers {
  /** By the number of the square, the slots of offers. */
  const squares = { TEST: new Map<number, number[]>(), LIVE: new Map<number, number[]>() };
  const held = { TEST: 0, LIVE: 0 };
  const slots = new Map<number, number>();
  const freeSlots: number[] = [];
  /** By slot. */
  const offers: (LiveOffer | undefined)[] = [];
  /** By slot, the circle as a cone: one product decides who is inside. Together, because thousands of offers are looked at for a member. */
  const cones = new Float64Array(CONE * (room.TEST + room.LIVE));

  const get = (offerId: number) => offers[slots.get(offerId) ?? offers.length];

  function remove(offerId: number): void {
    const [offer, slot] = [get(offerId), slots.get(offerId)];
    if (offer === undefined || slot === undefined) return;
    for (const square of squaresOf(offer.target)) {
      const there = squares[offer.mode].get(square) ?? [];
      const last = there.pop() as number;
      if (there.length === 0) squares[offer.mode].delete(square);
      if (last !== slot) there[there.indexOf(slot)] = last;
    }
    held[offer.mode] -= 1;
    slots.delete(offerId);
    offers[slot] = undefined;
    freeSlots.push(slot);
  }

  return {
    put: (offer) => {
      offer.lack = get(offer.offerId)?.lack ?? offer.lack;
      remove(offer.offerId);
      if (held[offer.mode] >= room[offer.mode]) return false;
      const slot = freeSlots.pop() ?? offers.length;
      cones.set([...onSphere(offer.target), Math.cos(radiusRadians(offer.target.radiusMiles))], CONE * slot);
      for (const square of squaresOf(offer.target)) {
        const there = squares[offer.mode].get(square);
        if (there === undefined) squares[offer.mode].set(square, [slot]);
        else there.push(slot);
      }
      held[offer.mode] += 1;
      slots.set(offer.offerId, slot);
      offers[slot] = offer;
      return true;
    },
    remove,
    removeAll: (isGone) => {
      for (const offer of offers) if (offer !== undefined && isGone(offer)) remove(offer.offerId);
    },
    get,
    matching: (mode, member, now) => {
      const [x, y, z] = onSphere(member);
      const nowMs = now.getTime();
      const found: LiveOffer[] = [];
      for (const slot of squares[mode].get(squareOf(member)) ?? []) {
        const at = CONE * slot;
        const product =
          (cones[at] as number) * x + (cones[at + 1] as number) * y + (cones[at + 2] as number) * z;
        const inside = product - (cones[at + 3] as number);
        if (inside < -MARGIN_COSINE) continue;
        const offer = offers[slot] as LiveOffer;
        if (nowMs < offer.startAtMs || nowMs >= offer.expiryAtMs || !isForMember(offer.target, member))
          continue;
        if (inside > MARGIN_COSINE || isWithin(offer.target, member)) found.push(offer);
      }
      return found;
    },
    held: (mode) => held[mode],
  };
}

function onSphere(o: { readonly latitude: number; readonly longitude: number }) {
  const latitude = o.latitude * RADIANS_PER_DEGREE;
  const longitude = o.longitude * RADIANS_PER_DEGREE;
  const [x, y] = [Math.cos(latitude) * Math.cos(longitude), Math.cos(latitude) * Math.sin(longitude)];
  return [x, y, Math.sin(latitude)] as const;
}
