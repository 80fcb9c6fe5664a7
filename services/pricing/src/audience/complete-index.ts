/**
 * An index that leaves nobody out. Some members do not fit into the index: they have a 513th interest, or there is no memory. They are held
 * beside it and counted one by one. If there are too many of them, it refuses to count, because a price must never be too low.
 */

import { fromMicrodegrees, toMicrodegrees } from '@offer-ads/contracts/audience/great-circle';
import { isTargeted, type Target } from '@offer-ads/contracts/audience/target';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import {
  AudienceFullError,
  type AudienceIndex,
  type IndexedMember,
} from '../audience-index/audience-index.ts';

/** Counting this many one by one takes about two milliseconds. */
export const MAX_SURPLUS = 20_000;

/** `put` throws no `AudienceFullError`. */
export type CompleteIndex = AudienceIndex & {
  /** Members beside the index. They are not in what `save` returns. */
  readonly surplus: () => number;
  /** Too many members are beside the index: `count` throws from now on. Only a new build can change it. */
  readonly isOverfull: () => boolean;
};

/** @param refused members whom the build of the index could not take; `maxSurplus` and one more are enough */
export function completeIndex(
  index: AudienceIndex,
  refused: Iterable<IndexedMember> = [],
  maxSurplus = MAX_SURPLUS,
): CompleteIndex {
  const surplus = new Map<number, IndexedMember>();
  let overfull = false;

  function putBeside(member: IndexedMember): void {
    if (surplus.size >= maxSurplus && !surplus.has(member.memberId)) overfull = true;
    else surplus.set(member.memberId, asStored(member));
  }

  function put(member: IndexedMember): void {
    try {
      index.put(member);
      surplus.delete(member.memberId);
    } catch (error) {
      if (!(error instanceof AudienceFullError)) throw error;
      index.remove(member.memberId);
      putBeside(member);
    }
  }

  for (const member of refused) put(member);
  return {
    count: (target) => {
      if (overfull)
        throw serviceUnavailable(`the audience index is full, and over ${maxSurplus} members do not fit`);
      return index.count(target) + (surplus.size === 0 ? 0 : countAmong(surplus.values(), target));
    },
    put,
    remove: (memberId) => {
      surplus.delete(memberId);
      index.remove(memberId);
    },
    get: (memberId) => surplus.get(memberId) ?? index.get(memberId),
    memberIds: function* () {
      yield* index.memberIds();
      yield* surplus.keys();
    },
    size: () => {
      const { members, bytes } = index.size();
      return { members: members + surplus.size, bytes };
    },
    save: index.save,
    surplus: () => surplus.size,
    isOverfull: () => overfull,
  };
}

/** With positions in whole microdegrees, as in the index. */
function asStored(member: IndexedMember): IndexedMember {
  const { latitude, longitude } = member;
  return {
    ...member,
    latitude: fromMicrodegrees(toMicrodegrees(latitude)),
    longitude: fromMicrodegrees(toMicrodegrees(longitude)),
  };
}

function countAmong(members: Iterable<IndexedMember>, target: Target): number {
  let count = 0;
  for (const member of members) if (isTargeted(target, member)) count += 1;
  return count;
}
