/** A member as stored in MongoDB, and as counted. */
import { coarsePosition } from '@offer-ads/contracts/audience/coarse-position';
import type { TargetedMember } from '@offer-ads/contracts/audience/target';
import type { MemberFacts } from '@offer-ads/contracts/events/community';
import { type MemberGender, memberGenders } from '@offer-ads/contracts/values/member-gender';

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

/** A member who counts: active, not banned. The position is rounded. */
export type CountedMember = TargetedMember & { readonly memberId: number };

/** "Only active, non-banned accounts count" (specification, "Price rules" 4). */
export const eligible = { active: true, banned: false } as const;

export function documentOf(facts: MemberFacts, version: number): MemberDocument {
  const { memberId, gender, interests, active, banned } = facts;
  const { latitude, longitude } = coarsePosition(facts);
  const coordinates: [number, number] = [longitude, latitude];
  const position = { type: 'Point' as const, coordinates };
  return { _id: memberId, version, position, gender, interests: [...interests], active, banned };
}

export function tombstoneOf(memberId: number, version: number, removedAt: Date): MemberDocument {
  return { _id: memberId, version, removedAt };
}

/** @returns null for a document that this service never writes: its targeting is unknown, so it does not count */
export function countedMemberOf(document: Partial<MemberDocument>): CountedMember | null {
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
  return { memberId, ...coarsePosition(exact), gender, interests } as CountedMember;
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
