/**
 * Fetches into the processor's cache what a change is about to read and write, everything at once: asked for one after the
 * other, each is a wait for memory, and among ten million members these are most of what a change takes. (`kernel/ahead.ts`
 * does so for counts.)
 */
import { headUnits } from './memory/columns.ts';
import type { Heap } from './memory/heap.ts';
import * as layout from './memory/layout.ts';

// V8 looks up what is imported whenever it is read; what is a module's own it compiles in.
const { BITMAP, BOXES, columnBlock, node, superblock, UNIT } = layout;

/** Words of a line of the processor's cache. */
const LINE = 16;

/** So that nothing is read in vain in the eyes of a compiler. */
let read = 0;

/** Of a superblock: boxes, free slots, where its columns are, and what the node above counts of it by the first two genders. */
export function fetchSuperblock({ i32 }: Heap, address: number): void {
  const columns = i32[address + superblock.columns] as number;
  const parent = i32[address + superblock.parent] as number;
  let all = (i32[address + superblock.taken] as number) ^ (i32[address + superblock.taken + LINE] as number);
  for (let row = 0; row < BOXES; row += LINE) all ^= i32[address + superblock.boxes + row] as number;
  for (let line = 0; line < 3 * LINE; line += LINE) all ^= i32[columns + line] as number;
  all ^= (i32[parent + node.genders] as number) ^ (i32[parent + node.genders + LINE] as number);
  read = all ^ (i32[parent] as number);
}

/** Of a slot: its word in every bitmap. They follow each other; the lists behind them are few, or fetched in vain. */
export function fetchBitmaps({ i32 }: Heap, address: number, slot: number): void {
  const columns = i32[address + superblock.columns] as number;
  const first = columns + headUnits(i32[columns + columnBlock.known] as number) * UNIT;
  const end = columns + (i32[columns + columnBlock.used] as number) * UNIT;
  let all = read;
  for (let at = first + (slot >>> 5); at < end; at += BITMAP) all ^= i32[at] as number;
  read = all;
}
