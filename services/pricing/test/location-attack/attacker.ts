/**
 * Finds out where a member is, only by the counts of estimates. The attacker knows gender and all interests of the member, and in which
 * city or country to look. All attacks of docs/prices.md are one loop: take a circle whose edge halves the places that are still
 * likely, find out whether the member is inside, and weigh the places anew.
 */

import { isWithin } from '@offer-ads/contracts/audience/great-circle';
import type { Target } from '@offer-ads/contracts/audience/target';
import { type Chance, chance } from '@offer-ads/testing/random';
import type { CountedMember } from '../../src/members/member-document.ts';
import { METRES_PER_DEGREE, moved, type Place } from './attacked-world.ts';

export type Circle = Place & { readonly radiusMiles: number };
export type Known = Pick<CountedMember, 'gender' | 'interests'> & {
  readonly around: Place & { readonly metres: number };
};

/** What an attacker asks: an estimate's `matching_users`. Throws `NoRequestsLeft` when there are none left. */
export type Ask = (target: Target) => Promise<number>;

export class NoRequestsLeft extends Error {}

/** The odds that the member is inside a circle, which may differ slightly from the wanted one. */
export type Finding = { readonly circle: Circle; readonly oddsInside: number };
export type Method = (ask: Ask, known: Known, cut: Cut, random: Chance) => Promise<Finding | null>;

/** A circle whose edge halves the likely places, and the same circle moved away until it contains none of them; null if the places are too far apart. */
export type Cut = {
  readonly circle: Circle;
  readonly before: Circle | null;
  /** The middle of the likely places. */
  readonly middle: Place;
  readonly spreadMetres: number;
};

export type Claim = Place & {
  /** Root mean square of the distances of the places that are still likely. */
  readonly withinMetres: number;
};

const INTERESTS = Array.from({ length: 30 }, (_, n) => n + 1);
/** The share of lifts that another member causes. */
const FALSE_LIFTS = 0.03;
const SMALLEST_MILES = 5;
const PLACES = 1_500;
const FINE_ENOUGH_METRES = 20;
const MAX_TRIES = 20_000;
const METRES_PER_MILE = 1609.344;
const { ceil, cos, exp, hypot, max, min, PI, sin, sqrt } = Math;

/** @returns null if the remaining places are more than about a kilometre apart */
export async function locate(ask: Ask, known: Known, method: Method, seed: number): Promise<Claim | null> {
  const random = chance(seed);
  let places = startPlaces(known.around, random);
  let claim = claimOf(places);
  try {
    for (let tried = 0; tried < MAX_TRIES && claim.withinMetres >= FINE_ENOUGH_METRES; tried += 1) {
      const finding = await method(ask, known, halvingCut(places, claim, random), random);
      if (finding === null) continue;
      places = resampled(weighed(places, finding), random);
      claim = claimOf(places);
    }
  } catch (error) {
    if (!(error instanceof NoRequestsLeft)) throw error;
  }
  return claim.withinMetres < 1_500 ? claim : null;
}

/** Counts are exact: the difference is the number of members of this kind inside. */
export const exactDifferences: Method = async (ask, known, { circle, before }) => {
  const inside =
    (await membersLikeThis(known, ask, circle)) -
    (before === null ? 0 : await membersLikeThis(known, ask, before));
  return { circle, oddsInside: inside > 0 ? 1e4 : 1e-4 };
};

/**
 * Counts are rounded down to steps, and every step is at a known multiple: whoever is added lifts one count in ten over a step. The circle is moved
 * and other interests are left out at random, until a count happens to stand just below a step; a single lift tells then that
 * somebody was added.
 */
export function liftsOverSteps(o: { readonly draws: number; readonly step: number }): Method {
  return async (ask, known, cut, random) => {
    let odds = 1;
    for (let draw = 0; draw < o.draws; draw += 1) {
      const lift = await addedByRarest(known, ask, nearby(cut, random), random);
      odds *= lift >= o.step ? 1 / (o.step * FALSE_LIFTS) : (1 - 1 / o.step) / (1 - FALSE_LIFTS);
      if (odds > 4 || odds < 0.2) break;
    }
    return { circle: cut.circle, oddsInside: odds };
  };
}

