/** Members for organisations without approval, for development and for measurements: any number, and the same members for the same seed. */
import type { MemberFacts } from '@offer-ads/contracts/events/community';
import type { MemberGender } from '@offer-ads/contracts/values/member-gender';
import { type City, cities } from './cities.ts';

/** Each seed has its own billion ids, above the first billion, so that ids of different seeds and of imported members differ. */
const IDS_OF_SEED = 1_000_000_000;
/** Keeps ids safe integers; seeds that differ by a multiple of this share their ids. */
const SEEDS_APART = 1_000_000;
/** The interest ids of the demonstration catalogue: 1 to 30. */
export const INTERESTS = 30;
const MAX_INTERESTS_OF_ONE = 8;
/** A big city: two thirds of its people live within about 9 km of the centre. */
const SPREAD_DEGREES = 0.08;

const totalWeight = cities.reduce((sum, city) => sum + city.weight, 0);

export function* generateMembers(o: {
  readonly count: number;
  readonly seed: number;
}): Generator<MemberFacts> {
  const random = randomNumbers(o.seed);
  const firstId = (1 + (o.seed % SEEDS_APART)) * IDS_OF_SEED;
  for (let n = 1; n <= o.count; n += 1) {
    yield { memberId: firstId + n, ...randomMember(random) };
  }
}

type Random = () => number;

function randomMember(random: Random): Omit<MemberFacts, 'memberId'> {
  return {
    ...randomPosition(random),
    gender: randomGender(random()),
    interests: randomInterests(random),
    active: random() < 0.95,
    banned: random() < 0.01,
  };
}

/** Gaussian around a city; a degree of longitude is shorter farther from the equator. */
function randomPosition(random: Random): { latitude: number; longitude: number } {
  const city = randomCity(random() * totalWeight);
  const latitude = city.latitude + SPREAD_DEGREES * gaussian(random);
  const shrink = Math.cos((city.latitude * Math.PI) / 180);
  const longitude = city.longitude + (SPREAD_DEGREES / shrink) * gaussian(random);
  return { latitude: toMicrodegrees(latitude), longitude: toMicrodegrees(longitude) };
}

function randomCity(at: number): City {
  let end = 0;
  const found = cities.find((city) => {
    end += city.weight;
    return at < end;
  });
  if (found === undefined) throw new RangeError(`no city at ${at} of ${totalWeight}`);
  return found;
}

function randomGender(at: number): MemberGender {
  if (at < 0.48) return 'Male';
  return at < 0.95 ? 'Female' : 'Non-binary';
}

/** Lower ids are more popular. */
function randomInterests(random: Random): number[] {
  const wanted = Math.floor(random() * (MAX_INTERESTS_OF_ONE + 1));
  const interests = new Set<number>();
  while (interests.size < wanted) interests.add(1 + Math.floor(random() ** 1.5 * INTERESTS));
  return [...interests].toSorted((a, b) => a - b);
}

/** The Box-Muller method. */
function gaussian(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** 0.1 m: no phone is more precise. */
function toMicrodegrees(degrees: number): number {
  return Math.round(degrees * 1e6) / 1e6;
}

/** Mulberry32, because `Math.random` cannot be seeded. */
function randomNumbers(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
