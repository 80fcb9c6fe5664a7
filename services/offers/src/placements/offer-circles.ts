/**
 * The circles of offers, searched by place. What a search reads of an offer is one line of the processor's cache, because the objects of
 * 100,000 offers are not in it. These numbers decide what they decide for certain; the rule of targets decides about interests and at the edge.
 */
import {
  isTargeted,
  radiusRadians,
  type Target,
  type TargetedMember,
} from '@offer-ads/contracts/audience/target';
import { type MemberGender, memberGenders } from '@offer-ads/contracts/values/primitives';
import Flatbush from 'flatbush';
import type { LiveOffer } from './live-offers.ts';

export type OfferCircles = {
  /** Adds one that is not there. */
  readonly add: (offer: LiveOffer) => void;
  readonly remove: (offerId: number) => void;
  /** Those that run at this instant and are for this member, in no order. */
  readonly matching: (member: TargetedMember, nowMs: number) => readonly LiveOffer[];
};

type Box = { readonly minX: number; readonly minY: number; readonly maxX: number; readonly maxY: number };

/** Eight numbers of an offer are next to each other: 64 bytes. */
const FACTS = 8;
const at = { x: 0, y: 1, z: 2, cosine: 3, startAtMs: 4, expiryAtMs: 5, genders: 6, interests: 7 } as const;
/** The tree cannot change, so it is built anew when so many offers came since then. A search looks at each of these, in some nanoseconds. */
const FEWEST_RECENT = 1_000;
const RECENT_SHARE = 1 / 16;
const RADIANS_PER_DEGREE = Math.PI / 180;
/** Boxes are larger than circles by a metre, so that rounding leaves nobody out. */
const MARGIN_DEGREES = 1e-5;
/** Of the cosine of an angle: more than its rounding, and ten metres around a place at most. */
const MARGIN_COSINE = 1e-12;
const ALL_GENDERS = -1;
/** No 32 bits give this number. */
const ALL_INTERESTS = 2 ** 32;
const ENDED = -Infinity;

export function offerCircles(): OfferCircles {
  let facts = new Float64Array(FEWEST_RECENT * FACTS);
  /** By slot; undefined: removed. */
  let offers: (LiveOffer | undefined)[] = [];
  const slots = new Map<number, number>();
  /** Holds the slots before `built`. */
  let tree: ((longitude: number, latitude: number, visit: (slot: number) => void) => void) | undefined;
  let built = 0;

  function add(offer: LiveOffer): void {
    const slot = offers.push(offer) - 1;
    slots.set(offer.offerId, slot);
    if (facts.length < offers.length * FACTS) {
      const larger = new Float64Array(facts.length * 2);
      larger.set(facts);
      facts = larger;
    }
    facts.set(factsOf(offer), slot * FACTS);
    // Where nobody searches, those that were removed would take memory for ever.
    if (offers.length > 2 * slots.size + FEWEST_RECENT) rebuild();
  }

  /** Takes 0.3 s for 100,000 offers, after 6,000 changes. */
  function rebuild(): void {
    const kept = inOrderOfPlace(offers.filter((offer) => offer !== undefined));
    offers = [];
    for (const offer of kept) add(offer);
    tree = treeOf(kept);
    built = offers.length;
  }

  return {
    add,
    remove: (offerId) => {
      const slot = slots.get(offerId);
      if (slot === undefined) return;
      slots.delete(offerId);
      offers[slot] = undefined;
      facts[slot * FACTS + at.expiryAtMs] = ENDED;
    },
    matching: (member, nowMs) => {
      if (offers.length - built > Math.max(FEWEST_RECENT, built * RECENT_SHARE)) rebuild();
      const { x, y, z } = onSphere(member);
      const gender = bitOf(member.gender);
      const interests = bitsOf(member.interests);
      const found: LiveOffer[] = [];
      const visit = (slot: number): void => {
        const first = slot * FACTS;
        const fact = (place: number) => facts[first + place] as number;
        if ((fact(at.genders) & gender) === 0) return;
        if (fact(at.interests) !== ALL_INTERESTS && (fact(at.interests) & interests) === 0) return;
        if (nowMs < fact(at.startAtMs) || nowMs >= fact(at.expiryAtMs)) return;
        const inside = fact(at.x) * x + fact(at.y) * y + fact(at.z) * z - fact(at.cosine);
        if (inside < -MARGIN_COSINE) return;
        const offer = offers[slot] as LiveOffer;
        const isCertain = inside > MARGIN_COSINE && fact(at.interests) === ALL_INTERESTS;
        if (isCertain || isTargeted(offer.target, member)) found.push(offer);
      };
      tree?.(member.longitude, member.latitude, visit);
      for (let slot = built; slot < offers.length; slot += 1) visit(slot);
      return found;
    },
  };
}

