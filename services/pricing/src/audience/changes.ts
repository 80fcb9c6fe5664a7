/**
 * What changed since a grid was built, filed by row: minus a member as the grid has it, plus the member as it is now. A member is either in
 * the grid's ids or here by id; somebody who left is nowhere by id, only one less at an ordinal, which leads to nobody.
 */
import { setImmediate as afterOtherWork } from 'node:timers/promises';
import { memberGenders } from '@offer-ads/contracts/values/member-gender';
import type { CountedMember } from '../members/member-document.ts';
import { columnOf, ROWS, rowOf } from './cells.ts';
import {
  type CountSpan,
  cellOf,
  eraseId,
  type Filter,
  type Grid,
  ordinalMatcher,
  takeOrdinal,
} from './grid.ts';

export type Changes = {
  /** The member counts with these facts from now on; null: the member does not count any more. */
  readonly set: (memberId: number, member: CountedMember | null) => void;
  /** What the spans of the grid have too few; negative: too many. */
  readonly spanCounter: (filter: Filter) => CountSpan;
  /** Members who came, or changed. */
  readonly changed: () => Iterable<CountedMember>;
  /** How many count, those of the grid included. */
  readonly members: () => number;
  /**
   * While a thread reads the grid, ids of members who leave are erased later.
   * @returns the function that erases them, to be called when nothing reads any more
   */
  readonly keepIds: () => () => Promise<void>;
  /** How many ordinals and members a count may have to look at. */
  readonly size: () => number;
};

type Row = {
  /** Of the grid. */
  readonly gone: { readonly column: number; readonly ordinal: number }[];
  readonly here: Here[];
};
type Here = { readonly column: number; readonly gender: number; readonly member: CountedMember };

/** Erasing these takes less than a millisecond; then requests have their turn. */
const ERASED_AT_ONCE = 500;

export function changesSince(grid: Grid): Changes {
  const rows: (Row | undefined)[] = Array.from({ length: ROWS });
  const here = new Map<number, { readonly row: Row; readonly entry: Here }>();
  let gone = 0;
  let isRead = false;
  const toErase: number[] = [];

  const rowAt = (number: number) => (rows[number] ??= { gone: [], here: [] });

  function takeOut(memberId: number): void {
    const known = here.get(memberId);
    if (known !== undefined) {
      here.delete(memberId);
      const entries = known.row.here;
      const last = entries.pop() as Here;
      if (last !== known.entry) entries[entries.indexOf(known.entry)] = last;
      return;
    }
    const taken = takeOrdinal(grid, memberId);
    if (taken === undefined) return;
    if (isRead) toErase.push(taken.index);
    else eraseId(grid, taken.index);
    const { row, column } = cellOf(grid, taken.ordinal);
    rowAt(row).gone.push({ column, ordinal: taken.ordinal });
    gone += 1;
  }

  return {
    set: (memberId, member) => {
      takeOut(memberId);
      if (member === null) return;
      const row = rowAt(rowOf(member.latitude));
      const gender = memberGenders.indexOf(member.gender);
      const entry = { column: columnOf(member.longitude), gender, member };
      row.here.push(entry);
      here.set(memberId, { row, entry });
    },
    spanCounter: (filter) => {
      const { genders, interests } = filter;
      const isGone = ordinalMatcher(grid, filter);
      const isHere = ({ gender, member }: Here) =>
        (genders === null || genders.includes(gender)) &&
        (interests === null || interests.some((each) => member.interests.includes(each)));
      return (number, first, last) => {
        const row = rows[number];
        if (row === undefined) return 0;
        let count = 0;
        for (const entry of row.here)
          if (entry.column >= first && entry.column <= last && isHere(entry)) count += 1;
        for (const { column, ordinal } of row.gone)
          if (column >= first && column <= last && isGone(ordinal)) count -= 1;
        return count;
      };
    },
    *changed() {
      for (const { entry } of here.values()) yield entry.member;
    },
    members: () => grid.size - gone + here.size,
    keepIds: () => {
      isRead = true;
      return async () => {
        isRead = false;
        while (toErase.length > 0) {
          for (const index of toErase.splice(-ERASED_AT_ONCE)) eraseId(grid, index);
          await afterOtherWork();
        }
      };
    },
    size: () => gone + here.size,
  };
}
