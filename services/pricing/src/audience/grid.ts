/**
 * The members who count, sorted by row, then by column (cells.ts), in typed arrays that threads share. A grid is never changed, except that ids
 * are erased from it; `changes.ts` has what happened since it was built.
 *
 *     ordinal           0 1 2 3 4 5 6 7 8 ..    members in the order of their cells
 *     cell              [0    ][1][2     ] ..   its column, its first ordinal, and how many of each gender come before it
 *     row               [0        ][1    ] ..   its first cell
 *     gender, interest  0 1 0 0 1 0 0 1 1 ..    a bit for each ordinal; a list of ordinals where few have the interest
 *     id                sorted, each with its ordinal
 */
import type { Target } from '@offer-ads/contracts/audience/target';
import { memberGenders } from '@offer-ads/contracts/values/member-gender';

export type Grid = {
  /** Members when it was built. */
  readonly size: number;
  /** By row, and one more for the end. */
  readonly firstCells: Uint32Array;
  /** By cell. */
  readonly columns: Uint16Array;
  /** By cell, and one more for the end. */
  readonly firstOrdinals: Uint32Array;
  /** By gender, then as `firstOrdinals`: members of this gender in all cells before. */
  readonly genderTotals: readonly Uint32Array[];
  /** By gender: a bit for each ordinal. */
  readonly genders: readonly Int32Array[];
  readonly interests: ReadonlyMap<number, Ordinals>;
  /** In order, all above 0. An erased id has the value of the id before it. */
  readonly ids: Float64Array;
  /** By the index in `ids`; ERASED for an erased id. */
  readonly ordinals: Uint32Array;
};

/** Those who have an interest: a bit for each ordinal, or the ordinals in order, which takes less where fewer than one in 32 have it. */
export type Ordinals = { readonly bits: Int32Array } | { readonly list: Uint32Array };

export const ERASED = 0xffffffff;

export function bytesOf(grid: Grid): number {
  const interests = Array.from(grid.interests.values(), (each) => ('bits' in each ? each.bits : each.list));
  const cells = [grid.firstCells, grid.columns, grid.firstOrdinals, ...grid.genderTotals];
  const all = [...cells, ...grid.genders, ...interests, grid.ids, grid.ordinals];
  return all.reduce((sum, array) => sum + array.byteLength, 0);
}

/** What a target asks for apart from its circle. */
export type Filter = {
  /** By their numbers, each once; null: all. */
  readonly genders: readonly number[] | null;
  /** Null: whatever they are interested in. */
  readonly interests: readonly number[] | null;
};

export function filterOf({ gender, interests }: Target): Filter {
  const genders = memberGenders.flatMap((each, number) => (gender.includes(each) ? [number] : []));
  const isAll = genders.length === 0 || genders.length === memberGenders.length;
  return { genders: isAll ? null : genders, interests: interests.length === 0 ? null : interests };
}

/** @returns how many members of a row, from the first to the last column, pass the filter */
export type CountSpan = (row: number, first: number, last: number) => number;

export function spanCounter(grid: Grid, filter: Filter): CountSpan {
  const { columns, firstCells } = grid;
  const countCells = filter.interests === null ? totalsCounter(grid, filter) : bitsCounter(grid, filter);
  return (row, first, last) => {
    const end = firstCells[row + 1] as number;
    const from = lowerBound(columns, first, firstCells[row], end);
    const to = lowerBound(columns, last + 1, from, Math.min(end, from + last - first + 1));
    return from < to ? countCells(from, to) : 0;
  };
}

type CountCells = (from: number, to: number) => number;

/** Without interests nobody is looked at: totals at the end of the span, minus those at its beginning. */
function totalsCounter(grid: Grid, { genders }: Filter): CountCells {
  const totals =
    genders === null ? [grid.firstOrdinals] : genders.map((each) => grid.genderTotals[each] as Uint32Array);
  return (from, to) => {
    let count = 0;
    for (const before of totals) count += (before[to] as number) - (before[from] as number);
    return count;
  };
}

/** The bits of all interests are united, then cut with those of the genders, and counted: 32 members at a time. */
function bitsCounter(grid: Grid, { genders, interests }: Filter): CountCells {
  const wanted = (interests ?? []).flatMap((each) => grid.interests.get(each) ?? []);
  const maps = wanted.flatMap((ordinals) => ('bits' in ordinals ? [ordinals.bits] : []));
  const lists = wanted.flatMap((ordinals) => ('list' in ordinals ? [ordinals.list] : []));
  const genderMaps = genders?.map((each) => grid.genders[each] as Int32Array) ?? null;
  if (wanted.length === 0) return () => 0;
  return (from, to) => {
    const start = grid.firstOrdinals[from] as number;
    const last = (grid.firstOrdinals[to] as number) - 1;
    const first = start >>> 5;
    const words = (last >>> 5) - first + 1;
    const found = emptyWords(words);
    for (let at = 0; at < maps.length; at += 4) unite(found, maps, at, first, words);
    for (const list of lists) uniteList(found, list, start, last);
    if (genderMaps !== null) intersect(found, genderMaps, first, words);
    found[0] = (found[0] as number) & (-1 << (start & 31));
    found[words - 1] = (found[words - 1] as number) & (-1 >>> (31 - (last & 31)));
    return countOnes(found, words);
  };
}