function factsOf({ target, startAtMs, expiryAtMs }: LiveOffer): number[] {
  const { x, y, z } = onSphere(target);
  // A radius may be longer than the way to the other side of the earth.
  const cosine = Math.cos(Math.min(Math.PI, radiusRadians(target.radiusMiles)));
  const genders =
    target.gender.length === 0 ? ALL_GENDERS : target.gender.reduce((bits, one) => bits | bitOf(one), 0);
  const interests = target.interests.length === 0 ? ALL_INTERESTS : bitsOf(target.interests);
  return [x, y, z, cosine, startAtMs, expiryAtMs, genders, interests];
}

function onSphere(o: { readonly latitude: number; readonly longitude: number }) {
  const latitude = o.latitude * RADIANS_PER_DEGREE;
  const longitude = o.longitude * RADIANS_PER_DEGREE;
  const z = Math.sin(latitude);
  return { x: Math.cos(latitude) * Math.cos(longitude), y: Math.cos(latitude) * Math.sin(longitude), z };
}

function bitOf(gender: MemberGender): number {
  return 1 << memberGenders.indexOf(gender);
}

/** Several interests share a bit: without a common bit there is no common interest. */
function bitsOf(interests: readonly number[]): number {
  return interests.reduce((bits, one) => bits | (1 << (one & 31)), 0);
}

/** By strips of a quarter of a degree, so that neighbours come next to each other in memory. */
function inOrderOfPlace(offers: readonly LiveOffer[]): readonly LiveOffer[] {
  const keys = Float64Array.from(
    offers,
    ({ target }) => Math.floor(target.latitude * 4) * 1_000 + target.longitude,
  );
  const order = Uint32Array.from(offers, (_, place) => place).toSorted(
    (a, b) => (keys[a] as number) - (keys[b] as number),
  );
  return Array.from(order, (place) => offers[place] as LiveOffer);
}

function treeOf(offers: readonly LiveOffer[]) {
  const boxes: Box[] = [];
  const slots: number[] = [];
  for (const [slot, { target }] of offers.entries())
    for (const box of boxesOf(target)) {
      boxes.push(box);
      slots.push(slot);
    }
  if (boxes.length === 0) return undefined;
  const tree = new Flatbush(boxes.length);
  for (const { minX, minY, maxX, maxY } of boxes) tree.add(minX, minY, maxX, maxY);
  tree.finish();
  return (x: number, y: number, visit: (slot: number) => void) => {
    tree.search(x, y, x, y, (box) => {
      visit(slots[box] as number);
      return false;
    });
  };
}

/** Boxes around the circle that never overlap: two when it crosses the date line; the whole circle of latitude when it holds a pole. */
function boxesOf({ latitude, longitude, radiusMiles }: Target): Box[] {
  const radius = radiusRadians(radiusMiles);
  const height = radius / RADIANS_PER_DEGREE + MARGIN_DEGREES;
  const rows = { minY: latitude - height, maxY: latitude + height };
  // The meridians that touch the circle, by the law of sines.
  const sine = Math.sin(radius) / Math.cos(latitude * RADIANS_PER_DEGREE);
  const holdsPole = rows.maxY >= 90 || rows.minY <= -90 || sine >= 1;
  if (holdsPole) return [{ ...rows, minX: -180, maxX: 180 }];
  const width = Math.asin(sine) / RADIANS_PER_DEGREE + MARGIN_DEGREES;
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
