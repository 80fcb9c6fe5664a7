/**
 * Fetches into the processor's cache what is about to be read. Sixteen superblocks lie anywhere in memory, and each tells
 * only when it is read where its columns are: taken one after the other, that is four waits for memory each. Here all
 * sixteen are asked at once, so that they are waited for together; and so are the blocks of one superblock on the edge.
 */
import {
  ADDRESSES,
  BLOCK_BOXES,
  CHILD_BOXES,
  COLUMNS,
  DIRECTORY,
  GENDER_COUNT,
  GENDER_LIST,
  INTEREST_COUNT,
  INTEREST_LIST,
  KNOWN,
  LATITUDES,
  LONGITUDES,
} from './layout';

/** So that nothing is read in vain in the eyes of a compiler. */
let read: u32 = 0;

const LINE: usize = 64;

/** What a count reads first of a node. */
export function fetchNode(node: usize): void {
  read = load<u32>(node) + fetchLines(node + CHILD_BOXES) + load<u32>(node, ADDRESSES);
}

/** @param children one bit for each of the superblocks below the node that are about to be counted by columns */
export function fetchColumns(node: usize, children: u32): void {
  let sum: u32 = 0;
  for (let rest = children; rest != 0; rest &= rest - 1) {
    sum += load<u32>(<usize>load<u32>(node + (ctz(rest) << 2), ADDRESSES) << 2, COLUMNS);
  }
  const interests = min<u32>(load<u32>(INTEREST_COUNT), 8);
  const genders = load<u32>(GENDER_COUNT);
  for (let rest = children; rest != 0; rest &= rest - 1) {
    const superblock = <usize>load<u32>(node + (ctz(rest) << 2), ADDRESSES) << 2;
    const columns = <usize>load<u32>(superblock, COLUMNS) << 2;
    sum += fetch(columns, INTEREST_LIST, interests) + fetch(columns, GENDER_LIST, genders);
  }
  read = sum;
}

/** @param children one bit for each of the superblocks below the node that lie on the edge */
export function fetchBoxes(node: usize, children: u32): void {
  let sum: u32 = 0;
  for (let rest = children; rest != 0; rest &= rest - 1) {
    const superblock = <usize>load<u32>(node + (ctz(rest) << 2), ADDRESSES) << 2;
    sum += load<u32>(<usize>load<u32>(superblock, COLUMNS) << 2) + fetchLines(superblock + BLOCK_BOXES);
  }
  read = sum;
}

/** @param blocks one bit for each of the superblock's blocks whose members are about to be tested */
export function fetchPositions(superblock: usize, blocks: u32): void {
  let sum: u32 = 0;
  for (let rest = blocks; rest != 0; rest &= rest - 1) {
    const block = superblock + (ctz(rest) << 8);
    sum += fetchLines(block + LATITUDES) + fetchLines(block + LONGITUDES);
  }
  read = sum;
}

/** Sixteen numbers each. */
// @ts-ignore: decorator
@inline
function fetchLines(four: usize): u32 {
  return (
    load<u32>(four) + load<u32>(four, LINE) + load<u32>(four, 2 * LINE) + load<u32>(four, 3 * LINE)
  );
}

// @ts-ignore: decorator
@inline
function fetch(columns: usize, list: usize, count: u32): u32 {
  const known = load<u32>(columns, KNOWN);
  let sum: u32 = 0;
  for (let each: u32 = 0; each < count; each++) {
    const column = load<u32>(list + (each << 2));
    if (column >= known) continue;
    const entry = <usize>load<u16>(columns + (column << 1), DIRECTORY);
    const data = columns + ((entry >> 2) << 4);
    sum += load<u32>(data) + load<u32>(data, LINE);
  }
  return sum;
}
