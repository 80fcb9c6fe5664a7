/**
 * Counts an audience in the tree: what lies wholly inside the circle by what is counted beforehand or by columns, what
 * lies outside not at all, and on the edge it goes down, to single members at last. A loop with a stack of its own, because the
 * next address is then known long before it is needed.
 */
import { fetchBoxes, fetchColumns, fetchNode, fetchPositions } from './ahead';
import { classify, inside, outside } from './boxes';
import { writeCircle } from './circle';
import { countSelected, selectSlots } from './columns';
import {
  ADDRESSES,
  BLOCK_BOXES,
  CHILD_BOXES,
  CHILD_COUNT,
  CHILD_GENDERS,
  CHILDREN,
  COUNTED_INTERESTS,
  COUNTERS,
  FIRST_INTEREST,
  GENDER_COUNT,
  GENDER_LIST,
  GENDERS,
  INTEREST_COUNT,
  INTEREST_LIST,
  LEVEL,
  ROOT,
  STACK,
} from './layout';
import { countInBlock } from './members';

/** Marks a node on the stack that lies wholly inside. */
const INSIDE: u32 = 1 << 31;

/** @param radius in radians; the centre is in degrees */
export function count(latitude: f64, longitude: f64, radius: f64): u32 {
  fetchNode(<usize>load<u32>(ROOT) << 2);
  writeCircle(latitude, longitude, radius);
  const filtered = load<u32>(INTEREST_COUNT) > 0;
  let total: u32 = 0;
  let top = STACK;
  store<u32>(top, load<u32>(ROOT));
  while (top >= STACK) {
    const next = load<u32>(top);
    top -= 4;
    const node = (<usize>next) << 2;
    const bottom = load<u32>(node, LEVEL) == 1;
    const all: u32 = (1 << load<u32>(node, CHILD_COUNT)) - 1;
    let within = all;
    let edge: u32 = 0;
    if (next < INSIDE) {
      classify(node + CHILD_BOXES);
      within = inside & all;
      edge = all & ~within & ~outside;
    } else {
      const known = countByInterest(node);
      if (known >= 0) {
        total += known;
        continue;
      }
    }
    if (!filtered) {
      total += countByGender(node, within);
    } else {
      if (bottom) fetchColumns(node, within);
      for (; within != 0; within &= within - 1) {
        const child = load<u32>(node + (ctz(within) << 2), ADDRESSES);
        if (bottom) {
          total += countSelected((<usize>child) << 2);
        } else {
          top += 4;
          store<u32>(top, child | INSIDE);
        }
      }
    }
    if (bottom) fetchBoxes(node, edge);
    for (; edge != 0; edge &= edge - 1) {
      const child = load<u32>(node + (ctz(edge) << 2), ADDRESSES);
      if (bottom) {
        total += countInSuperblock((<usize>child) << 2);
      } else {
        fetchNode((<usize>child) << 2);
        top += 4;
        store<u32>(top, child);
      }
    }
  }
  return total;
}

/** Of the children in `within`, members of the genders wanted. */
function countByGender(node: usize, within: u32): u32 {
  const wanted = load<u32>(GENDER_COUNT);
  let total: u32 = 0;
  for (; within != 0; within &= within - 1) {
    const child = node + (ctz(within) << 2);
    if (wanted == 0) {
      for (let gender: u32 = 0; gender < GENDERS; gender++) {
        total += load<u32>(child + gender * (CHILDREN << 2), CHILD_GENDERS);
      }
    } else {
      for (let each: u32 = 0; each < wanted; each++) {
        total += load<u32>(child + load<u32>(GENDER_LIST + (each << 2)) * (CHILDREN << 2), CHILD_GENDERS);
      }
    }
  }
  return total;
}

/** By the node's counters, where at most one of the interests occurs in it: several could count a member twice. */
function countByInterest(node: usize): i32 {
  const counters = (<usize>load<u32>(node, COUNTERS)) << 2;
  const counted = load<u32>(node, COUNTED_INTERESTS);
  const interests = load<u32>(INTEREST_COUNT);
  const genders = load<u32>(GENDER_COUNT);
  let total: u32 = 0;
  for (let each: u32 = 0; each < interests; each++) {
    const interest = load<u32>(INTEREST_LIST + (each << 2)) - FIRST_INTEREST;
    if (interest >= counted) continue;
    const row = counters + interest * (GENDERS << 2);
    let members: u32 = 0;
    if (genders == 0) {
      for (let gender: u32 = 0; gender < GENDERS; gender++) members += load<u32>(row + (gender << 2));
    } else {
      for (let one: u32 = 0; one < genders; one++) {
        members += load<u32>(row + (load<u32>(GENDER_LIST + (one << 2)) << 2));
      }
    }
    if (members == 0) continue;
    if (total > 0) return -1;
    total = members;
  }
  return total;
}

function countInSuperblock(superblock: usize): u32 {
  classify(superblock + BLOCK_BOXES);
  let within = inside;
  let edge = ~inside & ~outside & 0xffff;
  if ((within | edge) == 0) return 0;
  const slots = selectSlots(superblock);
  if (slots == 0) return 0;
  fetchPositions(superblock, edge);
  let total: u32 = 0;
  for (; within != 0; within &= within - 1) {
    total += <u32>popcnt(load<u64>(slots + (ctz(within) << 3)));
  }
  for (; edge != 0; edge &= edge - 1) {
    const block = ctz(edge);
    const wanted = load<u64>(slots + (block << 3));
    if (wanted != 0) total += countInBlock(superblock, block, wanted);
  }
  return total;
}
