/**
 * Finds out where a member is, only by the counts of estimates. The attacker knows gender and all interests of the member, and in which
 * city or country to look. All attacks of docs/prices.md are one loop: take a circle whose edge halves the places that are still
 * likely, find out whether the member is inside, and weigh the places anew.
 */
import { isWithin } from '@offer-ads/contracts/audience/great-circle';
import { type Chance, chance } from '@offer-ads/testing/random';
import { flatMetres, INTERESTS, inDirection, type Place } from './attacked-world.ts';

export type Circle = Place & { readonly radiusMiles: number };

export class NoRequestsLeft extends Error {}

/** What the attacker knows and can do. */
type Attacker = {
  /** An estimate for the member's gender: its `matching_users`. Throws `NoRequestsLeft` when there are none left. */
  readonly ask: (circle: Circle, interests: readonly number[]) => Promise<number>;
  readonly interests: readonly number[];
  readonly around: Place & { readonly metres: number };
  readonly random: Chance;
};

/** A circle whose edge halves the likely places. */
type Cut = {
  readonly circle: Circle;
  /** The same circle, moved away until it contains none of them; null if they are too far apart. */
  readonly before: Circle | null;
  /** The same circle, turned about the middle of the likely places. */
  readonly turned: (degrees: number) => Circle;
  readonly spreadMetres: number;
};

/** The odds that the member is inside a circle, which may differ slightly from the wanted one. */
type Finding = { readonly circle: Circle; readonly oddsInside: number };
export type Method = (attacker: Attacker, cut: Cut) => Promise<Finding | null>;

/** With the root mean square of the distances of the places that are still likely. */
type Claim = Place & { readonly withinMetres: number };

/** Of counts. */
const STEP = 10;
/** The share of lifts that another member causes. */
const FALSE_LIFTS = 0.03;
const PLACES = 1_500;
const FINE_ENOUGH_METRES = 20;
const MAX_TRIES = 20_000;
const METRES_PER_MILE = 1609.344;
const { ceil, exp, max, min, sqrt } = Math;

/** @returns null if the remaining places are more than about a kilometre apart */
export async function locate(o: Omit<Attacker, 'random'>, method: Method, seed: number) {
  const random = chance(seed);
  let places: readonly Place[] = Array.from({ length: PLACES }, () => {
    const metres = o.around.metres * sqrt(random.below(1_000_001) / 1_000_000);
    return inDirection(o.around, random.below(360_000) / 1_000, metres);
  });
  let claim = claimOf(places);
  try {
    for (let tried = 0; tried < MAX_TRIES && claim.withinMetres >= FINE_ENOUGH_METRES; tried += 1) {
      const finding = await method({ ...o, random }, halvingCut(claim, random));
      if (finding === null) continue;
      places = resampled(places, finding, random);
      claim = claimOf(places);
    }
  } catch (error) {
    if (!(error instanceof NoRequestsLeft)) throw error;
  }
  return claim.withinMetres < 1_500 ? claim : null;
}

/** Counts are exact: the difference is the number of members of this kind inside. */
const exactDifferences: Method = async (attacker, { circle, before }) => {
  const inside =
    (await membersLikeThis(attacker, circle)) -
    (before === null ? 0 : await membersLikeThis(attacker, before));
  return { circle, oddsInside: inside > 0 ? 1e4 : 1e-4 };
};

/**
 * Counts are rounded down to steps, and every step is at a known multiple: whoever is added lifts one count in ten over a step. The circle is moved
 * and other interests are left out at random, until a count happens to stand just below a step; a single lift tells then that
 * somebody was added.
 */
const liftsOverSteps: Method = async (attacker, cut) => {
  let odds = 1;
  for (let draw = 0; draw < 40 && odds <= 4 && odds >= 0.2; draw += 1) {
    const lift = await addedByRarest(attacker, cut);
    odds *= lift >= STEP ? 1 / (STEP * FALSE_LIFTS) : (1 - 1 / STEP) / (1 - FALSE_LIFTS);
  }
  return { circle: cut.circle, oddsInside: odds };
};

/**
 * Counts are rounded down to steps at known multiples: the circle is turned about the likely places until the count of the others passes a
 * step, and that place is found by halving. Just below a step one member more is told.
 */
const liftsAtFoundSteps: Method = async (attacker, cut) => {
  const added = rarest(attacker, 1);
  if (added.length === 0) return null;
  const others = someOthers(attacker);
  const askAt = async (degrees: number, interests = others) => {
    const circle = cut.turned(degrees);
    return { degrees, circle, shown: await attacker.ask(circle, interests) };
  };
  let from = await askAt(0);
  let to = await askAt(attacker.random.oneOf([-60, 60]));
  if (from.shown === to.shown) return null;
  for (let halving = 0; halving < 7; halving += 1) {
    const half = await askAt((from.degrees + to.degrees) / 2);
    if (half.shown === from.shown) from = half;
    else to = half;
  }
  const below = from.shown < to.shown ? from : to;
  const isLifted = (await askAt(below.degrees, [...others, ...added])).shown > below.shown;
  return { circle: below.circle, oddsInside: isLifted ? 0.6 / FALSE_LIFTS : 0.4 / (1 - FALSE_LIFTS) };
};

