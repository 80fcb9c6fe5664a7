/** Victims of the attacks: a city, where everybody has thousands of neighbours, and a country of small towns. */
import { type Chance, chance } from '@offer-ads/testing/random';
import type { CountedMember } from '../../src/members/member-document.ts';

export type Place = { readonly latitude: number; readonly longitude: number };

export const METRES_PER_DEGREE = 111_195;
export const INTERESTS = Array.from({ length: 30 }, (_, n) => n + 1);
const { cos, hypot, PI, sin } = Math;

export function cityWorld(seed: number): readonly CountedMember[] {
  const random = chance(seed);
  const centre = { latitude: 51.5074, longitude: -0.1278 };
  return Array.from({ length: 5_000 }, (_, n) => randomMember(random, n + 1, centre, 7_000));
}

export function countryWorld(seed: number): readonly CountedMember[] {
  const random = chance(seed);
  const centre = { latitude: 56.6, longitude: -4.2 };
  const towns = Array.from({ length: 40 }, () =>
    moved(centre, spread(random, 28_000), spread(random, 28_000)),
  );
  return Array.from({ length: 1_000 }, (_, n) => randomMember(random, n + 1, random.oneOf(towns), 1_200));
}

/** The place this many metres to the north and to the east. */
export function moved({ latitude, longitude }: Place, north: number, east: number): Place {
  return {
    latitude: latitude + north / METRES_PER_DEGREE,
    longitude: longitude + east / (METRES_PER_DEGREE * cos((latitude * PI) / 180)),
  };
}

export function inDirection(from: Place, degrees: number, metres: number): Place {
  const radians = (degrees * PI) / 180;
  return moved(from, metres * cos(radians), metres * sin(radians));
}

/** A flat approximation, good enough within a country. */
export function flatMetres(a: Place, b: Place): number {
  const east = (b.longitude - a.longitude) * cos((a.latitude * PI) / 180);
  return METRES_PER_DEGREE * hypot(b.latitude - a.latitude, east);
}

function randomMember(random: Chance, memberId: number, home: Place, metres: number): CountedMember {
  const interests = new Set<number>();
  const wanted = random.below(9);
  // Lower ids are more popular.
  while (interests.size < wanted)
    interests.add((1 + (random.below(1_000) / 1_000) ** 1.5 * INTERESTS.length) | 0);
  return {
    memberId,
    ...moved(home, spread(random, metres), spread(random, metres)),
    gender: random.weighted({ Male: 48, Female: 47, 'Non-binary': 5 }),
    interests: [...interests],
  };
}

/** Nearly a normal distribution, bounded at three times `metres`. */
function spread(random: Chance, metres: number): number {
  const uniform = () => random.below(2_000_001) / 1_000_000 - 1;
  return metres * (uniform() + uniform() + uniform());
}
