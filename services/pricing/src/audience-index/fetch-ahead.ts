/**
 * Prefetches into the processor's cache what a change will read and write, all at once. One after the other, each access waits for memory;
 * with ten million members, these waits are most of a change's time. (`kernel/ahead.ts` does the same for counts.)
 */
import { headUnits } from './memory/columns.ts';
import type { Heap } from './memory/heap.ts';
import * as layout from './memory/layout.ts';

// V8 looks up imports on every read, but compiles in a module's own constants.
const { BITMAP, BOXES, columnBlock, node, superblock, UNIT } = layout;

/** Words per line of the processor's cache. */
const LINE = 16;

/** Uses what was read, so that a compiler does not remove the reads. */
let read = 0;

/** For a superblock: boxes, free slots, the address of its columns, and the parent's counts of the first two genders. */
export function fetchSuperblock({ i32 }: Heap, address: number): void {
  const columns = i32[address + superblock.columns] as number;
  const parent = i32[address + superblock.parent] as number;
  let all = (i32[address + superblock.taken] as number) ^ (i32[address + superblock.taken + LINE] as number);
  for (let row = 0; row < BOXES; row += LINE) all ^= i32[address + superblock.boxes + row] as number;
  for (let line = 0; line < 3 * LINE; line += LINE) all ^= i32[columns + line] as number;
  all ^= (i32[parent + node.genders] as number) ^ (i32[parent + node.genders + LINE] as number);
  read = all ^ (i32[parent] as number);
}

/** For a slot: its word in every bitmap. Bitmaps are stored one after the other; the few lists after them may be fetched in vain. */
export function fetchBitmaps({ i32 }: Heap, address: number, slot: number): void {
  const columns = i32[address + superblock.columns] as number;
  const first = columns + headUnits(i32[columns + columnBlock.known] as number) * UNIT;
  const end = columns + (i32[columns + columnBlock.used] as number) * UNIT;
  let all = read;
  for (let at = first + (slot >>> 5); at < end; at += BITMAP) all ^= i32[at] as number;
  read = all;
}
