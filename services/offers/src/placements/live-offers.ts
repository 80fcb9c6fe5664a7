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
import { type MemberGender, memberGenders } from '@offer-ads/contracts/values/member-gender';
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

/**
 * Numbers of an offer, side by side, which decide about nearly all offers of a square: to read its objects takes several times as long.
 * The circle is a cone, so that who is inside is mostly decided by one product, without the rule's trigonometry.
 */
const [X, Y, Z, COSINE, START, EXPIRY, GENDERS, INTERESTS, FACTS] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const FIRST_SLOTS = 1_024;

/** Every member has it, and every offer without a filter by interests. */
const ANY_INTEREST = 1 << 31;
/** Interests share bits: without one in common the offer is not for the member, and with one the rule decides. */
const bitsOfInterests = (ids: readonly number[]) => ids.reduce((bits, id) => bits | (1 << (id % 31)), 0);
const bitsOfGenders = (genders: readonly MemberGender[]) =>
  genders.reduce((bits, gender) => bits | (1 << memberGenders.indexOf(gender)), 0);

export function liveOffers(room: Room): LiveOffers {
  /** By square, the slots of the offers whose circles touch it. */
  const squares = { TEST: new Map<number, number[]>(), LIVE: new Map<number, number[]>() };
  const held = { TEST: 0, LIVE: 0 };
  const slots = new Map<number, number>();
  /** By slot. A slot that became free is used again. */
  const offers: (LiveOffer | undefined)[] = [];
  const free: number[] = [];
  let facts = new Float64Array(FIRST_SLOTS * FACTS);

  function remove(offerId: number): void {
    const slot = slots.get(offerId);
    const offer = offers[slot ?? -1];
    if (slot === undefined || offer === undefined) return;
    const { mode, target } = offer;
    for (const square of squaresOf(target)) {
      const there: number[] = squares[mode].get(square) ?? [];
      const last = there.pop();
      if (there.length === 0) squares[mode].delete(square);
      if (last !== undefined && last !== slot) there[there.indexOf(slot)] = last;
    }
    held[mode] -= 1;
    slots.delete(offerId);
    offers[slot] = undefined;
    free.push(slot);
  }

  function add(offer: LiveOffer): void {
    const slot = free.pop() ?? offers.length;
    if (slot * FACTS >= facts.length) {
      const larger = new Float64Array(2 * facts.length);
      larger.set(facts);
      facts = larger;
    }
    const { x, y, z } = onSphere(offer.target);
    const { radiusMiles, gender, interests } = offer.target;
    const numbers = [x, y, z, Math.cos(radiusRadians(radiusMiles)), offer.startAtMs, offer.expiryAtMs];
    numbers.push(bitsOfGenders(gender.length === 0 ? memberGenders : gender));
    numbers.push(interests.length === 0 ? ANY_INTEREST : bitsOfInterests(interests));
    facts.set(numbers, slot * FACTS);
    offers[slot] = offer;
    slots.set(offer.offerId, slot);
    held[offer.mode] += 1;
    for (const square of squaresOf(offer.target)) {
      const there = squares[offer.mode].get(square);
      if (there === undefined) squares[offer.mode].set(square, [slot]);
      else there.push(slot);
    }
  }

  const get = (offerId: number) => offers[slots.get(offerId) ?? -1];
  const fact = (slot: number, which: number) => facts[slot * FACTS + which] as number;
  return {
    put: (offer) => {
      offer.lack = get(offer.offerId)?.lack ?? offer.lack;
      remove(offer.offerId);
      if (held[offer.mode] >= room[offer.mode]) return false;
      add(offer);
      return true;
    },
    remove,
    removeAll: (isGone) => {
      for (const [offerId, slot] of slots) if (isGone(offers[slot] as LiveOffer)) remove(offerId);
    },
    get,
    matching: (mode, member, now) => {
      const { x, y, z } = onSphere(member);
      const nowMs = now.getTime();
      const found: LiveOffer[] = [];
      const genders = bitsOfGenders([member.gender]);
      const interests = bitsOfInterests(member.interests) | ANY_INTEREST;
      for (const slot of squares[mode].get(squareOf(member)) ?? []) {
        const inside = fact(slot, X) * x + fact(slot, Y) * y + fact(slot, Z) * z - fact(slot, COSINE);
        if (inside < -MARGIN_COSINE || nowMs < fact(slot, START) || nowMs >= fact(slot, EXPIRY)) continue;
        const common = fact(slot, INTERESTS) & interests;
        if (common === 0 || (fact(slot, GENDERS) & genders) === 0) continue;
        const offer = offers[slot] as LiveOffer;
        if ((common & ANY_INTEREST) === 0 && !isForMember(offer.target, member)) continue;
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
  const z = Math.sin(latitude);
  return { x: Math.cos(latitude) * Math.cos(longitude), y: Math.cos(latitude) * Math.sin(longitude), z };
}
