/** Up to 1,024 members who live close together, in 16 blocks of 64 slots. tree.ts handles the nodes above. */

import { type Draft, draftBit, draftMember } from '../draft.ts';
import { fetchBitmaps, fetchSuperblock } from '../fetch-ahead.ts';
import {
  bitsOf,
  clearBit,
  findColumns,
  releaseColumns,
  setBit,
  slotsOf,
  writeColumns,
} from '../memory/columns.ts';
import { allocate, type Heap, increase, read, readSigned, release } from '../memory/heap.ts';
import * as layout from '../memory/layout.ts';
import { type Box, clearBoxes, extend, growth, nowhere, writeBox } from './boxes.ts';

// V8 looks up imports on every read, but compiles in a module's own constants.
const {
  BLOCKS,
  COLUMNS,
  columnBlock,
  ID_BIT_COLUMN,
  ID_BITS,
  INTEREST_COLUMN,
  SLOTS,
  SLOTS_OF_BLOCK,
  superblock,
} = layout;

/** A member in the index's numbers: microdegrees, numbers for gender and interests. */
export type Entry = {
  readonly id: number;
  readonly latitude: number;
  readonly longitude: number;
  readonly gender: number;
  /** Without duplicates. */
  readonly interests: readonly number[];
};

type Place = Pick<Entry, 'latitude' | 'longitude'>;

const { clz32, floor } = Math;

export function createSuperblock(heap: Heap, number: number, draft: Draft): number {
  const address = allocate(heap, superblock.words);
  heap.u32.fill(0, address, address + superblock.taken);
  heap.u32[address + superblock.number] = number;
  heap.u32[address + superblock.members] = draft.members;
  heap.u32.set(draft.taken, address + superblock.taken);
  heap.i32.set(draft.latitudes, address + superblock.latitudes);
  heap.i32.set(draft.longitudes, address + superblock.longitudes);
  heap.u32.set(draft.ids, address + superblock.ids);
  heap.u32[address + superblock.columns] = writeColumns(heap, draft);
  clearBoxes(heap, address + superblock.boxes);
  for (let block = 0; block < BLOCKS; block += 1) {
    writeBox(heap, address + superblock.boxes, block, boxOfBlock(heap, address, block));
  }
  return address;
}

/** Snapshots also hold released memory, so nothing of its members stays in it. */
export function releaseSuperblock(heap: Heap, address: number): void {
  releaseColumns(heap, read(heap, address + superblock.columns));
  heap.u32.fill(0, address, address + superblock.words);
  release(heap, address, superblock.words);
}

export function isTaken(heap: Heap, address: number, slot: number): boolean {
  return ((read(heap, address + superblock.taken + (slot >>> 5)) >>> (slot & 31)) & 1) === 1;
}

export function takenSlots(heap: Heap, address: number): number[] {
  const slots: number[] = [];
  for (let slot = 0; slot < SLOTS; slot += 1) if (isTaken(heap, address, slot)) slots.push(slot);
  return slots;
}

/**
 * @param own the member's present slot, which may be chosen like a free one; -1 if there is none, and then a free slot must exist
 * @returns a slot in the block whose box grows least; an empty block grows by almost nothing
 */
export function chooseSlot(heap: Heap, address: number, { latitude, longitude }: Place, own = -1): number {
  const boxes = address + superblock.boxes;
  let best = own;
  let least = own === -1 ? Infinity : growth(heap, boxes, floor(own / SLOTS_OF_BLOCK), latitude, longitude);
  for (let block = 0; block < BLOCKS && least > 0; block += 1) {
    const grown = growth(heap, boxes, block, latitude, longitude);
    if (grown >= least) continue;
    const slot = freeSlot(heap, address, block);
    if (slot === -1) continue;
    best = slot;
    least = grown;
  }
  return best;
}

export function fillSlot(heap: Heap, address: number, slot: number, entry: Entry): void {
  writePosition(heap, address, slot, entry);
  heap.u32[address + superblock.ids + slot] = entry.id;
  const taken = address + superblock.taken + (slot >>> 5);
  heap.u32[taken] = read(heap, taken) | (1 << (slot & 31));
  increase(heap, address + superblock.members, 1);
  setBit(heap, address, entry.gender, slot);
  for (const column of idColumns(entry.id)) setBit(heap, address, column, slot);
  for (const interest of entry.interests) setBit(heap, address, INTEREST_COLUMN + interest, slot);
}

/**
 * Of a removed member nothing stays in memory, and so nothing in the next snapshot.
 * @param entry the member in the slot
 */
