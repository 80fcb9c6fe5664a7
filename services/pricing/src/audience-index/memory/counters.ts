/**
 * Stored counts of a node's members: by gender for each child, and by gender and interest for the whole node. They are used for nodes that
 * lie entirely inside a circle.
 */
import { slotsOf } from './columns.ts';
import { allocate, type Heap, increase, read, release } from './heap.ts';
import * as layout from './layout.ts';

// V8 looks up imports on every read, but compiles in a module's own constants.
const { CHILDREN, columnBlock, GENDERS, INTEREST_COLUMN, node, SLOTS, superblock } = layout;

/** Counters grow by this many interests at a time. */
const INTERESTS_STEP = 32;

export function addInterests(
  heap: Heap,
  at: number,
  gender: number,
  interests: readonly number[],
  by: number,
): void {
  for (const interest of interests) {
    if (by > 0) makeRoom(heap, at, interest);
    increase(heap, read(heap, at + node.counters) + interest * GENDERS + gender, by);
  }
}

/** Members of all genders with the interest. */
export function membersWith(heap: Heap, at: number, interest: number): number {
  if (interest >= read(heap, at + node.countedInterests)) return 0;
  const counters = read(heap, at + node.counters) + interest * GENDERS;
  let members = 0;
  for (let gender = 0; gender < GENDERS; gender += 1) members += read(heap, counters + gender);
  return members;
}

/** Adds another node's counts by interest, or subtracts them. */
export function addCounters(heap: Heap, at: number, other: number, sign: 1 | -1): void {
  const interests = read(heap, other + node.countedInterests);
  if (interests === 0) return;
  makeRoom(heap, at, interests - 1);
  const from = read(heap, other + node.counters);
  const to = read(heap, at + node.counters);
  for (let word = 0; word < interests * GENDERS; word += 1) {
    increase(heap, to + word, sign * read(heap, from + word));
  }
}

const { floor } = Math;
const genderOfSlot = new Uint8Array(SLOTS);

/** Adds a superblock's members by interest to a node. */
export function addSuperblock(heap: Heap, at: number, address: number): void {
  const columns = read(heap, address + superblock.columns);
  for (let gender = 0; gender < GENDERS; gender += 1) {
    for (const slot of slotsOf(heap, columns, gender)) genderOfSlot[slot] = gender;
  }
  const known = read(heap, columns + columnBlock.known);
  for (let column = INTEREST_COLUMN; column < known; column += 1) {
    const slots = slotsOf(heap, columns, column);
    if (slots.length === 0) continue;
    const interest = column - INTEREST_COLUMN;
    makeRoom(heap, at, interest);
    const counters = read(heap, at + node.counters) + interest * GENDERS;
    for (const slot of slots) increase(heap, counters + (genderOfSlot[slot] as number), 1);
  }
}

export function releaseCounters(heap: Heap, at: number): void {
  const interests = read(heap, at + node.countedInterests);
  if (interests > 0) release(heap, read(heap, at + node.counters), interests * GENDERS);
}

/** A child's members by gender. */
export function gendersOfSuperblock(heap: Heap, address: number): number[] {
  const columns = read(heap, address + superblock.columns);
  return Array.from({ length: GENDERS }, (_, gender) => slotsOf(heap, columns, gender).length);
}

/** A node's members by gender: the sums of its rows. */
export function gendersOfNode(heap: Heap, at: number): number[] {
  return Array.from({ length: GENDERS }, (_, gender) => {
    let members = 0;
    for (let child = 0; child < CHILDREN; child += 1) {
      members += read(heap, at + node.genders + gender * CHILDREN + child);
    }
    return members;
  });
}

function makeRoom(heap: Heap, at: number, interest: number): void {
  const before = read(heap, at + node.countedInterests);
  if (interest < before) return;
  const interests = (floor(interest / INTERESTS_STEP) + 1) * INTERESTS_STEP;
  const counters = allocate(heap, interests * GENDERS);
  heap.u32.fill(0, counters, counters + interests * GENDERS);
  const from = read(heap, at + node.counters);
  heap.u32.copyWithin(counters, from, from + before * GENDERS);
  releaseCounters(heap, at);
  heap.u32[at + node.counters] = counters;
  heap.u32[at + node.countedInterests] = interests;
}
