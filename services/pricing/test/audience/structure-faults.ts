/** Checks an index in tests: everything that it stores about members is computed again from the members. */

import type { Parts } from '../../src/audience-index/index-parts.ts';
import { type Heap, read, readSigned } from '../../src/audience-index/memory/heap.ts';
import { findReference } from '../../src/audience-index/memory/id-map.ts';
import {
  BLOCKS,
  CHILDREN,
  GENDERS,
  node,
  SLOTS_OF_BLOCK,
  state,
  superblock,
} from '../../src/audience-index/memory/layout.ts';
import { type Box, boxAround, extend, nowhere, readBox } from '../../src/audience-index/tree/boxes.ts';
import {
  childAt,
  childrenOf,
  keyAt,
  levelOf,
  parentOf,
  placeOf,
} from '../../src/audience-index/tree/nodes.ts';
import { type Entry, entryAt, takenSlots } from '../../src/audience-index/tree/superblock.ts';
import { isOf, referenceOf } from '../../src/audience-index/tree/tree.ts';

type Totals = { members: Entry[]; box: Box };

export function structureFaults({ heap, tree }: Parts): string[] {
  const faults: string[] = [];
  const expectSame = (what: string, held: unknown, counted: unknown) => {
    const [a, b] = [JSON.stringify(held), JSON.stringify(counted)];
    if (a !== b) faults.push(`${what}: holds ${a}, and it is ${b}`);
  };

  function checkSuperblock(address: number): Totals {
    const slots = takenSlots(heap, address);
    const members = slots.map((slot) => entryAt(heap, address, slot));
    const boxes = Array.from({ length: BLOCKS }, nowhere);
    slots.forEach((slot, at) => {
      const { id, latitude, longitude } = members[at] as Entry;
      extend(boxes[Math.floor(slot / SLOTS_OF_BLOCK)] as Box, latitude, longitude);
      const reference = referenceOf(heap, address, slot);
      expectSame(
        `reference of ${id}`,
        findReference(heap, (each) => isOf(tree, each, id), id),
        reference,
      );
    });
    expectSame('a superblock of nobody', slots.length === 0, false);
    expectSame('members of a superblock', read(heap, address + superblock.members), slots.length);
    boxes.forEach((box, block) => {
      expectSame('box of a block', readBox(heap, address + superblock.boxes, block), box);
    });
    return { members, box: boxAround(heap, address + superblock.boxes) };
  }

  function checkNode(at: number): Totals {
    const totals: Totals = { members: [], box: nowhere() };
    for (let place = 0; place < childrenOf(heap, at); place += 1) {
      const child = childAt(heap, at, place);
      const { members, box } = levelOf(heap, at) === 1 ? checkSuperblock(child) : checkNode(child);
      expectSame('parent', parentOf(heap, child), at);
      expectSame('place in the parent', placeOf(heap, child), place);
      expectSame('box of a child', readBox(heap, at + node.boxes, place), box);
      expectSame('genders of a child', gendersHeld(heap, at, place), gendersOf(members));
      if (place > 1) expectSame('order', keyAt(heap, at, place) >= keyAt(heap, at, place - 1), true);
      totals.members.push(...members);
      if (members.length > 0) joinBox(totals.box, box);
    }
    expectSame('counters by interest', countersHeld(heap, at), countersOf(totals.members));
    return totals;
  }

  const { members } = checkNode(read(heap, state.root));
  expectSame('members', read(heap, state.members), members.length);
  expectSame('members of one id', new Set(members.map(({ id }) => id)).size, members.length);
  return faults;
}

function gendersHeld(heap: Heap, at: number, place: number): number[] {
  return Array.from({ length: GENDERS }, (_, gender) =>
    read(heap, at + node.genders + gender * CHILDREN + place),
  );
}

function gendersOf(members: readonly Entry[]): number[] {
  const counts = Array.from({ length: GENDERS }, () => 0);
  for (const { gender } of members) counts[gender] = (counts[gender] as number) + 1;
  return counts;
}

/** The counters above 0, by interest and gender. */
function countersHeld(heap: Heap, at: number): Record<string, number> {
  const counts: Record<string, number> = {};
  const interests = read(heap, at + node.countedInterests);
  for (let counter = 0; counter < interests * GENDERS; counter += 1) {
    const members = readSigned(heap, read(heap, at + node.counters) + counter);
    if (members !== 0) counts[counter] = members;
  }
  return counts;
}

function countersOf(members: readonly Entry[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { gender, interests } of members) {
    for (const interest of interests) {
      const counter = interest * GENDERS + gender;
      counts[counter] = (counts[counter] ?? 0) + 1;
    }
  }
  return counts;
}

function joinBox(around: Box, box: Box): void {
  extend(around, box.lowLatitude, box.lowLongitude);
  extend(around, box.highLatitude, box.highLongitude);
}
