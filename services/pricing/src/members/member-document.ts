/** A member as stored in MongoDB and in the audience index. */

import { coarsePosition } from '@offer-ads/contracts/audience/coarse-position';
import type { MemberFacts } from '@offer-ads/contracts/events/community';
import { type MemberGender, memberGenders } from '@offer-ads/contracts/values/primitives';
import type { IndexedMember } from '../audience-index/audience-index.ts';

/**
 * A member, or the tombstone of one who left: only id, version and time, so that a change that arrives after the removal does not restore
 * the member.
 */
export type MemberDocument = {
  _id: number;
  version: number;
  /** GeoJSON: longitude first. Rounded (decision 152, rounded positions), so that both engines see the same place. */
  position?: { type: 'Point'; coordinates: [longitude: number, latitude: number] };
  gender?: MemberGender;
  interests?: number[];
  active?: boolean;
  banned?: boolean;
  /** For a tombstone: when the removal was received. MongoDB deletes the tombstone some time later. */
  removedAt?: Date;
};

/** "Only active, non-banned accounts count" (specification, "Price rules" 4). */
export const eligible = { active: true, banned: false } as const;

/** The projection of a document that the index needs. */
export const indexedFields = { 'position.coordinates': 1, gender: 1, interests: 1 } as const;

/** @param decimals the number of decimals to which the position is rounded */
export function documentOf(facts: MemberFacts, version: number, decimals: number): MemberDocument {
  const { memberId, gender, interests, active, banned } = facts;
  const { latitude, longitude } = coarsePosition(facts, decimals);
  const coordinates: [number, number] = [longitude, latitude];
  const position = { type: 'Point' as const, coordinates };
  return { _id: memberId, version, position, gender, interests: [...interests], active, banned };
}

export function tombstoneOf(memberId: number, version: number, removedAt: Date): MemberDocument {
  return { _id: memberId, version, removedAt };
}

/**
 * @param decimals the number of decimals to which the position is rounded; a replica with another setting may just have stored more
 * @returns null for a document that this service never writes: its targeting is unknown, so it does not count
 */
export function indexedMemberOf(document: Partial<MemberDocument>, decimals: number): IndexedMember | null {
  const { _id: memberId, position, gender, interests } = document;
  const [longitude, latitude] = position?.coordinates ?? [];
  const isWhole =
    Number.isSafeInteger(memberId) &&
    isWithinDegrees(latitude, 90) &&
    isWithinDegrees(longitude, 180) &&
    memberGenders.some((known) => known === gender) &&
    Array.isArray(interests) &&
    interests.every(isId);
  if (!isWhole) return null;
  const exact = { latitude, longitude } as { latitude: number; longitude: number };
  return { memberId, ...coarsePosition(exact, decimals), gender, interests } as IndexedMember;
}

function isWithinDegrees(value: unknown, limit: number): boolean {
  return typeof value === 'number' && value >= -limit && value <= limit;
}

function isId(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

export function isEligible({ active, banned }: Partial<MemberDocument>): boolean {
  return active === eligible.active && banned === eligible.banned;
}
