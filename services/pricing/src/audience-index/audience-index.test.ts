import { describe, expect, it } from '@jest/globals';
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
import { structureFaults } from '../../test/audience/structure-faults.ts';
import {
  AudienceFullError,
  type AudienceIndex,
  createAudienceIndex,
  type IndexedMember,
  startAudienceBuild,
} from './audience-index.ts';
import { emptyParts, indexOn } from './index-parts.ts';
import { loadParts } from './load.ts';

const kernels = ['wasm', 'plain'] as const;

const anybody: IndexedMember = {
  memberId: 1,
  latitude: 51.5,
  longitude: -0.12,
  gender: 'Female',
  interests: [1, 2],
};
const aroundAnybody = { latitude: 51.5, longitude: -0.12, radiusMiles: 5, gender: [], interests: [] };

async function* asyncly(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function faultsOf(index: AudienceIndex): Promise<readonly string[]> {
  return structureFaults(await loadParts(asyncly(index.save()), { kernel: 'plain' }));
}

describe('brute force and the index agree', () => {
  /** Few interests produce bitmap columns, many produce lists. */
  const worlds = [
    { seed: 1, interests: 6, built: true },
    { seed: 2, interests: 500, built: true },
    { seed: 3, interests: 40, built: false },
    { seed: 4, interests: 150, built: false },
  ];

  it.each(worlds)(
    'on random queries with random changes between them: world $seed with $interests interests',
    async ({ seed, interests, built }) => {
      const world = createWorld(seed, interests);
      const members = new Map<number, IndexedMember>();
      for (let id = 1; id <= runs(2_500, 12_000); id += 1) {
        const member = randomMember(world, idFor(id));
        members.set(member.memberId, member);
      }
      const indexes = await Promise.all(kernels.map((kernel) => filled(members.values(), kernel, built)));
      const queries = runs(200, 25_000);
      for (let query = 0; query < queries; query += 1) {
        const target = randomTarget(world, members.get(idFor(1 + (query % members.size))));
        const expected = countByForce(members.values(), target);
        const counts = indexes.map((index) => index.count(target));
        if (counts.some((count) => count !== expected)) {
          throw new Error(
            `${JSON.stringify(target)} reaches ${expected}, and the kernels say ${counts.join(', ')}`,
          );
        }
        // First growing, then shrinking, then growing again, so that superblocks are split and merged.
        const growing = Math.floor((query * 6) / queries) % 2 === 0;
        for (let change = 0; change < 5; change += 1) changeRandomly(world, members, indexes, growing);
      }
      for (const index of indexes) {
        expect(await faultsOf(index)).toEqual([]);
        expect([...index.memberIds()].toSorted((a, b) => a - b)).toEqual(
          [...members.keys()].toSorted((a, b) => a - b),
        );
      }
    },
    runs(60_000, 3_600_000),
  );

  /** Includes ids around 2^32 and close to the largest one. */
  function idFor(number: number): number {
    return [number, 2 ** 32 - 500 + number, 2 ** 53 - number][number % 3] as number;
  }

  async function filled(
    members: Iterable<IndexedMember>,
    kernel: 'wasm' | 'plain',
    built: boolean,
  ): Promise<AudienceIndex> {
    if (built) {
      const build = startAudienceBuild(0, { kernel });
      for (const member of members) build.add(member);
      return build.finish();
    }
    const index = createAudienceIndex({ kernel });
    for (const member of members) index.put(member);
    return index;
  }

  function changeRandomly(
    world: World,
    members: Map<number, IndexedMember>,
    indexes: readonly AudienceIndex[],
    growing: boolean,
  ): void {
    const { chance } = world;
    const id = idFor(1 + chance.below(runs(4_000, 20_000)));
    const before = members.get(id);
    const kind = chance.weighted(
      growing
        ? { put: 6, remove: 1, move: 2, step: 2, edit: 1 }
        : { put: 1, remove: 6, move: 2, step: 2, edit: 1 },
    );
    if (kind === 'remove') {
      members.delete(id);
      for (const index of indexes) index.remove(id);
      return;
    }
    const fresh = randomMember(world, id);
    const member = { ...fresh, ...before, ...changed(world, kind, before ?? fresh, fresh) };
    members.set(id, member);
    for (const index of indexes) index.put(member);
  }

  function changed(
    world: World,
    kind: 'put' | 'move' | 'step' | 'edit',
    before: IndexedMember,
    fresh: IndexedMember,
  ): Partial<IndexedMember> {
    if (kind === 'put') return fresh;
    if (kind === 'move') return randomPlace(world);
    if (kind === 'step') return { ...randomStep(world, before, 0.02), gender: fresh.gender };
    return { gender: fresh.gender, interests: fresh.interests };
  }
});

describe.each(kernels)('the index, counted by the %s kernel', (kernel) => {
  const index = (...members: IndexedMember[]) => {
    const created = createAudienceIndex({ kernel });
    for (const member of members) created.put(member);
    return created;
  };

  it('counts nobody when it is empty and when everybody was removed', () => {
    const emptied = index(anybody);
    emptied.remove(1);
    emptied.remove(1);
    expect([index(), emptied].map((each) => each.count(aroundAnybody))).toEqual([0, 0]);
    expect(emptied.size().members).toBe(0);
  });

  it('returns a member with the position in microdegrees and each interest once', () => {
    const held = index({ ...anybody, memberId: 2 ** 53 - 1, latitude: 51.12345678, interests: [9, 3, 9] });
    expect(held.get(2 ** 53 - 1)).toEqual({
      ...anybody,
      memberId: 2 ** 53 - 1,
      latitude: 51.123457,
      interests: [3, 9],
    });
    expect(held.get(2 ** 21 - 1)).toBeUndefined();
  });

  it('counts a member once, however often a target names a gender', () => {
    const two = index(anybody, { ...anybody, memberId: 2, gender: 'Male' });
    const counted = (gender: IndexedMember['gender'][]) => two.count({ ...aroundAnybody, gender });
    expect(counted(['Female', 'Female'])).toBe(1);
    expect(counted(['Male', 'Female', 'Male', 'Non-binary'])).toBe(2);
    expect(counted(['Non-binary', 'Non-binary'])).toBe(0);
  });

  it('counts more members at one position than a superblock holds', () => {
    const crowd = Array.from({ length: 3_000 }, (_, at) => ({ ...anybody, memberId: at + 1 }));
    const crowded = index(...crowd);
    expect(crowded.count({ ...aroundAnybody, radiusMiles: 0 })).toBe(3_000);
    for (const { memberId } of crowd.slice(0, 2_990)) crowded.remove(memberId);
    expect(crowded.count(aroundAnybody)).toBe(10);
  });

  it('refuses a member with an impossible position or id', () => {
    const created = index(anybody);
    for (const wrong of [{ latitude: 90.1 }, { longitude: Number.NaN }, { memberId: 0 }, { memberId: 1.5 }]) {
      expect(() => created.put({ ...anybody, ...wrong })).toThrow(RangeError);
    }
    expect(created.size().members).toBe(1);
  });

  it('holds 512 different interests, and takes another one only after nobody has one of them', () => {
    const of = (memberId: number, interests: number[]) => ({ ...anybody, memberId, interests });
    const all = Array.from({ length: 512 }, (_, at) => at + 1);
    const full = index(of(1, all), of(2, [7]));
    expect(() => full.put(of(3, [1, 513]))).toThrow(AudienceFullError);
    expect(full.get(3)).toBeUndefined();
    full.put(of(1, all.slice(2)));
    full.put(of(3, [513, 514]));
    expect(() => full.put(of(4, [515]))).toThrow('interest 515');
    const counts = [1, 2, 3, 7, 513, 514].map((interest) =>
      full.count({ ...aroundAnybody, interests: [interest] }),
    );
    expect(counts).toEqual([0, 0, 1, 2, 1, 1]);
  });

  it('holds eight genders, and refuses one more', () => {
    const full = index();
    const put = (gender: string, memberId: number) =>
      full.put({ ...anybody, memberId, gender: gender as IndexedMember['gender'] });
    ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].forEach((gender, at) => put(gender, at + 1));
    expect(() => put('i', 9)).toThrow(AudienceFullError);
    const gender = ['b', 'h'] as unknown as IndexedMember['gender'][];
    expect(full.count({ ...aroundAnybody, gender })).toBe(2);
  });

  it('throws when memory is used up, changes nothing then, and still removes and counts', () => {
    const small = indexOn(emptyParts({ kernel, maxBytes: 1.5 * 1024 * 1024 }));
    const world = createWorld(5, 100);
    let put = 0;
    const fill = () => {
      for (;;) {
        small.put({ ...randomMember(world, put + 1), ...randomPlace(world) });
        put += 1;
      }
    };
    expect(fill).toThrow(AudienceFullError);
    expect(fill).toThrow('The audience index is full: it uses');
    expect(small.size()).toMatchObject({ members: put });
    expect(small.get(put + 1)).toBeUndefined();
    for (let id = 1; id <= put; id += 1) small.remove(id);
    expect(small.size().members).toBe(0);
  });

  it('uses the space of removed members again', () => {
    const world = createWorld(6, 20);
    const reused = index();
    const sizes = Array.from({ length: 4 }, () => {
      for (let id = 1; id <= 2_500; id += 1) reused.put(randomMember(world, id));
      const { bytes } = reused.size();
      for (let id = 1; id <= 2_500; id += 1) reused.remove(id);
      return bytes;
    });
    expect(sizes[3]).toBeLessThan((sizes[0] as number) * 1.15);
  });
});

describe('a bulk build', () => {
  it('takes the last of several entries for one member', async () => {
    const build = startAudienceBuild();
    for (const latitude of [10, 20, 51.5]) build.add({ ...anybody, latitude });
    build.add({ ...anybody, memberId: 2 });
    const index = await build.finish();
    expect(index.size().members).toBe(2);
    expect(index.count(aroundAnybody)).toBe(2);
    expect(await faultsOf(index)).toEqual([]);
  });

  it('without members makes an empty index, which takes members', async () => {
    const index = await startAudienceBuild().finish();
    index.put(anybody);
    expect(index.count(aroundAnybody)).toBe(1);
  });
});
