/**
 * The tree over the superblocks, in the order of the Hilbert curve. A full superblock is split in two, and neighbours that
 * together would half fill one are united.
 */

import { createDraft, type Draft, emptyDraft, slotOf } from '../draft.ts';
import { fetchSuperblock } from '../fetch-ahead.ts';
import { addCounters } from '../memory/counters.ts';
import { canAllocate, type Heap, read, readSigned } from '../memory/heap.ts';
import * as layout from '../memory/layout.ts';
import { hilbertKey } from './hilbert.ts';
import {
  childAt,
  childrenOf,
  countInterests,
  createNode,
  describeChild,
  halve,
  insertAt,
  keyAt,
  levelOf,
  parentOf,
  placeFor,
  placeOf,
  releaseNode,
  removeAt,
  unite,
  writeChild,
} from './nodes.ts';
import {
  copyMembers,
  createSuperblock,
  type Entry,
  entryAt,
  hasId,
  idAt,
  releaseSuperblock,
  takenSlots,
} from './superblock.ts';

// V8 looks up what is imported whenever it is read; what is a module's own it compiles in.
const { CHILDREN, node, SLOTS, state, superblock } = layout;

export type Tree = {
  readonly heap: Heap;
  /** Address of each superblock by its number; there is no number 0. */
  readonly superblocks: number[];
  readonly freeNumbers: number[];
  /** Told of every member who was moved to another slot to make or save room. */
  readonly moved: (id: number, from: number, to: number) => void;
};

/** Neighbours are united at or below that: half of what one holds, so that it is not split again at once. */
const UNITED_MEMBERS = SLOTS / 2;
const UNITED_CHILDREN = CHILDREN / 2;
/** Of a node that is packed: room for splits below. */
const PACKED_CHILDREN = 13;

const { ceil, floor, max } = Math;

export function createTree(heap: Heap, moved: Tree['moved']): Tree {
  heap.u32[state.root] = createNode(heap, 1);
  return { heap, superblocks: [0], freeNumbers: [], moved };
}

/** A reference is a superblock's number and a slot, in 29 bits; never 0. */
export function entryOf(tree: Tree, reference: number): Entry {
  return entryAt(tree.heap, addressOf(tree, reference), slotIn(reference));
}

export function idOf(tree: Tree, reference: number): number {
  return idAt(tree.heap, addressOf(tree, reference), slotIn(reference));
}

export function isOf(tree: Tree, reference: number, id: number): boolean {
  return hasId(tree.heap, addressOf(tree, reference), slotIn(reference), id);
}

/** From left to right. */
export function* superblocksOf(tree: Tree): Generator<number> {
  const { heap } = tree;
  const waiting = [read(heap, state.root)];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const children = [...heap.u32.subarray(at + node.addresses, at + node.addresses + childrenOf(heap, at))];
    if (levelOf(heap, at) === 1) yield* children;
    else waiting.push(...children.toReversed());
  }
}

/** A superblock that is in no node yet. */
export function newSuperblock(tree: Tree, draft: Draft): number {
  const number = tree.freeNumbers.pop() ?? tree.superblocks.push(0) - 1;
  const address = createSuperblock(tree.heap, number, draft);
  tree.superblocks[number] = address;
  return address;
}

/** Puts nodes over superblocks that are in order, level by level, until a single one is the root. */
export function packNodes(
  { heap }: Tree,
  superblocks: readonly { address: number; key: number }[],
  reserve: () => void,
): void {
  releaseNode(heap, read(heap, state.root));
  let below = superblocks;
  for (let level = 1; level === 1 || below.length > 1; level += 1) {
    const nodes = max(1, ceil(below.length / PACKED_CHILDREN));
    below = Array.from({ length: nodes }, (_, each) => {
      reserve();
      const from = floor((each * below.length) / nodes);
      const children = below.slice(from, floor(((each + 1) * below.length) / nodes));
      const at = createNode(heap, level);
      children.forEach(({ address, key }, place) => {
        insertAt(heap, at, place, describeChild(heap, level, address, key));
      });
      countInterests(heap, at);
      return { address: at, key: children[0]?.key ?? 0 };
    });
  }
  heap.u32[state.root] = below[0]?.address as number;
}