/** Counts are rounded down to steps at unknown places: only the mean of many differences tells. */
export function meanDifferences(o: { readonly draws: number; readonly step: number }): Method {
  return async (ask, known, cut, random) => {
    let sum = 0;
    for (let draw = 0; draw < o.draws; draw += 1)
      sum += await addedByRarest(known, ask, nearby(cut, random), random);
    // Twice the variance of a step met by chance.
    const variance = o.step ** 2 / 3 / o.draws;
    return { circle: cut.circle, oddsInside: bounded(exp((sum / o.draws - 0.5) / variance)) };
  };
}

/**
 * Counts are rounded down to steps at known multiples: the circle is turned about the likely places until the count of the others passes a
 * step, and that place is found by halving. Just below a step one member more is told.
 */
export function liftsAtFoundSteps(o: { readonly halvings: number }): Method {
  return async (ask, known, { circle, middle }, random) => {
    const { gender, interests } = known;
    const added = rarest(interests, 1);
    if (added.length === 0) return null;
    const leftOut = random.oneOf(INTERESTS);
    const others = INTERESTS.filter((each) => !interests.includes(each) && each !== leftOut);
    const askAt = async (degrees: number, wanted = others) => {
      const turned = turnedAbout(middle, circle, degrees);
      return { degrees, turned, shown: await ask({ ...turned, gender: [gender], interests: wanted }) };
    };
    let from = await askAt(0);
    let to = await askAt(random.oneOf([-60, 60]));
    if (from.shown === to.shown) return null;
    for (let halving = 0; halving < o.halvings; halving += 1) {
      const half = await askAt((from.degrees + to.degrees) / 2);
      if (half.shown === from.shown) from = half;
      else to = half;
    }
    const below = from.shown < to.shown ? from : to;
    const isLifted = (await askAt(below.degrees, [...others, ...added])).shown > below.shown;
    return { circle: below.turned, oddsInside: isLifted ? 0.6 / FALSE_LIFTS : 0.4 / (1 - FALSE_LIFTS) };
  };
}

function turnedAbout(middle: Place, circle: Circle, degrees: number): Circle {
  const north = (circle.latitude - middle.latitude) * METRES_PER_DEGREE;
  const east = (circle.longitude - middle.longitude) * METRES_PER_DEGREE * cos((middle.latitude * PI) / 180);
  const angle = (degrees * PI) / 180;
  return {
    ...circle,
    ...moved(middle, north * cos(angle) - east * sin(angle), north * sin(angle) + east * cos(angle)),
  };
}

/** Counts are rounded down to steps at unknown places: differences are added up, each as evidence of its own. */
export function weighedDifferences(o: { readonly draws: number; readonly step: number }): Method {
  return async (ask, known, cut, random) => {
    // Twice the variance of a step met by chance; a little more than half a member is added by others.
    const variance = o.step ** 2 / 6;
    let logOdds = 0;
    for (let draw = 0; draw < o.draws; draw += 1)
      logOdds += ((await addedByRarest(known, ask, nearby(cut, random), random)) - 0.6) / variance;
    return { circle: cut.circle, oddsInside: bounded(exp(logOdds)) };
  };
}

/** Another circle with nearly the same members. */
function nearby({ circle, spreadMetres }: Cut, random: Chance): Circle {
  const metres = min(1_000, 0.2 * spreadMetres + 10);
  return { ...circle, ...inDirection(circle, random.below(360), (metres * random.below(1_000)) / 1_000) };
}

/** Counts members with any interest that the victim lacks, leaving out one at random, and returns how many the victim's rarest interest adds. */
async function addedByRarest({ gender, interests }: Known, ask: Ask, circle: Circle, random: Chance) {
  const leftOut = random.oneOf(INTERESTS);
  const others = INTERESTS.filter((each) => !interests.includes(each) && each !== leftOut);
  const without = await ask({ ...circle, gender: [gender], interests: others });
  const added = rarest(interests, 1);
  if (added.length === 0) return 0;
  return (await ask({ ...circle, gender: [gender], interests: [...others, ...added] })) - without;
}

function bounded(odds: number): number {
  return max(1e-4, min(1e4, odds));
}