let scratch = new Int32Array(1024);

/** They are used until the next call. */
function emptyWords(words: number): Int32Array {
  if (scratch.length < words) scratch = new Int32Array(2 * words);
  return scratch.fill(0, 0, words);
}

/** Four at a time take half the time. If fewer are left, one is united several times, which changes nothing. */
function unite(
  found: Int32Array,
  maps: readonly Int32Array[],
  at: number,
  first: number,
  words: number,
): void {
  const one = maps[at] as Int32Array;
  const [two, three, four] = [maps[at + 1] ?? one, maps[at + 2] ?? one, maps[at + 3] ?? one];
  for (let to = 0, from = first; to < words; to += 1, from += 1)
    (found[to] as number) |=
      (one[from] as number) | (two[from] as number) | (three[from] as number) | (four[from] as number);
}

function uniteList(found: Int32Array, list: Uint32Array, start: number, last: number): void {
  for (let at = lowerBound(list, start); at < list.length && (list[at] as number) <= last; at += 1)
    setBit(found, (list[at] as number) - (start & ~31));
}

/** With one gender or two: of more there are all, and then nobody asks. */
function intersect(found: Int32Array, genders: readonly Int32Array[], first: number, words: number): void {
  const [one, other = one] = genders as [Int32Array, Int32Array?];
  for (let at = 0; at < words; at += 1)
    (found[at] as number) &= (one[first + at] as number) | (other[first + at] as number);
}

/** Bits are added up in pairs, in fours, in eights, then all. */
function countOnes(found: Int32Array, words: number): number {
  let count = 0;
  for (let at = 0; at < words; at += 1) {
    const bits = found[at] as number;
    const pairs = bits - ((bits >>> 1) & 0x55555555);
    const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
    count += Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

/** @returns whether the member at an ordinal passes the filter */
export function ordinalMatcher(grid: Grid, { genders, interests }: Filter): (ordinal: number) => boolean {
  const wanted = interests?.flatMap((each) => grid.interests.get(each) ?? []) ?? null;
  return (ordinal) =>
    (genders === null || genders.some((each) => hasBit(grid.genders[each] as Int32Array, ordinal))) &&
    (wanted === null || wanted.some((ordinals) => hasOrdinal(ordinals, ordinal)));
}

function hasOrdinal(ordinals: Ordinals, ordinal: number): boolean {
  if ('bits' in ordinals) return hasBit(ordinals.bits, ordinal);
  return ordinals.list[lowerBound(ordinals.list, ordinal)] === ordinal;
}

export function hasBit(bits: Int32Array, ordinal: number): boolean {
  return ((bits[ordinal >>> 5] as number) & (1 << (ordinal & 31))) !== 0;
}

export function setBit(bits: Int32Array, ordinal: number): void {
  bits[ordinal >>> 5] = (bits[ordinal >>> 5] as number) | (1 << (ordinal & 31));
}

/** The cell of an ordinal, as its row and column. */
export function cellOf(grid: Grid, ordinal: number): { readonly row: number; readonly column: number } {
  const cell = lowerBound(grid.firstOrdinals, ordinal + 1) - 1;
  const row = lowerBound(grid.firstCells, cell + 1) - 1;
  return { row, column: grid.columns[cell] as number };
}

/**
 * Takes the ordinal from a member, who is found no more. A thread may be reading for the next grid.
 * @returns the ordinal, and the index of the id, for `eraseId`
 */
export function takeOrdinal({ ids, ordinals }: Grid, memberId: number) {
  const index = lowerBound(ids, memberId);
  const ordinal = ids[index] === memberId ? (ordinals[index] as number) : ERASED;
  if (ordinal === ERASED) return undefined;
  Atomics.store(ordinals, index, ERASED);
  return { ordinal, index };
}

/** Not while a thread reads the ids. Afterwards this grid has the id nowhere. */
export function eraseId({ ids }: Grid, index: number): void {
  const memberId = ids[index];
  // Neighbours that were erased before have the same value.
  const value = index === 0 ? 0 : (ids[index - 1] as number);
  for (let at = index; ids[at] === memberId; at += 1) ids[at] = value;
}

/** The first index whose value is at least this one; `to` if there is none. The values are in order. */
export function lowerBound(
  sorted: Uint16Array | Uint32Array | Float64Array,
  value: number,
  from = 0,
  to = sorted.length,
): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
