/** Compares what is counted with members who were read anew. Only numbers are shown, because ids of members are personal. */
import type { MembersCheck } from '@offer-ads/contracts/admin/pricing-api';
import type { Target } from '@offer-ads/contracts/audience/target';
import { type MemberGender, memberGenders } from '@offer-ads/contracts/values/member-gender';
import { COLUMNS, positionOf, ROWS } from './cells.ts';
import { cellOf, type Grid } from './grid.ts';
import type { Counts } from './live-grid.ts';

export function compareCounts(o: {
  readonly fresh: Counts;
  readonly counting: Counts;
  readonly targets: readonly Target[];
}): Omit<MembersCheck, 'repaired'> {
  const differing = o.targets.filter((target) => o.fresh.count(target) !== o.counting.count(target)).length;
  const [members, counted] = [o.fresh.members(), o.counting.members()];
  const ok = members === counted && differing === 0;
  return { ok, members, counted, targets: o.targets.length, differing };
}

/** Around random members, half of them for one gender, half of them for some interests. */
export function randomTargets(grid: Grid, count: number): readonly Target[] {
  const below = (end: number) => Math.floor(Math.random() * end);
  const interests = [...grid.interests.keys()];
  return Array.from({ length: count }, (_, number) => {
    const { row, column } =
      grid.size === 0 ? { row: below(ROWS), column: below(COLUMNS) } : cellOf(grid, below(grid.size));
    return {
      ...positionOf(row, column),
      radiusMiles: 5 + below(26),
      gender: number % 2 === 0 ? [] : [memberGenders[below(memberGenders.length)] as MemberGender],
      interests:
        number % 4 < 2 || interests.length === 0
          ? []
          : [1, 2, 3].map(() => interests[below(interests.length)] as number),
    };
  });
}
