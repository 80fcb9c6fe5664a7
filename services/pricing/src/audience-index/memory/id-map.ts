/**
 * Maps a member id to the member's slot. Ids hash into 2^14 segments; each is a small hash table with linear probing that grows
 * independently, so that no change has to wait for moving ten million entries.
 *
 * An entry is a slot's reference (29 bits: superblock number and slot) and three bits of the id's hash. These three bits nearly always tell
 * whether the id in the slot needs to be compared. 0 is an empty entry. A removed entry stays marked as gone, because probes for other ids
 * pass it, until it is reused or the segment is rewritten.
 */
import { allocate, canAllocate, type Heap, increase, read, release, roundedWords } from './heap.ts';
import * as layout from './layout.ts';

// V8 looks up imports on every read, but compiles in a module's own constants.
const { state } = layout;

const SEGMENT_BITS = 14;
const SEGMENTS = 2 ** SEGMENT_BITS;
/** The words of a segment in the directory: address, capacity, number of entries, number of removed entries. */
const [ADDRESS, CAPACITY, ENTRIES, GONE_ENTRIES, DIRECTORY_WORDS] = [0, 1, 2, 3, 4] as const;
const PLACE_BITS = 32 - SEGMENT_BITS;
const REFERENCE_BITS = 29;
const REFERENCES = 2 ** REFERENCE_BITS - 1;
const EMPTY = 0;
/** Different from every reference, because no reference is 0. */
const GONE = 2 ** REFERENCE_BITS;

/** For an id: its segment, its home place in the segment (18 bits), and its three tag bits, already shifted. */
type Hash = { readonly segment: number; readonly place: number; readonly tag: number };
/** Returns the id of the member in the referenced slot. */
export type IdOf = (reference: number) => number;
export type IsOf = (reference: number, id: number) => boolean;

const { ceil, floor, imul, max } = Math;

export function createIdMap(heap: Heap): void {
  const directory = allocate(heap, SEGMENTS * DIRECTORY_WORDS);
  heap.u32.fill(0, directory, directory + SEGMENTS * DIRECTORY_WORDS);
  heap.u32[state.idMap] = directory;
}

/** @returns 0 if the id is not in the map */
export function findReference(heap: Heap, isOf: IsOf, id: number): number {
  const { segment: index, place, tag } = hash(id);
  const segment = segmentAt(heap, index);
  const capacity = read(heap, segment + CAPACITY);
  if (capacity === 0) return 0;
  const start = read(heap, segment + ADDRESS);
  for (let at = scaled(place, capacity); ; at = at + 1 === capacity ? 0 : at + 1) {
    const entry = read(heap, start + at);
    if (entry === EMPTY) return 0;
    const reference = entry & REFERENCES;
    if ((entry ^ tag) >>> REFERENCE_BITS === 0 && entry !== GONE && isOf(reference, id)) return reference;
  }
}

/** The id must not be in the map. */
export function addReference(heap: Heap, idOf: IdOf, id: number, reference: number): void {
  const hashed = hash(id);
  const segment = segmentAt(heap, hashed.segment);
  const entries = read(heap, segment + ENTRIES) + 1;
  // Seven eighths: above that, a look-up takes many steps.
  if ((entries + read(heap, segment + GONE_ENTRIES)) * 8 > read(heap, segment + CAPACITY) * 7) {
    resize(heap, idOf, segment, entries);
  }
  place(heap, segment, hashed.place, hashed.tag | reference);
  heap.u32[segment + ENTRIES] = entries;
}

/** The id must be in the map with that reference. */
export function moveReference(heap: Heap, id: number, from: number, to: number): void {
  const hashed = hash(id);
  heap.u32[findEntry(heap, hashed, from)] = hashed.tag | to;
}

/** The id must be in the map with that reference. */
export function removeReference(heap: Heap, idOf: IdOf, id: number, reference: number): void {
  const hashed = hash(id);
  const segment = segmentAt(heap, hashed.segment);
  leaveGone(heap, segment, findEntry(heap, hashed, reference));
  increase(heap, segment + ENTRIES, -1);
  const entries = read(heap, segment + ENTRIES);
  const capacity = read(heap, segment + CAPACITY);
  if (entries * 4 < capacity && capacity > SMALLEST && canAllocate(heap)) {
    resize(heap, idOf, segment, entries);
  }
}

/** Enlarges every segment of an empty map in advance. @param reserve makes sure that so many words are free */
export function expectIds(heap: Heap, ids: Float64Array, reserve: (words: number) => void): void {
  const expected = new Uint32Array(SEGMENTS);
  for (const id of ids) {
    const { segment } = hash(id);
    expected[segment] = (expected[segment] as number) + 1;
  }
  expected.forEach((entries, index) => {
    if (entries === 0) return;
    const capacity = capacityFor(entries);
    reserve(capacity);
    const segment = segmentAt(heap, index);
    heap.u32[segment + ADDRESS] = allocateEmpty(heap, capacity);
    heap.u32[segment + CAPACITY] = capacity;
  });
}