/**
 * How many members of the gender have the wanted interests and none beside the known ones. A target means "any of these", so they are
 * counted by what is missing when the rest is asked for (inclusion and exclusion): two estimates for each interest, multiplied.
 */
async function membersLikeThis(
  { gender, interests }: Known,
  ask: Ask,
  circle: Circle,
  wanted = rarest(interests, 3),
): Promise<number> {
  let sum = 0;
  for (let subset = 0; subset < 2 ** wanted.length; subset += 1) {
    const left = wanted.filter((_, n) => (subset >> n) % 2 === 1);
    const others = INTERESTS.filter((each) => !interests.includes(each) || left.includes(each));
    const sign = left.length % 2 === 0 ? -1 : 1;
    sum += sign * (await ask({ ...circle, gender: [gender], interests: others }));
  }
  return wanted.length === 0 ? 0 : sum;
}

/** Higher ids are rarer. */
function rarest(interests: readonly number[], count: number): readonly number[] {
  return interests.toSorted((a, b) => b - a).slice(0, count);
}

type Weighed = { readonly place: Place; readonly weight: number };

function startPlaces(around: Known['around'], random: Chance): readonly Place[] {
  return Array.from({ length: PLACES }, () => {
    const metres = around.metres * sqrt(random.below(1_000_001) / 1_000_000);
    return inDirection(around, random.below(360_000) / 1_000, metres);
  });
}

function weighed(places: readonly Place[], { circle, oddsInside }: Finding): readonly Weighed[] {
  const inside = oddsInside / (1 + oddsInside);
  return places.map((place) => ({ place, weight: isWithin(circle, place) ? inside : 1 - inside }));
}

/** Resamples as many places by weight and moves each a little (a particle filter), so that the places become finer. */
function resampled(places: readonly Weighed[], random: Chance): readonly Place[] {
  const total = places.reduce((sum, { weight }) => sum + weight, 0);
  const kept: Place[] = [];
  let passed = 0;
  for (const { place, weight } of places) {
    passed += weight;
    while (kept.length + 0.5 < (passed / total) * PLACES) kept.push(place);
  }
  const jitter = max(2, 0.12 * claimOf(kept).withinMetres);
  return kept.map((place) => inDirection(place, random.below(360), (jitter * random.below(1_000)) / 1_000));
}

/** @param middle of the likely places */
function halvingCut(places: readonly Place[], middle: Claim, random: Chance): Cut {
  const spreadMetres = middle.withinMetres;
  const radiusMiles = max(SMALLEST_MILES, min(30, ceil((2.5 * spreadMetres) / METRES_PER_MILE)));
  // The places are further apart than the widest circle, so the circle is around one of them.
  if (spreadMetres > 40_000)
    return { circle: { ...placeOf(random.oneOf(places)), radiusMiles }, before: null, middle, spreadMetres };
  const direction = random.below(360);
  const metres = radiusMiles * METRES_PER_MILE + spreadMetres * (random.below(101) / 100 - 0.5);
  const circle = { ...inDirection(middle, direction, metres), radiusMiles };
  const before =
    spreadMetres > 5_000 ? null : { ...inDirection(circle, direction, 2.5 * spreadMetres), radiusMiles };
  return { circle, before, middle, spreadMetres };
}

function placeOf({ latitude, longitude }: Place): Place {
  return { latitude, longitude };
}

function claimOf(places: readonly Place[]): Claim {
  let [latitude, longitude, squares] = [0, 0, 0];
  for (const place of places) {
    latitude += place.latitude / places.length;
    longitude += place.longitude / places.length;
  }
  const shrink = cos((latitude * PI) / 180);
  for (const place of places)
    squares += (place.latitude - latitude) ** 2 + (shrink * (place.longitude - longitude)) ** 2;
  return { latitude, longitude, withinMetres: METRES_PER_DEGREE * sqrt(squares / places.length) };
}

function inDirection(from: Place, degrees: number, metres: number): Place {
  const radians = (degrees * PI) / 180;
  return moved(from, metres * cos(radians), metres * sin(radians));
}

/** A flat approximation, good enough within a country. */
export function flatMetres(a: Place, b: Place): number {
  const east = (b.longitude - a.longitude) * cos((a.latitude * PI) / 180);
  return METRES_PER_DEGREE * hypot(b.latitude - a.latitude, east);
}
