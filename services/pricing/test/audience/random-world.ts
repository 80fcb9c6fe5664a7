/** Random members at places where formulas for distances often fail: clusters, poles, dateline, equator, many at one position. */

import { coarsePosition } from '@offer-ads/contracts/audience/coarse-position';
import { greatCircleMetres } from '@offer-ads/contracts/audience/great-circle';
import { isTargeted, type Target } from '@offer-ads/contracts/audience/target';
import type { MemberGender } from '@offer-ads/contracts/values/member-gender';
import { type Chance, chance } from '@offer-ads/testing/random';
import type { CountedMember } from '../../src/members/member-document.ts';

type Place = { readonly latitude: number; readonly longitude: number };

export type World = { readonly chance: Chance; readonly interests: number };

const METRES_PER_MILE = 1609.344;
const places: readonly Place[] = [
  { latitude: 51.5074, longitude: -0.1278 },
  { latitude: 51.7, longitude: 0.2 },
  { latitude: -16.8, longitude: 179.99 },
  { latitude: 65.5, longitude: -179.98 },
  { latitude: 0, longitude: 0 },
  { latitude: 84.1, longitude: 30 },
  { latitude: 89.95, longitude: 12 },
  { latitude: 90, longitude: 0 },
  { latitude: -89.9, longitude: -100 },
  { latitude: -33.87, longitude: 151.21 },
];
const genders: readonly MemberGender[] = ['Male', 'Female', 'Non-binary'];

export function createWorld(seed: number, interests: number): World {
  return { chance: chance(seed), interests };
}

export function randomMember(world: World, memberId: number): CountedMember {
  const { chance, interests } = world;
  const wanted = chance.below(chance.below(20) === 0 ? 40 : 6);
  return {
    memberId,
    ...coarsePosition(randomPlace(world)),
    gender: chance.below(30) === 0 ? 'Non-binary' : chance.oneOf(genders.slice(0, 2)),
    interests: Array.from({ length: wanted }, () => 1 + 7 * chance.below(interests)),
  };
}

export function randomPlace({ chance }: World): Place {
  const centre = chance.oneOf(places);
  return {
    spot: () => centre,
    city: () => around(chance, centre, 0.1),
    country: () => around(chance, centre, 0.6),
    anywhere: () => onEarth(uniform(chance, 90), uniform(chance, 180)),
  }[chance.weighted({ spot: 1, city: 10, country: 4, anywhere: 1 })]();
}

/** A place at most this many degrees away, or the same place. */
export function randomStep({ chance }: World, { latitude, longitude }: Place, degrees: number): Place {
  return coarsePosition(
    onEarth(
      latitude + chance.below(2) * uniform(chance, degrees),
      longitude + chance.below(2) * uniform(chance, degrees),
    ),
  );
}

/** @param member the distance to this member may become the radius */
export function randomTarget(world: World, member: Place | undefined): Target {
  const { chance, interests } = world;
  const centre = chance.below(6) === 0 ? randomPlace(world) : around(chance, chance.oneOf(places), 0.3);
  const wanted = chance.weighted({ none: 3, one: 2, some: 3, many: 1 });
  const count = { none: 0, one: 1, some: 2 + chance.below(4), many: 20 }[wanted];
  return {
    ...centre,
    radiusMiles: randomRadius(chance, centre, member ?? centre),
    gender: chance.weighted({ none: 2, one: 2, two: 1 }) === 'none' ? [] : genders.slice(chance.below(3)),
    interests: Array.from({ length: count }, () => 1 + 7 * chance.below(interests + 2)),
  };
}

/** Within the limits of an estimate; or the distance of the member, exactly or nearly; or far too small or large. */
function randomRadius(chance: Chance, centre: Place, member: Place): number {
  const kind = chance.weighted({ usual: 60, edge: 30, tiny: 5, large: 4, earth: 1 });
  const edge = greatCircleMetres(centre, member) / METRES_PER_MILE;
  return {
    usual: 5 + chance.below(25_001) / 1000,
    edge: edge * chance.oneOf([1, 1 + 2e-16, 1 - 2e-16, 1 + 1e-9, 1 - 1e-9, 1 + 1e-6, 1 - 1e-6]),
    tiny: chance.below(3) / 1e5,
    large: chance.below(3000),
    earth: 13_000,
  }[kind];
}

export function countByForce(members: Iterable<CountedMember>, target: Target): number {
  let count = 0;
  for (const member of members) if (isTargeted(target, member)) count += 1;
  return count;
}

/** Denser in the middle, like a city. */
function around(chance: Chance, { latitude, longitude }: Place, degrees: number): Place {
  const spread = () => (uniform(chance, degrees) + uniform(chance, degrees) + uniform(chance, degrees)) / 2;
  const shrink = Math.max(0.01, Math.cos((latitude * Math.PI) / 180));
  return onEarth(latitude + spread(), longitude + spread() / shrink);
}

function uniform(chance: Chance, bound: number): number {
  return (chance.below(2_000_001) / 1_000_000 - 1) * bound;
}

/** Keeps within the valid range. */
function onEarth(latitude: number, longitude: number): Place {
  return {
    latitude: Math.max(-90, Math.min(90, latitude)),
    longitude: ((((longitude + 180) % 360) + 360) % 360) - 180,
  };
}