export function referenceOf(heap: Heap, address: number, slot: number): number {
  return read(heap, address + superblock.number) * SLOTS + slot;
}

export function addressOf(tree: Tree, reference: number): number {
  return tree.superblocks[floor(reference / SLOTS)] as number;
}

export function slotIn(reference: number): number {
  return reference & (SLOTS - 1);
}

/** The superblock of a place on the curve. */
export function superblockFor(tree: Tree, key: number): number {
  const { heap } = tree;
  let at = read(heap, state.root);
  if (childrenOf(heap, at) === 0) {
    emptyDraft(left);
    insertAt(heap, at, 0, describeChild(heap, 1, newSuperblock(tree, left), 0));
  }
  while (levelOf(heap, at) > 1) at = childAt(heap, at, placeFor(heap, at, key));
  return childAt(heap, at, placeFor(heap, at, key));
}

function dropSuperblock(tree: Tree, address: number): void {
  const number = read(tree.heap, address + superblock.number);
  tree.superblocks[number] = 0;
  tree.freeNumbers.push(number);
  releaseSuperblock(tree.heap, address);
}

// What superblocks are written from, and where their members go; used within one operation only.
const left = createDraft();
const right = createDraft();
const to = { draft: new Int8Array(SLOTS), slot: new Uint16Array(SLOTS) };

/** The superblock of a place on the curve, split if it was full. */
export function roomFor(tree: Tree, key: number): number {
  const address = superblockFor(tree, key);
  fetchSuperblock(tree.heap, address);
  if (read(tree.heap, address + superblock.members) < SLOTS) return address;
  splitSuperblock(tree, address);
  return superblockFor(tree, key);
}

/** A superblock that lost a member goes, or is united with a neighbour, when it has few left. */
export function tidySuperblock(tree: Tree, address: number): void {
  const { heap } = tree;
  const members = read(heap, address + superblock.members);
  if (members > UNITED_MEMBERS) return;
  const at = parentOf(heap, address);
  const place = placeOf(heap, address);
  if (members === 0) {
    dropSuperblock(tree, address);
    removeAt(heap, at, place);
    afterLoss(tree, at);
    return;
  }
  if (!uniteIfSmall(tree, at, place)) uniteIfSmall(tree, at, place - 1);
}

/** The members' first half on the curve stays on the left, the other goes to a new superblock. */
function splitSuperblock(tree: Tree, address: number): void {
  const { heap } = tree;
  makeRoom(tree, parentOf(heap, address));
  const at = parentOf(heap, address);
  const place = placeOf(heap, address);
  const sorted = sortedSlots(heap, address);
  const half = sorted.length / 2;
  emptyDraft(left);
  emptyDraft(right);
  sorted.forEach(({ slot }, index) => {
    to.draft[slot] = index < half ? 0 : 1;
    to.slot[slot] = slotOf(index % half, half);
  });
  copyMembers(heap, address, [left, right], to);
  const halves = [newSuperblock(tree, left), newSuperblock(tree, right)] as const;
  for (const { slot } of sorted) {
    tellMoved(
      tree,
      address,
      slot,
      referenceOf(heap, halves[to.draft[slot] as 0 | 1], to.slot[slot] as number),
    );
  }
  dropSuperblock(tree, address);
  writeChild(heap, at, place, describeChild(heap, 1, halves[0], keyAt(heap, at, place)));
  insertAt(heap, at, place + 1, describeChild(heap, 1, halves[1], sorted[half]?.key as number));
}