/**
 * Counts are rounded down to steps at unknown places: only the sum of many differences tells.
 * @param o.weight of the evidence, in variances of a step that is met by chance
 * @param o.others how many members others add on the average
 */
export function means(o: { draws: number; step: number; weight: number; others: number }): Method {
  return async (attacker, cut) => {
    let sum = 0;
    for (let draw = 0; draw < o.draws; draw += 1) sum += (await addedByRarest(attacker, cut)) - o.others;
    return { circle: cut.circle, oddsInside: max(1e-4, min(1e4, exp((sum * o.weight) / o.step ** 2))) };
  };
}

export const methods: Readonly<Record<string, Method>> = {
  'exact differences': exactDifferences,
  'lifts over steps': liftsOverSteps,
  'lifts at found steps': liftsAtFoundSteps,
  'means of 20': means({ draws: 20, step: STEP, weight: 3, others: 0.5 }),
  'weighed differences': means({ draws: 20, step: STEP, weight: 6, others: 0.6 }),
};

/** How many members the rarest interest adds to those with some others, in another circle with nearly the same members. */
async function addedByRarest(attacker: Attacker, { circle, spreadMetres }: Cut): Promise<number> {
  const { ask, random } = attacker;
  const metres = min(1_000, 0.2 * spreadMetres + 10);
  const moved = inDirection(circle, random.below(360), (metres * random.below(1_000)) / 1_000);
  const nearby = { ...circle, ...moved };
  const others = someOthers(attacker);
  const without = await ask(nearby, others);
  const added = rarest(attacker, 1);
  return added.length === 0 ? 0 : (await ask(nearby, [...others, ...added])) - without;
}

/** The interests that the member lacks, without one at random. */
function someOthers({ interests, random }: Attacker): readonly number[] {
  const leftOut = random.oneOf(INTERESTS);
  return INTERESTS.filter((each) => !interests.includes(each) && each !== leftOut);
}

/**
 * How many members of the gender have the three rarest interests and none beside the known ones. A target means "any of these", so they are
 * counted by what is missing when the rest is asked for (inclusion and exclusion): two estimates for each interest, multiplied.
 */
async function membersLikeThis(attacker: Attacker, circle: Circle): Promise<number> {
  const wanted = rarest(attacker, 3);
  let sum = 0;
  for (let subset = 0; subset < 2 ** wanted.length; subset += 1) {
    const left = wanted.filter((_, n) => (subset >> n) % 2 === 1);
    const others = INTERESTS.filter((each) => !attacker.interests.includes(each) || left.includes(each));
    sum += (left.length % 2 === 0 ? -1 : 1) * (await attacker.ask(circle, others));
  }
  return wanted.length === 0 ? 0 : sum;
}

/** Higher ids are rarer. */
function rarest({ interests }: Attacker, count: number): readonly number[] {
  return interests.toSorted((a, b) => b - a).slice(0, count);
}

/** Resamples as many places by weight and moves each a little (a particle filter), so that the places become finer. */
function resampled(places: readonly Place[], { circle, oddsInside }: Finding, random: Chance) {
  const inside = oddsInside / (1 + oddsInside);
  const weights = places.map((place) => (isWithin(circle, place) ? inside : 1 - inside));
  let total = 0;
  for (const weight of weights) total += weight;
  const kept: Place[] = [];
  let passed = 0;
  for (let n = 0; n < places.length; n += 1) {
    passed += weights[n] as number;
    const share = (passed / total) * PLACES;
    while (kept.length + 0.5 < share) kept.push(places[n] as Place);
  }
  const jitter = max(2, 0.12 * claimOf(kept).withinMetres);
  return kept.map((place) => inDirection(place, random.below(360), (jitter * random.below(1_000)) / 1_000));
}

/** @param middle of the likely places */
function halvingCut(middle: Claim, random: Chance): Cut {
  const spreadMetres = middle.withinMetres;
  const radiusMiles = max(5, min(30, ceil((2.5 * spreadMetres) / METRES_PER_MILE)));
  const direction = random.below(360);
  const metres = radiusMiles * METRES_PER_MILE + spreadMetres * (random.below(101) / 100 - 0.5);
  const at = (degrees: number, away: number) => ({ ...inDirection(middle, degrees, away), radiusMiles });
  const before = spreadMetres > 5_000 ? null : at(direction, metres + 2.5 * spreadMetres);
  const turned = (degrees: number) => at(direction + degrees, metres);
  return { circle: turned(0), before, turned, spreadMetres };
}

function claimOf(places: readonly Place[]): Claim {
  const middle = { latitude: 0, longitude: 0 };
  for (const { latitude, longitude } of places) {
    middle.latitude += latitude / places.length;
    middle.longitude += longitude / places.length;
  }
  let squares = 0;
  for (const place of places) squares += flatMetres(middle, place) ** 2;
  return { ...middle, withinMetres: sqrt(squares / places.length) };
}
