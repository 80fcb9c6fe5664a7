import { describe, expect, it } from '@jest/globals';
import {
  countByForce,
  createWorld,
  randomMember,
  randomTarget,
} from '../../../test/audience/random-world.ts';
import { structureFaults } from '../../../test/audience/structure-faults.ts';
import { type IndexedMember, startAudienceBuild } from '../audience-index.ts';
import { emptyParts, indexOn } from '../index-parts.ts';
import { loadParts } from '../load.ts';
import { read } from '../memory/heap.ts';
import { state } from '../memory/layout.ts';
import { levelOf } from './nodes.ts';

describe('the tree', () => {
  it('has no fault after it has grown by a level and shrunk again', () => {
    const parts = emptyParts({ kernel: 'plain' });
    const index = indexOn(parts);
    const world = createWorld(7, 30);
    const rootLevel = () => levelOf(parts.heap, read(parts.heap, state.root));
    for (let id = 1; id <= 16_000; id += 1) index.put(randomMember(world, id));
    expect(rootLevel()).toBe(2);
    expect(structureFaults(parts)).toEqual([]);
    for (let id = 1; id <= 16_000; id += 1) if (id % 8 !== 0) index.remove(id);
    expect(rootLevel()).toBe(1);
    expect(structureFaults(parts)).toEqual([]);
    for (let id = 8; id <= 16_000; id += 8) index.remove(id);
    expect(structureFaults(parts)).toEqual([]);
    index.put(randomMember(world, 1));
    expect(structureFaults(parts)).toEqual([]);
  });

  it.each([
    ['is built at once', true],
    ['grows one by one', false],
  ])(
    'counts exactly with thousands of members at one position and hundreds at others, when it %s',
    async (_, atOnce) => {
      const world = createWorld(9, 30);
      const { chance } = world;
      // Positions with two decimals, as they are stored (decision 152, rounded positions), with 6,000 members at one of them.
      const crowded = (id: number) =>
        id <= 6_000
          ? { latitude: 51.51, longitude: -0.13 }
          : { latitude: (5_140 + chance.below(6)) / 100, longitude: (-20 + chance.below(6)) / 100 };
      const members = new Map<number, IndexedMember>();
      for (let id = 1; id <= 15_000; id += 1) members.set(id, { ...randomMember(world, id), ...crowded(id) });
      const parts = emptyParts({ kernel: 'plain' });
      const build = startAudienceBuild(0);
      if (atOnce) for (const member of members.values()) build.add(member);
      const index = atOnce ? await build.finish() : indexOn(parts);
      if (!atOnce) for (const member of members.values()) index.put(member);
      // Many members leave, and others move to the crowded position.
      for (let id = 1; id <= 15_000; id += 3) {
        members.delete(id);
        index.remove(id);
        const moved = { ...(members.get(id + 1) as IndexedMember), ...crowded(1) };
        members.set(id + 1, moved);
        index.put(moved);
      }
      if (!atOnce) expect(structureFaults(parts)).toEqual([]);
      for (let query = 0; query < 60; query += 1) {
        const target = randomTarget(world, chance.oneOf([...members.values()].slice(-500)));
        const near = query % 2 === 0 ? { latitude: 51.45, longitude: -0.15 } : {};
        expect(index.count({ ...target, ...near })).toBe(
          countByForce(members.values(), { ...target, ...near }),
        );
      }
    },
  );

  it('has no fault after a bulk build and changes', async () => {
    const world = createWorld(8, 30);
    const build = startAudienceBuild(100);
    for (let id = 1; id <= 15_000; id += 1) build.add(randomMember(world, id));
    const index = await build.finish();
    for (let id = 10_000; id <= 17_000; id += 1) index.put(randomMember(world, id));
    for (let id = 1; id <= 4_000; id += 1) index.remove(id);
    const parts = await loadParts(
      (async function* () {
        yield* index.save();
      })(),
    );
    expect(structureFaults(parts)).toEqual([]);
    expect(index.size().members).toBe(13_000);
  });
});
