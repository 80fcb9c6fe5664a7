/**
 * The bit columns of a superblock: for each gender, upper bit of the ids and interest, the slots that have it. A column takes memory only
 * where a bit was set: first as a short list of slots, from 33 slots on as a bitmap of 128 bytes.
 */
import { createDraft, type Draft, draftBit, emptyDraft } from '../draft.ts';
import { allocate, type Heap, increase, read, release, roundedWords } from './heap.ts';
import * as layout from './layout.ts';

// V8 looks up imports on every read, but compiles in a module's own constants.
const { BITMAP, COLUMNS, columnBlock, DENSE, DENSE_UNITS, LISTED, NO_SLOT, SLOTS, superblock, UNIT } = layout;

const LINE_UNITS = 4;
const { ceil, clz32, max, min } = Math;

/** The bit must be 0. */
export function setBit(heap: Heap, owner: number, column: number, slot: number): void {
  const block = read(heap, owner + superblock.columns);
  const entry = entryOf(heap, block, column);
  const form = entry & 3;
  if (entry !== 0) {
    const address = addressOf(block, entry);
    if (form === DENSE) {
      heap.u32[address + (slot >>> 5)] = read(heap, address + (slot >>> 5)) | (1 << (slot & 31));
      return;
    }
    const free = placeInList(heap, address, form, NO_SLOT);
    if (free >= 0) {
      heap.u16[address * 2 + free] = slot;
      return;
    }
  }
  const larger = entry === 0 ? 0 : form + 1;
  if (!hasRoom(heap, block, column, unitsOf(larger))) {
    rebuild(heap, owner, column, unitsOf(larger));
    setBit(heap, owner, column, slot);
    return;
  }
  const slots = entry === 0 ? [] : slotsOf(heap, block, column);
  putColumn(heap, block, column, larger, [...slots, slot]);
}

/** The bit must be 1. */
export function clearBit(heap: Heap, block: number, column: number, slot: number): void {
  const entry = entryOf(heap, block, column);
  const address = addressOf(block, entry);
  const form = entry & 3;
  if (form === DENSE) {
    heap.u32[address + (slot >>> 5)] = read(heap, address + (slot >>> 5)) & ~(1 << (slot & 31));
    return;
  }
  heap.u16[address * 2 + placeInList(heap, address, form, slot)] = NO_SLOT;
}

/** Finds the columns that contain a slot, in ascending order. @param found output array @returns their number */
export function findColumns(heap: Heap, block: number, slot: number, found: Uint16Array): number {
  const { u16, u32 } = heap;
  const known = read(heap, block + columnBlock.known);
  const directory = (block + columnBlock.directory) * 2;
  const word = slot >>> 5;
  let columns = 0;
  for (let column = 0; column < known; column += 1) {
    const entry = u16[directory + column] as number;
    if (entry === 0) continue;
    const address = addressOf(block, entry);
    const isSet =
      (entry & 3) === DENSE
        ? (((u32[address + word] as number) >>> (slot & 31)) & 1) === 1
        : placeInList(heap, address, entry & 3, slot) >= 0;
    if (!isSet) continue;
    found[columns] = column;
    columns += 1;
  }
  return columns;
}

/** Which of up to 32 columns contain a slot, as bits. */
export function bitsOf(heap: Heap, block: number, slot: number, first: number, columns: number): number {
  const { u16, u32 } = heap;
  const directory = (block + columnBlock.directory) * 2;
  const end = min(first + columns, read(heap, block + columnBlock.known));
  let bits = 0;
  for (let column = first; column < end; column += 1) {
    const entry = u16[directory + column] as number;
    if (entry === 0) continue;
    const address = addressOf(block, entry);
    const isSet =
      (entry & 3) === DENSE
        ? (((u32[address + (slot >>> 5)] as number) >>> (slot & 31)) & 1) === 1
        : placeInList(heap, address, entry & 3, slot) >= 0;
    if (isSet) bits |= 1 << (column - first);
  }
  return bits >>> 0;
}

/** The slots in a column. */
export function slotsOf(heap: Heap, block: number, column: number): number[] {
  const slots: number[] = [];
  const entry = entryOf(heap, block, column);
  if (entry === 0) return slots;
  const address = addressOf(block, entry);
  const form = entry & 3;
  if (form === DENSE) {
    for (let word = 0; word < BITMAP; word += 1) {
      for (let bits = read(heap, address + word); bits !== 0; bits &= bits - 1) {
        slots.push(word * 32 + 31 - clz32(bits & -bits));
      }
    }
    return slots;
  }
  for (let at = 0; at < LISTED(form); at += 1) {
    const slot = heap.u16[address * 2 + at] as number;
    if (slot !== NO_SLOT) slots.push(slot);
  }
  return slots;
}

