/** The nodes above the superblocks: up to 16 children each, with their boxes, members by gender, and start keys. */

import {
  addCounters,
  addSuperblock,
  gendersOfNode,
  gendersOfSuperblock,
  releaseCounters,
} from '../memory/counters.ts';
import { allocate, type Heap, increase, read, release } from '../memory/heap.ts';
import * as layout from '../memory/layout.ts';
import { type Box, boxAround, clearBoxes, nowhere, readBox, writeBox } from './boxes.ts';

// V8 looks up imports on every read, but compiles in a module's own constants.
const { CHILDREN, GENDERS, node, superblock } = layout;

export type Child = {
  readonly address: number;
  /** Where on the curve it begins. */
  readonly key: number;
  readonly box: Box;
  /** Its members by gender. */
  readonly genders: readonly number[];
};

export function createNode(heap: Heap, level: number): number {
  const address = allocate(heap, node.words);
  heap.u32.fill(0, address, address + node.words);
  heap.u32[address + node.level] = level;
  clearBoxes(heap, address + node.boxes);
  return address;
}

export function releaseNode(heap: Heap, at: number): void {
  releaseCounters(heap, at);
  release(heap, at, node.words);
}

export function levelOf(heap: Heap, at: number): number {
  return read(heap, at + node.level);
}

export function childrenOf(heap: Heap, at: number): number {
  return read(heap, at + node.children);
}

export function childAt(heap: Heap, at: number, place: number): number {
  return read(heap, at + node.addresses + place);
}

export function keyAt(heap: Heap, at: number, place: number): number {
  return heap.f64[(at + node.keys) / 2 + place] as number;
}

/** At the same offset in superblocks and nodes. */
export function parentOf(heap: Heap, child: number): number {
  return read(heap, child + node.parent);
}

/** The index among the parent's children; also at the same offset in both. */
export function placeOf(heap: Heap, child: number): number {
  return read(heap, child + node.place);
}

/** The last child that begins at or before the key; the first child if none does. */
export function placeFor(heap: Heap, at: number, key: number): number {
  let place = childrenOf(heap, at) - 1;
  while (place > 0 && keyAt(heap, at, place) > key) place -= 1;
  return place;
}

/** The description of a superblock or node for its parent. */
export function describeChild(heap: Heap, level: number, address: number, key: number): Child {
  const isSuperblock = level === 1;
  const boxes = address + (isSuperblock ? superblock.boxes : node.boxes);
  const genders = isSuperblock ? gendersOfSuperblock(heap, address) : gendersOfNode(heap, address);
  return { address, key, box: boxAround(heap, boxes), genders };
}

export function readChild(heap: Heap, at: number, place: number): Child {
  return {
    address: childAt(heap, at, place),
    key: keyAt(heap, at, place),
    box: readBox(heap, at + node.boxes, place),
    genders: Array.from({ length: GENDERS }, (_, gender) =>
      read(heap, at + node.genders + gender * CHILDREN + place),
    ),
  };
}

export function writeChild(heap: Heap, at: number, place: number, child: Child): void {
  heap.u32[at + node.addresses + place] = child.address;
  heap.f64[(at + node.keys) / 2 + place] = child.key;
  writeBox(heap, at + node.boxes, place, child.box);
  child.genders.forEach((members, gender) => {
    heap.u32[at + node.genders + gender * CHILDREN + place] = members;
  });
  heap.u32[child.address + node.parent] = at;
  heap.u32[child.address + node.place] = place;
}

/** The node must have room. Does not change the counters by interest. */
export function insertAt(heap: Heap, at: number, place: number, child: Child): void {
  for (let last = childrenOf(heap, at); last > place; last -= 1) {
    writeChild(heap, at, last, readChild(heap, at, last - 1));
  }
  writeChild(heap, at, place, child);
  increase(heap, at + node.children, 1);
}

/** Does not change the counters by interest. */
export function removeAt(heap: Heap, at: number, place: number): void {
  const last = childrenOf(heap, at) - 1;
  for (let each = place; each < last; each += 1) {
    writeChild(heap, at, each, readChild(heap, at, each + 1));
  }
  writeEmpty(heap, at, last);
  heap.u32[at + node.children] = last;
}

/** Counts the members of all children by interest, into counters that are 0. */
export function countInterests(heap: Heap, at: number): void {
  for (let place = 0; place < childrenOf(heap, at); place += 1) {
    const child = childAt(heap, at, place);
    if (levelOf(heap, at) === 1) addSuperblock(heap, at, child);
    else addCounters(heap, at, child, 1);
  }
}

/** Moves the upper half of a full node into a new one, with its counters. */
export function halve(heap: Heap, at: number): number {
  const right = createNode(heap, levelOf(heap, at));
  const half = CHILDREN / 2;
  for (let place = 0; place < half; place += 1) {
    insertAt(heap, right, place, readChild(heap, at, half + place));
    writeEmpty(heap, at, half + place);
  }
  heap.u32[at + node.children] = half;
  countInterests(heap, right);
  addCounters(heap, at, right, -1);
  return right;
}

/** Moves all children of the right node into the left one; they must fit. */
export function unite(heap: Heap, left: number, right: number): void {
  for (let place = 0; place < childrenOf(heap, right); place += 1) {
    insertAt(heap, left, childrenOf(heap, left), readChild(heap, right, place));
  }
  addCounters(heap, left, right, 1);
  releaseNode(heap, right);
}

function writeEmpty(heap: Heap, at: number, place: number): void {
  writeBox(heap, at + node.boxes, place, nowhere());
  heap.u32[at + node.addresses + place] = 0;
  heap.f64[(at + node.keys) / 2 + place] = 0;
  for (let gender = 0; gender < GENDERS; gender += 1) {
    heap.u32[at + node.genders + gender * CHILDREN + place] = 0;
  }
}