/** Two neighbours in one node, if they have few members. */
function uniteIfSmall(tree: Tree, at: number, place: number): boolean {
  const { heap } = tree;
  if (place < 0 || place + 1 >= childrenOf(heap, at) || !canAllocate(heap)) return false;
  const both = [childAt(heap, at, place), childAt(heap, at, place + 1)];
  const members = both.reduce((sum, address) => sum + read(heap, address + superblock.members), 0);
  if (members > UNITED_MEMBERS) return false;
  emptyDraft(left);
  const moves: (() => void)[] = [];
  let index = 0;
  for (const address of both) {
    to.draft.fill(-1);
    for (const { slot } of sortedSlots(heap, address)) {
      const target = slotOf(index, members);
      index += 1;
      to.draft[slot] = 0;
      to.slot[slot] = target;
      moves.push(() => tellMoved(tree, address, slot, referenceOf(heap, united, target)));
    }
    copyMembers(heap, address, [left], to);
  }
  const united = newSuperblock(tree, left);
  for (const move of moves) move();
  for (const address of both) dropSuperblock(tree, address);
  writeChild(heap, at, place, describeChild(heap, 1, united, keyAt(heap, at, place)));
  removeAt(heap, at, place + 1);
  afterLoss(tree, at);
  return true;
}

function tellMoved(tree: Tree, address: number, slot: number, reference: number): void {
  tree.moved(idAt(tree.heap, address, slot), referenceOf(tree.heap, address, slot), reference);
}

/** A superblock's members in the order of the curve. */
function sortedSlots(heap: Heap, address: number): { slot: number; key: number }[] {
  const keyed = takenSlots(heap, address).map((slot) => {
    const latitude = readSigned(heap, address + superblock.latitudes + slot);
    return { slot, key: hilbertKey(latitude, readSigned(heap, address + superblock.longitudes + slot)) };
  });
  return keyed.toSorted((a, b) => a.key - b.key);
}

/** Room for one more child: a full node is halved, and the root gets one above it. */
function makeRoom(tree: Tree, at: number): void {
  const { heap } = tree;
  if (childrenOf(heap, at) < CHILDREN) return;
  if (parentOf(heap, at) === 0) {
    const root = createNode(heap, levelOf(heap, at) + 1);
    insertAt(heap, root, 0, describeChild(heap, levelOf(heap, root), at, 0));
    addCounters(heap, root, at, 1);
    heap.u32[state.root] = root;
  } else {
    makeRoom(tree, parentOf(heap, at));
  }
  const above = parentOf(heap, at);
  const level = levelOf(heap, above);
  const place = placeOf(heap, at);
  const second = halve(heap, at);
  writeChild(heap, above, place, describeChild(heap, level, at, keyAt(heap, above, place)));
  insertAt(heap, above, place + 1, describeChild(heap, level, second, keyAt(heap, second, 0)));
}

/** A node that lost a child goes, or is united with a neighbour, when it has few left. */
function afterLoss(tree: Tree, at: number): void {
  const { heap } = tree;
  const above = parentOf(heap, at);
  if (above === 0) {
    lowerRoot(heap, at);
    return;
  }
  const place = placeOf(heap, at);
  if (childrenOf(heap, at) === 0) {
    releaseNode(heap, at);
    removeAt(heap, above, place);
    afterLoss(tree, above);
    return;
  }
  const first = [place, place - 1].find((each) => {
    if (each < 0 || each + 1 >= childrenOf(heap, above)) return false;
    const [one, other] = [childAt(heap, above, each), childAt(heap, above, each + 1)];
    return childrenOf(heap, one) + childrenOf(heap, other) <= UNITED_CHILDREN;
  });
  if (first === undefined) return;
  const united = childAt(heap, above, first);
  unite(heap, united, childAt(heap, above, first + 1));
  writeChild(
    heap,
    above,
    first,
    describeChild(heap, levelOf(heap, above), united, keyAt(heap, above, first)),
  );
  removeAt(heap, above, first + 1);
  afterLoss(tree, above);
}

/** A root with a single node below is none. */
function lowerRoot(heap: Heap, root: number): void {
  if (levelOf(heap, root) === 1) return;
  if (childrenOf(heap, root) === 0) {
    releaseNode(heap, root);
    heap.u32[state.root] = createNode(heap, 1);
    return;
  }
  if (childrenOf(heap, root) > 1) return;
  const below = childAt(heap, root, 0);
  releaseNode(heap, root);
  heap.u32[below + node.parent] = 0;
  heap.u32[state.root] = below;
  lowerRoot(heap, below);
}
