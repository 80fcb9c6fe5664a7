/** A grid with the changes since it was built. It counts on until another grid replaces it. */
import { setImmediate as afterOtherWork } from 'node:timers/promises';
import type { Target } from '@offer-ads/contracts/audience/target';
import type { CountedMember } from '../members/member-document.ts';
import { type Changes, changesSince } from './changes.ts';
import { eachSpan } from './circle-rows.ts';
import { bytesOf, filterOf, type Grid, spanCounter } from './grid.ts';

export type Counts = {
  /** Exact, synchronous, takes microseconds. */
  readonly count: (target: Target) => number;
  readonly members: () => number;
};

export type LiveGrid = Counts & {
  /** The member counts with these facts from now on; null: the member does not count any more. */
  readonly set: (memberId: number, member: CountedMember | null) => void;
  /** What counts have to look at beside the grid. */
  readonly changes: () => number;
  /** How long the oldest change waits for the next grid. */
  readonly changesAgeMs: () => number;
  readonly bytes: () => number;
  /**
   * Replaces the grid. Changes go on meanwhile: what `build` gives must have everything from before the call, and may have later changes.
   * Not twice at once.
   * @param accept decides about the new grid when it is as current as the old one
   */
  readonly replace: (
    build: (grid: Grid, changed: Iterable<CountedMember>) => Promise<Grid>,
    accept?: (next: Counts) => boolean,
  ) => Promise<void>;
};

/** Applying these takes less than a millisecond; then requests have their turn. */
const CHANGES_AT_ONCE = 50;

export function openLiveGrid(first: Grid): LiveGrid {
  let current = { grid: first, changes: changesSince(first) };
  let changedAt: number | undefined;
  /** Changes since a build began. */
  let missed: (readonly [memberId: number, member: CountedMember | null])[] | undefined;

  return {
    count: (target) => countIn(current, target),
    members: () => current.changes.members(),
    set: (memberId, member) => {
      missed?.push([memberId, member]);
      current.changes.set(memberId, member);
      if (current.changes.size() > 0) changedAt ??= performance.now();
    },
    changes: () => current.changes.size(),
    changesAgeMs: () => (changedAt === undefined ? 0 : performance.now() - changedAt),
    bytes: () => bytesOf(current.grid),
    replace: async (build, accept = () => true) => {
      const startedAt = performance.now();
      missed = [];
      const { grid: before, changes } = current;
      const eraseLeft = changes.keepIds();
      try {
        const grid = await build(before, changes.changed());
        const next = { grid, changes: changesSince(grid) };
        // More may come while others have their turn.
        for (let at = 0; at < missed.length; at += 1) {
          const [memberId, member] = missed[at] as (typeof missed)[number];
          next.changes.set(memberId, member);
          if (at % CHANGES_AT_ONCE === CHANGES_AT_ONCE - 1) await afterOtherWork();
        }
        const isAccepted = accept({
          count: (target) => countIn(next, target),
          members: next.changes.members,
        });
        if (!isAccepted) return;
        current = next;
        changedAt = next.changes.size() === 0 ? undefined : startedAt;
      } finally {
        missed = undefined;
        await eraseLeft();
      }
    },
  };
}

function countIn(
  { grid, changes }: { readonly grid: Grid; readonly changes: Changes },
  target: Target,
): number {
  const filter = filterOf(target);
  const inGrid = spanCounter(grid, filter);
  const inChanges = changes.spanCounter(filter);
  let count = 0;
  eachSpan(target, (row, first, last) => {
    count += inGrid(row, first, last) + inChanges(row, first, last);
  });
  return count;
}
