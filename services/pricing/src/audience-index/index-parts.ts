/** The parts and operations of an index (services/pricing/README.md, "The audience index", has a drawing). */

import { fromMicrodegrees, toMicrodegrees } from '@offer-ads/contracts/audience/great-circle';
import type { Target } from '@offer-ads/contracts/audience/target';
import type { MemberFacts } from '@offer-ads/contracts/events/community';
import type { Kernel, KernelName } from './kernel/kernel.ts';
import { openKernel } from './kernel/open-kernel.ts';
import { changeEntry, insertEntry, removeEntry } from './member-changes.ts';
import { membersWith } from './memory/counters.ts';
import { createHeap, type Heap, read, reserve, usedWords } from './memory/heap.ts';
import {
  addReference,
  createIdMap,
  findReference,
  idsBySegment,
  moveReference,
  removeReference,
} from './memory/id-map.ts';
import { state } from './memory/layout.ts';
import { savedChunks } from './memory/saved-bytes.ts';
import { createVocabulary, learnGender, learnInterest, type Vocabulary } from './memory/vocabulary.ts';
import { writeFilters } from './query.ts';
import type { Entry } from './tree/superblock.ts';
import { createTree, entryOf, idOf, isOf, type Tree } from './tree/tree.ts';

/** Only members who count (active, not banned) are in the index: a ban removes them, its end puts them back. */
export type IndexedMember = Pick<MemberFacts, 'memberId' | 'latitude' | 'longitude' | 'gender' | 'interests'>;

export type AudienceIndex = {
  /** Exact, synchronous, takes microseconds. */
  readonly count: (target: Target) => number;
  /**
   * Adds or replaces a member. Positions are stored in microdegrees.
   * @throws {AudienceFullError} if memory, genders or interests are used up; nothing was changed then
   */
  readonly put: (member: IndexedMember) => void;
  /** Does nothing if the member is not in the index. */
  readonly remove: (memberId: number) => void;
  /** The stored facts of a member (interests in ascending order), for the check against MongoDB. */
  readonly get: (memberId: number) => IndexedMember | undefined;
  /**
   * In no particular order. A member who stays during the whole iteration is returned exactly once, even if others are added or removed
   * meanwhile.
   */
  readonly memberIds: () => Iterable<number>;
  /** For metrics, logs and the memory limit. */
  readonly size: () => { readonly members: number; readonly bytes: number };
  /** The whole index as bytes, in chunks. The index must not change until the last chunk was read. */
  readonly save: () => Iterable<Uint8Array>;
};

export type AudienceOptions = {
  /** At most 4 GiB, which is also the default and enough for 150 million members. */
  readonly maxBytes?: number;
  /** By default the fastest that this machine can run. */
  readonly kernel?: KernelName;
};

/** The parts of an index, for code that builds it or loads it from bytes. */
export type Parts = {
  readonly kernel: Kernel;
  readonly heap: Heap;
  readonly tree: Tree;
  readonly vocabulary: Vocabulary;
};

export function emptyParts({ kernel: name, maxBytes }: AudienceOptions): Parts {
  const kernel = openKernel(name);
  const heap = createHeap(kernel.memory, maxBytes);
  reserve(heap);
  createIdMap(heap);
  const moved: Tree['moved'] = (id, from, to) => moveReference(heap, id, from, to);
  return { kernel, heap, tree: createTree(heap, moved), vocabulary: createVocabulary() };
}

export function indexOn(parts: Parts): AudienceIndex {
  const { kernel, heap, tree, vocabulary } = parts;
  const idAt = (reference: number) => idOf(tree, reference);
  const isAt = (reference: number, memberId: number) => isOf(tree, reference, memberId);
  const find = (memberId: number) => findReference(heap, isAt, memberId);

  return {
    count: (target) => (writeFilters(heap, vocabulary, target) ? kernel.count(heap, target) : 0),
    put: (member) => {
      const entry = entryFor(parts, member);
      reserve(heap);
      const reference = find(entry.id);
      if (reference === 0) addReference(heap, idAt, entry.id, insertEntry(tree, entry));
      else changeEntry(tree, reference, entry);
    },
    remove: (memberId) => {
      const reference = find(memberId);
      if (reference === 0) return;
      removeReference(heap, idAt, memberId, reference);
      removeEntry(tree, reference);
    },
    get: (memberId) => {
      const reference = find(memberId);
      return reference === 0 ? undefined : memberFrom(vocabulary, entryOf(tree, reference));
    },
    memberIds: function* () {
      for (const ids of idsBySegment(heap, idAt)) yield* ids;
    },
    size: () => ({ members: read(heap, state.members), bytes: 4 * usedWords(heap) }),
    save: () => savedChunks(heap, vocabulary),
  };
}

/**
 * @param mayReuse true if all members are in the tree, so that unused interests can be recognised
 * @throws {RangeError} for a position outside the earth or an invalid id
 */
export function entryFor({ heap, vocabulary }: Parts, member: IndexedMember, mayReuse = true): Entry {
  const latitude = toMicrodegrees(member.latitude);
  const longitude = toMicrodegrees(member.longitude);
  if (!(isInside(latitude, 90e6) && isInside(longitude, 180e6))) {
    throw new RangeError('the position of a member is not on the earth');
  }
  if (!Number.isSafeInteger(member.memberId) || member.memberId < 1) {
    throw new RangeError('the id of a member is not a whole number from 1');
  }
  const isUnused = (number: number) =>
    mayReuse && !interests.includes(number) && membersWith(heap, read(heap, state.root), number) === 0;
  const gender = learnGender(vocabulary, member.gender);
  const interests: number[] = [];
  for (const interest of member.interests) {
    const number = learnInterest(vocabulary, interest, isUnused);
    if (!interests.includes(number)) interests.push(number);
  }
  return { id: member.memberId, latitude, longitude, gender, interests };
}

function memberFrom({ genders, interests }: Vocabulary, entry: Entry): IndexedMember {
  return {
    memberId: entry.id,
    latitude: fromMicrodegrees(entry.latitude),
    longitude: fromMicrodegrees(entry.longitude),
    gender: genders[entry.gender] as MemberFacts['gender'],
    interests: entry.interests.map((number) => interests[number] as number).toSorted((a, b) => a - b),
  };
}

function isInside(microdegrees: number, bound: number): boolean {
  return microdegrees >= -bound && microdegrees <= bound;
}
