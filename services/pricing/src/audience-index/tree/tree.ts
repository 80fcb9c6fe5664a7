/**
 * The tree over the superblocks, in the order of the Hilbert curve. A full superblock is split in two. Two neighbours are merged if
 * together they fill at most half a superblock.
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

// V8 looks up imports on every read, but compiles in a module's own constants.
const { CHILDREN, node, SLOTS, state, superblock } = layout;

export type Tree = {
  readonly heap: Heap;
  /** The address of each superblock by its number; the number 0 is not used. */
  readonly superblocks: number[];
  readonly freeNumbers: number[];
  /** Called for every member who moved to another slot because of a split or merge. */
  readonly moved: (id: number, from: number, to: number) => void;
};

/** Neighbours with at most this many members are merged: half of the capacity, so that the result is not split again soon. */
const UNITED_MEMBERS = SLOTS / 2;
const UNITED_CHILDREN = CHILDREN / 2;
/** Children of a packed node, which leaves room for splits below. */
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

/** The new superblock has no parent yet. */
export function newSuperblock(tree: Tree, draft: Draft): number {
  const number = tree.freeNumbers.pop() ?? tree.superblocks.push(0) - 1;
  const address = createSuperblock(tree.heap, number, draft);
  tree.superblocks[number] = address;
  return address;
}

/** Builds the nodes over sorted superblocks, level by level, up to a single root. */
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

// Drafts for writing superblocks, and the new slots of their members; used within one operation only.
const left = createDraft();
const right = createDraft();
const to = { draft: new Int8Array(SLOTS), slot: new Uint16Array(SLOTS) };

/** The superblock of a place on the curve; splits it first if it is full. */
export function roomFor(tree: Tree, key: number): number {
  const address = superblockFor(tree, key);
  fetchSuperblock(tree.heap, address);
  if (read(tree.heap, address + superblock.members) < SLOTS) return address;
  splitSuperblock(tree, address);
  return superblockFor(tree, key);
}

/** Called after a superblock lost a member: removes it if it is empty, or merges it with a neighbour if both have few members. */
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

/** The first half of the members on the curve stays in the left superblock, the other half goes to a new one. */
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

/** Merges two neighbours in one node if they have few members. */
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

/** Makes room for one more child: a full node is halved, and a full root gets a new root above it. */
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

/** Called after a node lost a child: removes it if it is empty, or merges it with a neighbour if both have few children. */
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

/** A root with a single child node is replaced by that child. */
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