/**
 * Returns the ids of one segment after the other. Each segment is read at once, and an id never changes its segment. Members may be added,
 * removed or moved between two segments: a member who stays is returned exactly once.
 */
export function* idsBySegment(heap: Heap, idOf: IdOf): Generator<readonly number[]> {
  for (let index = 0; index < SEGMENTS; index += 1) {
    const segment = segmentAt(heap, index);
    const start = read(heap, segment + ADDRESS);
    const ids: number[] = [];
    for (let at = 0; at < read(heap, segment + CAPACITY); at += 1) {
      const reference = read(heap, start + at) & REFERENCES;
      if (reference !== 0) ids.push(idOf(reference));
    }
    if (ids.length > 0) yield ids;
  }
}

const SMALLEST = 16;

/** @returns the address of the entry with that reference */
function findEntry(heap: Heap, { segment: index, place }: Hash, reference: number): number {
  const segment = segmentAt(heap, index);
  const start = read(heap, segment + ADDRESS);
  const capacity = read(heap, segment + CAPACITY);
  for (let at = scaled(place, capacity); ; at = at + 1 === capacity ? 0 : at + 1) {
    const entry = read(heap, start + at);
    if (entry === EMPTY) throw new Error('a member is in a slot but not in the id map');
    if ((entry & REFERENCES) === reference) return start + at;
  }
}

/** Writes the entry to the first empty or removed place of its probe sequence. */
function place(heap: Heap, segment: number, home: number, entry: number): void {
  const start = read(heap, segment + ADDRESS);
  const capacity = read(heap, segment + CAPACITY);
  let at = scaled(home, capacity);
  while ((read(heap, start + at) & REFERENCES) !== 0) at = at + 1 === capacity ? 0 : at + 1;
  if (read(heap, start + at) === GONE) increase(heap, segment + GONE_ENTRIES, -1);
  heap.u32[start + at] = entry;
}

/** If the next place is empty, no probe passes this one, so it becomes empty too. */
function leaveGone(heap: Heap, segment: number, address: number): void {
  const start = read(heap, segment + ADDRESS);
  const capacity = read(heap, segment + CAPACITY);
  heap.u32[address] = GONE;
  increase(heap, segment + GONE_ENTRIES, 1);
  let at = address - start;
  if (read(heap, start + (at + 1 === capacity ? 0 : at + 1)) !== EMPTY) return;
  while (read(heap, start + at) === GONE) {
    heap.u32[start + at] = EMPTY;
    increase(heap, segment + GONE_ENTRIES, -1);
    at = at === 0 ? capacity - 1 : at - 1;
  }
}

/** Also removes the marks of removed entries. */
function resize(heap: Heap, idOf: IdOf, segment: number, entries: number): void {
  const before = read(heap, segment + ADDRESS);
  const capacityBefore = read(heap, segment + CAPACITY);
  const capacity = capacityFor(entries);
  heap.u32[segment + ADDRESS] = allocateEmpty(heap, capacity);
  heap.u32[segment + CAPACITY] = capacity;
  heap.u32[segment + GONE_ENTRIES] = 0;
  for (let at = 0; at < capacityBefore; at += 1) {
    const entry = read(heap, before + at);
    const reference = entry & REFERENCES;
    if (reference !== 0) place(heap, segment, hash(idOf(reference)).place, entry);
  }
  if (capacityBefore > 0) release(heap, before, capacityBefore);
}

/** At most three quarters full right after growing. */
function capacityFor(entries: number): number {
  return roundedWords(max(1, ceil((entries * 4) / 3)));
}

function allocateEmpty(heap: Heap, capacity: number): number {
  const address = allocate(heap, capacity);
  heap.u32.fill(0, address, address + capacity);
  return address;
}

function segmentAt(heap: Heap, index: number): number {
  return read(heap, state.idMap) + index * DIRECTORY_WORDS;
}

/** Scales a place to the capacity, in order, so that the capacity need not be a power of two. */
function scaled(place: number, capacity: number): number {
  return floor((place * capacity) / 2 ** PLACE_BITS);
}

/** Murmur3's finaliser over both halves of the id, because ids are mostly consecutive numbers. */
function hash(id: number): Hash {
  let mixed = (id | 0) ^ imul(floor(id / 2 ** 32), 0x9e3779b1);
  mixed = imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  mixed ^= mixed >>> 16;
  return {
    segment: mixed >>> PLACE_BITS,
    place: mixed & (2 ** PLACE_BITS - 1),
    // From other bits than the place; otherwise neighbours would have the same tag.
    tag: (imul(mixed, 0x9e3779b1) >>> REFERENCE_BITS) << REFERENCE_BITS,
  };
}
