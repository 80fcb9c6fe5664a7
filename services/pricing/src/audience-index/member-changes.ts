/** Adds, removes, moves or changes one member, and updates the counts of all nodes up to the root where they differ. */

import { clearBit, setBit } from './memory/columns.ts';
import { addInterests } from './memory/counters.ts';
import { type Heap, increase, read } from './memory/heap.ts';
import * as layout from './memory/layout.ts';
import { boxAround, extendBox, isOnEdge, writeBox } from './tree/boxes.ts';
import { hilbertKey } from './tree/hilbert.ts';
import { parentOf, placeOf } from './tree/nodes.ts';
import {
  boxOfBlock,
  chooseSlot,
  clearSlot,
  type Entry,
  entryAt,
  fillSlot,
  writePosition,
} from './tree/superblock.ts';
import {
  addressOf,
  referenceOf,
  roomFor,
  slotIn,
  superblockFor,
  type Tree,
  tidySuperblock,
} from './tree/tree.ts';

// V8 looks up imports on every read, but compiles in a module's own constants.
const { CHILDREN, INTEREST_COLUMN, INTERESTS, node, SLOTS_OF_BLOCK, state, superblock } = layout;

const { floor } = Math;

/** @returns the reference of the member's slot */
export function insertEntry(tree: Tree, entry: Entry): number {
  const { heap } = tree;
  const address = roomFor(tree, hilbertKey(entry.latitude, entry.longitude));
  const slot = chooseSlot(heap, address, entry);
  fillSlot(heap, address, slot, entry);
  count(heap, address, entry, 1);
  widen(heap, address, slot, entry);
  return referenceOf(heap, address, slot);
}

export function removeEntry(tree: Tree, reference: number): void {
  const { heap } = tree;
  const address = addressOf(tree, reference);
  const slot = slotIn(reference);
  const entry = entryAt(heap, address, slot);
  clearSlot(heap, address, slot, entry);
  count(heap, address, entry, -1);
  narrow(heap, address, slot, entry);
  tidySuperblock(tree, address);
}

/** The member must be in the index. If another slot is needed, the tree reports it. */
export function changeEntry(tree: Tree, reference: number, entry: Entry): void {
  const address = addressOf(tree, reference);
  const slot = slotIn(reference);
  const before = entryAt(tree.heap, address, slot);
  changeFacts(tree.heap, address, slot, before, entry);
  if (before.latitude === entry.latitude && before.longitude === entry.longitude) return;
  moveEntry(tree, reference, before, entry);
}

/** Changes gender and interests. */
function changeFacts(heap: Heap, address: number, slot: number, before: Entry, after: Entry): void {
  const { lost, gained } = differences(before.interests, after.interests);
  for (const interest of lost)
    clearBit(heap, read(heap, address + superblock.columns), INTEREST_COLUMN + interest, slot);
  for (const interest of gained) setBit(heap, address, INTEREST_COLUMN + interest, slot);
  if (before.gender !== after.gender) {
    clearBit(heap, read(heap, address + superblock.columns), before.gender, slot);
    setBit(heap, address, after.gender, slot);
    count(heap, address, before, -1);
    count(heap, address, after, 1);
  } else if (lost.length > 0 || gained.length > 0) {
    for (let at = parentOf(heap, address); at !== 0; at = parentOf(heap, at)) {
      addInterests(heap, at, after.gender, lost, -1);
      addInterests(heap, at, after.gender, gained, 1);
    }
  }
}

const marks = new Uint8Array(INTERESTS);

function differences(before: readonly number[], after: readonly number[]) {
  const lost: number[] = [];
  const gained: number[] = [];
  for (const interest of after) marks[interest] = 1;
  for (const interest of before) {
    if (marks[interest] === 0) lost.push(interest);
    marks[interest] = 0;
  }
  for (const interest of after) {
    if (marks[interest] === 1) gained.push(interest);
    marks[interest] = 0;
  }
  return { lost, gained };
}

/** Changes the position. Within the superblock, the slot stays the same unless another block's box is nearer. */
function moveEntry(tree: Tree, reference: number, before: Entry, after: Entry): void {
  const { heap } = tree;
  const address = addressOf(tree, reference);
  const slot = slotIn(reference);
  const key = hilbertKey(after.latitude, after.longitude);
  const stays = superblockFor(tree, key) === address;
  const target = stays ? address : roomFor(tree, key);
  const targetSlot = chooseSlot(heap, target, after, stays ? slot : -1);
  if (stays && targetSlot === slot) {
    writePosition(heap, address, slot, after);
  } else {
    clearSlot(heap, address, slot, after);
    fillSlot(heap, target, targetSlot, after);
    tree.moved(after.id, reference, referenceOf(heap, target, targetSlot));
    if (!stays) countMove(heap, address, target, after);
  }
  narrow(heap, address, slot, before);
  widen(heap, target, targetSlot, after);
  if (!stays) tidySuperblock(tree, address);
}

/** Adds one member to, or removes one from, the counts of all levels. */
function count(heap: Heap, address: number, { gender, interests }: Entry, by: 1 | -1): void {
  for (let child = address, at = parentOf(heap, child); at !== 0; child = at, at = parentOf(heap, at)) {
    countGender(heap, at, child, gender, by);
    addInterests(heap, at, gender, interests, by);
  }
  increase(heap, state.members, by);
}

/** Updates the counts for a move to another superblock: nodes that contain both superblocks do not change. */
function countMove(heap: Heap, from: number, to: number, { gender, interests }: Entry): void {
  let left = from;
  let entered = to;
  for (;;) {
    const before = parentOf(heap, left);
    const after = parentOf(heap, entered);
    countGender(heap, before, left, gender, -1);
    countGender(heap, after, entered, gender, 1);
    if (before === after) return;
    addInterests(heap, before, gender, interests, -1);
    addInterests(heap, after, gender, interests, 1);
    left = before;
    entered = after;
  }
}

function countGender(heap: Heap, at: number, child: number, gender: number, by: 1 | -1): void {
  increase(heap, at + node.genders + gender * CHILDREN + placeOf(heap, child), by);
}

/** Extends the boxes to include the member, upwards until one already includes it. */
function widen(heap: Heap, address: number, slot: number, { latitude, longitude }: Entry): void {
  let place = floor(slot / SLOTS_OF_BLOCK);
  let boxes = address + superblock.boxes;
  for (let child = address; extendBox(heap, boxes, place, latitude, longitude); ) {
    const at = parentOf(heap, child);
    if (at === 0) return;
    place = placeOf(heap, child);
    boxes = at + node.boxes;
    child = at;
  }
}

/** Shrinks the boxes that a member has left, upwards until one does not change. */
function narrow(heap: Heap, address: number, slot: number, { latitude, longitude }: Entry): void {
  const block = floor(slot / SLOTS_OF_BLOCK);
  let boxes = address + superblock.boxes;
  if (!isOnEdge(heap, boxes, block, latitude, longitude)) return;
  if (!writeBox(heap, boxes, block, boxOfBlock(heap, address, block))) return;
  for (let child = address, at = parentOf(heap, child); at !== 0; child = at, at = parentOf(heap, at)) {
    if (!writeBox(heap, at + node.boxes, placeOf(heap, child), boxAround(heap, boxes))) return;
    boxes = at + node.boxes;
  }
}