/** @returns the address of a block with the columns of a draft, and some spare room for further changes */
export function writeColumns(heap: Heap, draft: Draft, spareUnits = 0): number {
  const units = unitsOfDraft(draft, draft.known) + spareUnits;
  const block = createBlock(heap, draft.known, units);
  // Bitmaps first, so that they stay aligned.
  for (let column = 0; column < draft.known; column += 1) {
    if ((draft.bits[column] as number) <= LISTED(DENSE - 1)) continue;
    const address = addressOf(block, newEntry(heap, block, column, DENSE));
    heap.u32.set(draft.columns.subarray(column * BITMAP, (column + 1) * BITMAP), address);
  }
  for (let column = 0; column < draft.known; column += 1) {
    const bits = draft.bits[column] as number;
    if (bits === 0 || bits > LISTED(DENSE - 1)) continue;
    putColumn(heap, block, column, formFor(bits), draftedSlots(draft, column));
  }
  return block;
}

export function releaseColumns(heap: Heap, block: number): void {
  release(heap, block, read(heap, block + columnBlock.capacity) * UNIT);
}

const scratch = createDraft();

/** Copies the columns to a new block: with room for one more, without emptied or outgrown columns. */
function rebuild(heap: Heap, owner: number, column: number, units: number): void {
  const before = read(heap, owner + superblock.columns);
  emptyDraft(scratch);
  const known = read(heap, before + columnBlock.known);
  for (let each = 0; each < known; each += 1) {
    for (const slot of slotsOf(heap, before, each)) draftBit(scratch, each, slot);
  }
  scratch.known = max(known, column + 1);
  // A sixteenth to spare, so that this is rare where interests change often.
  const spare = units + DENSE_UNITS + ceil(read(heap, before + columnBlock.used) / 16);
  heap.u32[owner + superblock.columns] = writeColumns(heap, scratch, spare);
  releaseColumns(heap, before);
}

function createBlock(heap: Heap, known: number, units: number): number {
  const words = roundedWords(units * UNIT);
  const block = allocate(heap, words);
  const head = headUnits(known);
  heap.u32.fill(0, block, block + head * UNIT);
  heap.u32[block + columnBlock.capacity] = words / UNIT;
  heap.u32[block + columnBlock.used] = head;
  // As many as the directory's units can hold anyway.
  heap.u32[block + columnBlock.known] = min(COLUMNS, (head - 1) * 8);
  return block;
}

/** Head and directory, rounded up to whole cache lines, so that a bitmap after them takes two lines and not three. */
export function headUnits(known: number): number {
  return ceil((1 + ceil(known / 8)) / LINE_UNITS) * LINE_UNITS;
}

function unitsOfDraft(draft: Draft, known: number): number {
  let units = headUnits(known);
  for (let column = 0; column < known; column += 1) {
    const bits = draft.bits[column] as number;
    if (bits > 0) units += unitsOf(formFor(bits));
  }
  return units;
}

function hasRoom(heap: Heap, block: number, column: number, units: number): boolean {
  return (
    column < read(heap, block + columnBlock.known) &&
    read(heap, block + columnBlock.used) + units <= read(heap, block + columnBlock.capacity)
  );
}

function formFor(bits: number): number {
  return min(DENSE, max(0, 29 - clz32(bits - 1)));
}

function unitsOf(form: number): number {
  return 1 << form;
}

function putColumn(heap: Heap, block: number, column: number, form: number, slots: readonly number[]): void {
  const address = addressOf(block, newEntry(heap, block, column, form));
  if (form !== DENSE) {
    heap.u16.fill(NO_SLOT, address * 2, address * 2 + LISTED(form));
    heap.u16.set(slots, address * 2);
    return;
  }
  heap.u32.fill(0, address, address + BITMAP);
  for (const slot of slots) {
    heap.u32[address + (slot >>> 5)] = read(heap, address + (slot >>> 5)) | (1 << (slot & 31));
  }
}

/** Adds a column at the end of the used units. */
function newEntry(heap: Heap, block: number, column: number, form: number): number {
  const entry = (read(heap, block + columnBlock.used) << 2) | form;
  increase(heap, block + columnBlock.used, unitsOf(form));
  heap.u16[(block + columnBlock.directory) * 2 + column] = entry;
  return entry;
}

function entryOf(heap: Heap, block: number, column: number): number {
  if (column >= read(heap, block + columnBlock.known)) return 0;
  return heap.u16[(block + columnBlock.directory) * 2 + column] as number;
}

function addressOf(block: number, entry: number): number {
  return block + (entry >>> 2) * UNIT;
}

function placeInList(heap: Heap, address: number, form: number, slot: number): number {
  for (let at = 0; at < LISTED(form); at += 1) {
    if (heap.u16[address * 2 + at] === slot) return at;
  }
  return -1;
}

function draftedSlots(draft: Draft, column: number): number[] {
  const slots: number[] = [];
  for (let slot = 0; slot < SLOTS; slot += 1) {
    const word = draft.columns[column * BITMAP + (slot >>> 5)] as number;
    if (((word >>> (slot & 31)) & 1) === 1) slots.push(slot);
  }
  return slots;
}
