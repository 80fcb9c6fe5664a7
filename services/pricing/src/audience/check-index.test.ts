import { describe, expect, it } from '@jest/globals';
import { createAudienceIndex, type IndexedMember } from '../audience-index/audience-index.ts';
import { checkIndex } from './check-index.ts';

const member = (memberId: number, facts: Partial<IndexedMember> = {}): IndexedMember => ({
  memberId,
  latitude: 51.5,
  longitude: -0.12,
  gender: 'Male',
  interests: [1, 2],
  ...facts,
});

/** A feed in memory and an index; `meanwhile` runs each time the check waits for the index to catch up. */
function worldOf(stored: readonly IndexedMember[], indexed: readonly IndexedMember[], meanwhile = () => {}) {
  const inMongo = new Map(stored.map((one) => [one.memberId, one]));
  const index = createAudienceIndex();
  for (const one of indexed) index.put(one);
  const feed = {
    async *everybody() {
      yield [...inMongo.values()];
    },
    those: async (ids: readonly number[]) => {
      const found = ids.flatMap((id) => inMongo.get(id) ?? []);
      return new Map(found.map((one) => [one.memberId, one]));
    },
  };
  const marks = {
    set: async () => ({ of: 'replica', number: 1 }),
    awaited: async () => {
      meanwhile();
      return true;
    },
  };
  return { inMongo, index, feed, marks, change: (work: () => Promise<void>) => work() };
}

const same = { missing: 0, surplus: 0, different: 0, repaired: 0, complete: true };

describe('checking an index against MongoDB', () => {
  it('finds no difference when both are the same, for any order of interests', async () => {
    const stored = [member(1), member(2, { interests: [9, 3] }), member(3, { longitude: 180 })];
    const indexed = [member(1), member(2, { interests: [3, 9] }), member(3, { longitude: -180 })];
    expect(await checkIndex({ ...worldOf(stored, indexed), repair: false })).toEqual({
      ok: true,
      members: 3,
      indexed: 3,
      ...same,
    });
  });

  const stored = [member(1), member(2), member(3), member(4), member(5), member(6)];
  const indexed = [
    member(1, { latitude: 51.500_001 }),
    member(2, { gender: 'Female' }),
    member(3, { interests: [1] }),
    member(4),
    member(7),
    member(8),
    member(9),
  ];

  it('returns how many are missing, surplus and different, without ids', async () => {
    const found = await checkIndex({ ...worldOf(stored, indexed), repair: false });
    expect(found).toEqual({
      ok: false,
      members: 6,
      indexed: 7,
      missing: 2,
      surplus: 3,
      different: 3,
      repaired: 0,
      complete: true,
    });
  });

  it('repairs all differences with `repair`', async () => {
    const world = worldOf(stored, indexed);
    expect(await checkIndex({ ...world, repair: true })).toMatchObject({ ok: true, repaired: 8 });
    expect(await checkIndex({ ...world, repair: false })).toMatchObject({
      ok: true,
      members: 6,
      indexed: 6,
      ...same,
    });
  });

  it('changes the index only while it is not being saved', async () => {
    const world = worldOf(stored, indexed);
    let mayChange = false;
    let changes = 0;
    const within = (change: () => void) => {
      expect(mayChange).toBe(true);
      changes += 1;
      change();
    };
    const index = {
      ...world.index,
      put: (one: IndexedMember) => within(() => world.index.put(one)),
      remove: (id: number) => within(() => world.index.remove(id)),
    };
    const change = async (work: () => Promise<void>) => {
      mayChange = true;
      await work();
      mayChange = false;
    };
    expect(await checkIndex({ ...world, index, change, repair: true })).toMatchObject({
      ok: true,
      repaired: 8,
    });
    expect(changes).toBe(8);
  });

  it('ignores members whose change was just under way', async () => {
    const world = worldOf(
      [member(1), member(2, { gender: 'Female' })],
      [member(1), member(2), member(3)],
      () => {
        world.index.put(member(2, { gender: 'Female' }));
        world.index.remove(3);
      },
    );
    expect(await checkIndex({ ...world, repair: false })).toMatchObject({ ok: true, ...same });
  });

  it('compares every member although members move meanwhile', async () => {
    const everyone = Array.from({ length: 6_000 }, (_, n) => member(n + 1));
    const surplus = (latitude: number, firstId: number) =>
      Array.from({ length: 2_500 }, (_, n) => member(firstId + n, { latitude }));
    const [north, south] = [surplus(80, 10_001), surplus(-60, 20_001)];
    const world = worldOf(everyone, [...everyone, ...north, ...south]);
    let hasMoved = false;
    const feed = {
      ...world.feed,
      // The follower applies changes between two batches: one of the two groups moves to where the check has already been.
      those: async (ids: readonly number[]) => {
        if (!hasMoved) {
          for (const one of north) world.index.put({ ...one, latitude: -60 });
          for (const one of south) world.index.put({ ...one, latitude: 80 });
        }
        hasMoved = true;
        return world.feed.those(ids);
      },
    };
    const found = await checkIndex({ ...world, feed, repair: false });
    expect(found).toMatchObject({ missing: 0, surplus: 5_000, different: 0, complete: true });
  });

  it('fails when the index does not catch up', async () => {
    const world = worldOf([], []);
    const marks = { ...world.marks, awaited: async () => false };
    await expect(checkIndex({ ...world, marks, repair: false })).rejects.toMatchObject({ status: 503 });
  });
});
