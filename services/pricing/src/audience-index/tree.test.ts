import { describe, expect, it } from '@jest/globals';
import { startAudienceBuild } from './audience-index.ts';
import { read } from './heap.ts';
import { emptyParts, indexOn } from './index-parts.ts';
import { state } from './layout.ts';
import { loadParts } from './load.ts';
import { levelOf } from './nodes.ts';
import { createWorld, randomMember } from './random-world.ts';
import { structureFaults } from './structure-faults.ts';

describe('the tree', () => {
  it('is in order after it has grown by a level and shrunk again', () => {
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

  it('is in order after a bulk build, and takes changes', async () => {
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