export function clearSlot(heap: Heap, address: number, slot: number, entry: Entry): void {
  const columns = read(heap, address + superblock.columns);
  clearBit(heap, columns, entry.gender, slot);
  for (const column of idColumns(entry.id)) clearBit(heap, columns, column, slot);
  for (const interest of entry.interests) clearBit(heap, columns, INTEREST_COLUMN + interest, slot);
  const taken = address + superblock.taken + (slot >>> 5);
  heap.u32[taken] = read(heap, taken) & ~(1 << (slot & 31));
  writePosition(heap, address, slot, { latitude: 0, longitude: 0 });
  heap.u32[address + superblock.ids + slot] = 0;
  increase(heap, address + superblock.members, -1);
}

export function writePosition(
  heap: Heap,
  address: number,
  slot: number,
  { latitude, longitude }: Place,
): void {
  heap.i32[address + superblock.latitudes + slot] = latitude;
  heap.i32[address + superblock.longitudes + slot] = longitude;
}

export function idAt(heap: Heap, address: number, slot: number): number {
  return upperId(heap, address, slot) * 2 ** 32 + read(heap, address + superblock.ids + slot);
}

/**
 * Whether the slot belongs to that member. If it probably does, the member's other data are prefetched meanwhile, because the caller reads
 * them next.
 */
export function hasId(heap: Heap, address: number, slot: number, id: number): boolean {
  if (read(heap, address + superblock.ids + slot) !== id >>> 0) return false;
  fetchSuperblock(heap, address);
  fetchBitmaps(heap, address, slot);
  return upperId(heap, address, slot) === floor(id / 2 ** 32);
}

function upperId(heap: Heap, address: number, slot: number): number {
  return bitsOf(heap, read(heap, address + superblock.columns), slot, ID_BIT_COLUMN, ID_BITS);
}

export function entryAt(heap: Heap, address: number, slot: number): Entry {
  const columns = findColumns(heap, read(heap, address + superblock.columns), slot, found);
  let upper = 0;
  const interests: number[] = [];
  // Every member has one gender, and genders are the first columns.
  for (let at = 1; at < columns; at += 1) {
    const column = found[at] as number;
    if (column < INTEREST_COLUMN) upper |= 1 << (column - ID_BIT_COLUMN);
    else interests.push(column - INTEREST_COLUMN);
  }
  return {
    id: upper * 2 ** 32 + read(heap, address + superblock.ids + slot),
    latitude: readSigned(heap, address + superblock.latitudes + slot),
    longitude: readSigned(heap, address + superblock.longitudes + slot),
    gender: found[0] as number,
    interests,
  };
}

const found = new Uint16Array(COLUMNS);

/** The columns of an id's upper bits; empty for ids below 2^32. */
export function idColumns(id: number): number[] {
  const columns: number[] = [];
  for (let upper = floor(id / 2 ** 32); upper !== 0; upper &= upper - 1) {
    columns.push(ID_BIT_COLUMN + 31 - clz32(upper & -upper));
  }
  return columns;
}

/** The tight box around a block's members. */
export function boxOfBlock(heap: Heap, address: number, block: number): Box {
  const box = nowhere();
  for (let word = 2 * block; word < 2 * block + 2; word += 1) {
    for (let taken = read(heap, address + superblock.taken + word); taken !== 0; taken &= taken - 1) {
      const slot = word * 32 + 31 - clz32(taken & -taken);
      const latitude = readSigned(heap, address + superblock.latitudes + slot);
      extend(box, latitude, readSigned(heap, address + superblock.longitudes + slot));
    }
  }
  return box;
}

/** Copies members into drafts. @param to for each slot the draft and the slot in it; -1 for an empty slot */
export function copyMembers(
  heap: Heap,
  address: number,
  drafts: readonly Draft[],
  to: { readonly draft: Int8Array; readonly slot: Uint16Array },
): void {
  for (let slot = 0; slot < SLOTS; slot += 1) {
    const draft = drafts[to.draft[slot] as number];
    if (draft === undefined) continue;
    draftMember(draft, to.slot[slot] as number, {
      latitude: readSigned(heap, address + superblock.latitudes + slot),
      longitude: readSigned(heap, address + superblock.longitudes + slot),
      lowerId: read(heap, address + superblock.ids + slot),
    });
  }
  const columns = read(heap, address + superblock.columns);
  const known = read(heap, columns + columnBlock.known);
  for (let column = 0; column < known; column += 1) {
    for (const slot of slotsOf(heap, columns, column)) {
      const draft = drafts[to.draft[slot] as number];
      if (draft !== undefined) draftBit(draft, column, to.slot[slot] as number);
    }
  }
}

/** @returns -1 if the block is full */
function freeSlot(heap: Heap, address: number, block: number): number {
  for (let word = 2 * block; word < 2 * block + 2; word += 1) {
    const free = ~read(heap, address + superblock.taken + word);
    if (free !== 0) return word * 32 + 31 - clz32(free & -free);
  }
  return -1;
}
