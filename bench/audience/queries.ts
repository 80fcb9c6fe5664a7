/** Two hundred targets of each kind, the same in every run. */

import type { Target } from '@offer-ads/contracts/audience/target';
import { memberGenders } from '@offer-ads/contracts/values/primitives';
import { type Chance, chance } from '@offer-ads/testing/random';
import { cities } from '../../services/pricing/src/domain/members/cities.ts';
import { island } from './members/population.ts';

const SEED = 2026;
const HOW_MANY = 200;
type Places = Readonly<Record<'city' | 'any city' | 'suburb' | 'outskirts' | 'date line' | 'sea', number>>;
/** Places in percent: advertisers ask about places with people; at the other places counting may go wrong. */
const kinds = {
  usual: {
    places: { city: 50, 'any city': 25, suburb: 0, outskirts: 10, 'date line': 8, sea: 7 },
    miles: [5, 30],
  },
  /** Reach some hundreds of a million members at the median. */
  small: {
    places: { city: 0, 'any city': 0, suburb: 85, outskirts: 5, 'date line': 8, sea: 2 },
    miles: [5, 8],
  },
} as const satisfies Record<string, { places: Places; miles: readonly [number, number] }>;
/** Nobody lives within 30 miles: Atlantic, Pacific, Indian Ocean, Southern Ocean, and the North Pole. */
const seas = [
  [35, -40],
  [10, -140],
  [-30, 80],
  [-62, 179.9],
  [90, 0],
] as const;

export function targets(kind: keyof typeof kinds = 'usual'): readonly Target[] {
  const random = chance(SEED);
  const { places, miles } = kinds[kind];
  const [minMiles, maxMiles] = miles;
  return Array.from({ length: HOW_MANY }, () => ({
    ...place(random, places),
    radiusMiles: minMiles + random.below(maxMiles - minMiles + 1),
    gender: some(random, memberGenders, random.weighted({ 0: 5, 1: 4, 2: 1 })),
    interests: some(random, interestIds, random.weighted({ 0: 4, 1: 3, 3: 2, 8: 1 })),
  }));
}

/** The interests of generated members. */
export const interestIds = Array.from({ length: 30 }, (_, index) => index + 1);

export function worded({ latitude, longitude, radiusMiles, gender, interests }: Target): string {
  const filters = [...gender, ...(interests.length > 0 ? [`interests ${interests.join(' or ')}`] : [])];
  return `${radiusMiles} miles around ${latitude}, ${longitude}${filters.length > 0 ? `; ${filters.join(', ')}` : ''}`;
}

function place(random: Chance, places: Places): Pick<Target, 'latitude' | 'longitude'> {
  const kind = random.weighted(places);
  switch (kind) {
    case 'city':
      return near(random, weightedCity(random), 0.12);
    case 'any city':
      return near(random, random.oneOf(cities), 0.12);
    case 'suburb':
      return near(random, random.oneOf(cities), 0.25);
    case 'outskirts':
      return near(random, random.oneOf(cities), 0.6);
    case 'date line':
      return near(random, island, 0.4);
    case 'sea': {
      const [latitude, longitude] = random.oneOf(seas);
      return { latitude, longitude };
    }
    default:
      throw new RangeError(kind satisfies never);
  }
}

function weightedCity(random: Chance) {
  return random.oneOf(cities.flatMap((city) => Array<typeof city>(city.weight).fill(city)));
}

/** To 0.1 m, like a map. */
function near(random: Chance, centre: { latitude: number; longitude: number }, degrees: number) {
  const offE6 = () => Math.round((random.below(2_000_001) - 1_000_000) * degrees);
  const latitudeE6 = Math.round(centre.latitude * 1e6) + offE6();
  const longitudeE6 = Math.round(centre.longitude * 1e6) + offE6();
  const wrapped = longitudeE6 > 180_000_000 ? longitudeE6 - 360_000_000 : longitudeE6;
  return { latitude: latitudeE6 / 1e6, longitude: wrapped / 1e6 };
}

function some<T>(random: Chance, choices: readonly T[], howMany: string): T[] {
  const chosen = new Set<T>();
  while (chosen.size < Number(howMany)) chosen.add(random.oneOf(choices));
  return [...chosen];
}
