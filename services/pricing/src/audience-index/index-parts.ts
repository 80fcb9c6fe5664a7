/** What an index is made of, and what it can do (services/pricing/README.md, "The audience index", draws it). */
import type { MemberFacts } from '@offer-ads/contracts/events/community';
import { fromMicrodegrees, toMicrodegrees } from '../domain/great-circle.ts';
import type { Target } from '../domain/target.ts';
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
import { queryFor } from './query.ts';
import type { Entry } from './tree/superblock.ts';
import { createTree, entryOf, idOf, isOf, type Tree } from './tree/tree.ts';

/** Only members who count (active, not banned) are in the index: a ban is a `remove`, its end a `put`. */
export type IndexedMember = Pick<MemberFacts, 'memberId' | 'latitude' | 'longitude' | 'gender' | 'interests'>;

export type AudienceIndex = {
  /** Exact; synchronous; microseconds. */
  readonly count: (target: Target) => number;
  /**
   * Puts a member in, or in the place of what was known of them. Positions are kept to a microdegree.
   * @throws {AudienceFullError} when memory, genders or interests are used up; nothing was changed then
   */
  readonly put: (member: IndexedMember) => void;
  /** Of a member who is not there: nothing. */
  readonly remove: (memberId: number) => void;
  /** What is held of a member (interests in ascending order); for the check against MongoDB. */
  readonly get: (memberId: number) => IndexedMember | undefined;
  /** In no particular order. Each member that stays during the whole walk is given exactly once, whatever is put or removed meanwhile. */
  readonly memberIds: () => Iterable<number>;
  /** For metrics, logs and the bound of memory. */
  readonly size: () => { readonly members: number; readonly bytes: number };
  /** The whole index as bytes, in chunks; nothing may be put or removed until the last one is taken. */
  readonly save: () => Iterable<Uint8Array>;
};

export type AudienceOptions = {
  /** At most 4 GiB, which is also the default: room for 150 million members. */
  readonly maxBytes?: number;
  /** The fastest that runs here, unless named. */
  readonly kernel?: KernelName;
};

/** What an index is made of; for those who build one, or read it from bytes. */
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
    count: (target) => {
      const query = queryFor(vocabulary, target);
      return query === undefined ? 0 : kernel.count(heap, query);
    },
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
 * @param mayReuse whether everybody is in the tree, so that it is known which interests nobody has any more
 * @throws {RangeError} for a member who is on no place of the earth, or has no proper id
 */
export function entryFor({ heap, vocabulary }: Parts, member: IndexedMember, mayReuse = true): Entry {
  const latitude = toMicrodegrees(member.latitude);
  const longitude = toMicrodegrees(member.longitude);
  if (!(isInside(latitude, 90e6) && isInside(longitude, 180e6))) {
    throw new RangeError(`member ${member.memberId} is at ${member.latitude}, ${member.longitude}`);
  }
  if (!Number.isSafeInteger(member.memberId) || member.memberId < 1) {
    throw new RangeError(`${member.memberId} is no member id`);
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
