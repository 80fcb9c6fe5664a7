/** The members that all peers count: generated ones, the same in every store and run. */
import { coarsePosition } from '@offer-ads/contracts/audience/coarse-position';
import type { MemberFacts } from '@offer-ads/contracts/events/community';
import { memberGenders } from '@offer-ads/contracts/values/primitives';
import { generateMembers } from '../../../services/pricing/src/domain/members/generated-members.ts';

/** A store with another population is filled again. */
export const POPULATION = 'seed 7, one of 512 at the date line, rounded, version 1';

/** Limited by memory and time. */
export const MAX_MEMBERS = 50_000_000;

/** Columns of the members who count: active and not banned. */
export type Population = {
  readonly size: number;
  readonly memberIds: Float64Array;
  readonly latitudesE6: Int32Array;
  readonly longitudesE6: Int32Array;
  /** Bit n: the nth of `memberGenders`. */
  readonly genderBits: Uint8Array;
  /** Bit n - 1: interest n. */
  readonly interestBits: Uint32Array;
};

const SEED = 7;
const MAX_OF_ONE_INTEREST_ID = 31;
/** No city of generated members is near the date line, where half of all mistakes happen. */
const ISLANDERS_ONE_OF = 512;
/** Taveuni, Fiji: the meridian of 180 degrees runs through it. */
export const island = { latitude: -16.84, longitude: 180 };
/** At least six of eight members count, so enough are generated. */
const ENOUGH = 8 / 6;

/** All members, also those who do not count, until `counting` of them count. */
export function* everybody(counting: number): Generator<MemberFacts> {
  let left = counting;
  let at = 0;
  for (const member of generateMembers({ count: Math.ceil(counting * ENOUGH), seed: SEED })) {
    at += 1;
    yield at % ISLANDERS_ONE_OF === 0 ? asIslander(member) : member;
    if (counts(member)) left -= 1;
    if (left === 0) return;
  }
  throw new RangeError(`no ${counting} members who count`);
}

export function counts({ active, banned }: Pick<MemberFacts, 'active' | 'banned'>): boolean {
  return active && !banned;
}

export function populationOf(size: number): Population {
  const columns: Population = {
    size,
    memberIds: new Float64Array(size),
    latitudesE6: new Int32Array(size),
    longitudesE6: new Int32Array(size),
    genderBits: new Uint8Array(size),
    interestBits: new Uint32Array(size),
  };
  let row = 0;
  for (const member of everybody(size)) {
    if (!counts(member)) continue;
    columns.memberIds[row] = member.memberId;
    const { latitude, longitude } = coarsePosition(member);
    columns.latitudesE6[row] = Math.round(latitude * 1e6);
    columns.longitudesE6[row] = Math.round(longitude * 1e6);
    columns.genderBits[row] = 1 << memberGenders.indexOf(member.gender);
    columns.interestBits[row] = bitsOfInterests(member.interests);
    row += 1;
  }
  return columns;
}

/** In a target 0 means no filter. */
export function bitsOfGenders(genders: readonly MemberFacts['gender'][]): number {
  return genders.reduce((bits, gender) => bits | (1 << memberGenders.indexOf(gender)), 0);
}

export function bitsOfInterests(interests: readonly number[]): number {
  return interests.reduce((bits, id) => {
    if (id > MAX_OF_ONE_INTEREST_ID) throw new RangeError(`interest ${id} has no bit`);
    return bits | (1 << (id - 1));
  }, 0);
}

export function interestsOf(bits: number): number[] {
  const interests: number[] = [];
  for (let id = 1; id <= MAX_OF_ONE_INTEREST_ID; id += 1) if (bits & (1 << (id - 1))) interests.push(id);
  return interests;
}

/** The last half degree of where they were, on both sides of the line: within 20 miles of it. */
function asIslander(member: MemberFacts): MemberFacts {
  const scatterE6 = (degrees: number) => (Math.abs(Math.round(degrees * 1e6)) % 500_000) - 250_000;
  const longitudeE6 = island.longitude * 1e6 + scatterE6(member.longitude);
  return {
    ...member,
    latitude: (Math.round(island.latitude * 1e6) + scatterE6(member.latitude)) / 1e6,
    longitude: (longitudeE6 > 180_000_000 ? longitudeE6 - 360_000_000 : longitudeE6) / 1e6,
  };
}
