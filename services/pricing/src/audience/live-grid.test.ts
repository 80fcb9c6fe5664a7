import { describe, expect, it } from '@jest/globals';
import { coarsePosition } from '@offer-ads/contracts/audience/coarse-position';
import { runs } from '@offer-ads/testing/profile';
import {
  countByForce,
  createWorld,
  randomMember,
  randomPlace,
  randomStep,
  randomTarget,
  type World,
} from '../../test/audience/random-world.ts';
import type { CountedMember } from '../members/member-document.ts';
import { startGridBuild } from './build-grid.ts';
import type { Grid } from './grid.ts';
import { type LiveGrid, openLiveGrid } from './live-grid.ts';

const anybody: CountedMember = {
  memberId: 1,
  latitude: 51.5,
  longitude: -0.12,
  gender: 'Female',
  interests: [1, 2],
};
const aroundAnybody = { latitude: 51.5, longitude: -0.12, radiusMiles: 5, gender: [], interests: [] };

function gridOf(members: Iterable<CountedMember>, older?: Grid): Grid {
  const build = startGridBuild(older);
  for (const member of members) build.add(member);
  return build.finish();
}

const withId = (memberId: number): CountedMember => ({ ...anybody, memberId });
const liveGrid = (...members: CountedMember[]) => openLiveGrid(gridOf(members));
const rebuilt = async (older: Grid, changed: Iterable<CountedMember>) => gridOf(changed, older);

describe('brute force and the grid agree', () => {
  /** Few interests are kept as bits, of many interests most are kept as lists. */
  const worlds = [
    { seed: 1, interests: 6 },
    { seed: 2, interests: 500 },
    { seed: 3, interests: 40 },
    { seed: 4, interests: 150 },
  ];

  it.each(worlds)(
    'on random queries with random changes and new grids between them: world $seed with $interests interests',
    async ({ seed, interests }) => {
      const world = createWorld(seed, interests);
      const members = new Map<number, CountedMember>();
      for (let id = 1; id <= runs(2_500, 12_000); id += 1)
        members.set(idFor(id), randomMember(world, idFor(id)));
      const grid = openLiveGrid(gridOf(members.values()));
      const queries = runs(400, 25_000);
      let counted = 0;
      for (let query = 0; query < queries; query += 1) {
        const target = randomTarget(world, members.get(idFor(1 + (query % members.size))));
        const expected = countByForce(members.values(), target);
        const count = grid.count(target);
        if (count !== expected)
          throw new Error(`${JSON.stringify(target)} reaches ${expected}, and the grid says ${count}`);
        counted += expected;
        for (let change = 0; change < 5; change += 1) changeRandomly(world, members, grid);
        if (query % 100 === 99) await grid.replace(rebuilt);
      }
      expect(counted).toBeGreaterThan(queries);
      expect(grid.members()).toBe(members.size);
    },
    runs(60_000, 3_600_000),
  );

  /** Includes ids around 2^32 and close to the largest one. */
  function idFor(number: number): number {
    return [number, 2 ** 32 - 500 + number, 2 ** 53 - number][number % 3] as number;
  }

  function changeRandomly(world: World, members: Map<number, CountedMember>, grid: LiveGrid): void {
    const { chance } = world;
    const id = idFor(1 + chance.below(runs(4_000, 20_000)));
    const before = members.get(id);
    const fresh = randomMember(world, id);
    const member = {
      put: () => fresh,
      remove: () => null,
      move: () => ({ ...fresh, ...before, ...coarsePosition(randomPlace(world)) }),
      step: () => ({ ...fresh, ...randomStep(world, before ?? fresh, 0.02) }),
      edit: () => ({ ...before, ...fresh }),
    }[chance.weighted({ put: 3, remove: 3, move: 2, step: 2, edit: 1 })]();
    if (member === null) members.delete(id);
    else members.set(id, member);
    grid.set(id, member);
  }
});

it('a grid takes the last of several entries for one member', () => {
  const grid = liveGrid({ ...anybody, latitude: 10 }, withId(2), { ...anybody, interests: [9, 3] });
  expect(grid.members()).toBe(2);
  expect(grid.count({ ...aroundAnybody, interests: [9, 3] })).toBe(1);
  expect(grid.count({ ...aroundAnybody, latitude: 10 })).toBe(0);
});

describe('the next grid', () => {
  it('has what changed before and while it was built, in any order of events', async () => {
    const grid = liveGrid(...[1, 2, 3, 4].map(withId));
    grid.set(2, null);
    grid.set(5, withId(5));
    await grid.replace(async (older, changed) => {
      grid.set(1, null);
      const read = gridOf(changed, older);
      grid.set(3, null);
      grid.set(5, null);
      grid.set(6, withId(6));
      grid.set(4, { ...anybody, memberId: 4, latitude: 10 });
      return read;
    });
    expect(grid.count(aroundAnybody)).toBe(1);
    expect(grid.count({ ...aroundAnybody, latitude: 10 })).toBe(1);
    expect(grid.members()).toBe(2);
    await grid.replace(rebuilt);
    expect(grid.changes()).toBe(0);
    expect(grid.count(aroundAnybody)).toBe(1);
  });
});

it('ids of members who leave while a thread reads the grid are erased when that is over', async () => {
  const first = gridOf([11, 12, 13].map(withId));
  const grid = openLiveGrid(first);
  const failed = grid.replace(async () => {
    grid.set(12, null);
    grid.set(13, null);
    grid.set(12, null);
    expect([grid.count(aroundAnybody), ...first.ids]).toEqual([1, 11, 12, 13]);
    throw new Error('the thread has died');
  });
  await expect(failed).rejects.toThrow('died');
  expect([grid.count(aroundAnybody), ...first.ids]).toEqual([1, 11, 11, 11]);
});

it('the id of a removed member is nowhere in memory, and its ordinal is not in the next grid', async () => {
  const ids = [11, 12, 13, 14, 15];
  const first = gridOf(ids.map(withId));
  const grid = openLiveGrid(first);
  for (const removed of [13, 12, 15]) grid.set(removed, null);
  expect([...new Set(first.ids)]).toEqual([11, 14]);
  grid.set(11, null);
  expect([...new Set(first.ids)]).toEqual([0, 14]);
  grid.set(14, { ...anybody, memberId: 14, latitude: 10 });
  expect([...new Set(first.ids)]).toEqual([0]);
  let next: Grid | undefined;
  await grid.replace(async (older, changed) => (next = gridOf(changed, older)));
  expect([next?.size, next?.ids[0], next?.columns.length]).toEqual([1, 14, 1]);
});
