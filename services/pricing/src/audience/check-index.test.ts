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

/** A MongoDB and an index; `meanwhile` happens whenever the index is asked to catch up. */
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
  return { inMongo, index, feed, marks };
}

const same = { missing: 0, surplus: 0, different: 0, repaired: 0, complete: true };

describe('checking an index against MongoDB', () => {
  it('finds nothing where both hold the same, in whatever order interests stand', async () => {
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

  it('tells how many are missing, surplus and different, and nobody who', async () => {
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

  it('puts right what differs when it is asked to', async () => {
    const world = worldOf(stored, indexed);
    expect(await checkIndex({ ...world, repair: true })).toMatchObject({ ok: true, repaired: 8 });
    expect(await checkIndex({ ...world, repair: false })).toMatchObject({
      ok: true,
      members: 6,
      indexed: 6,
      ...same,
    });
  });

  it('takes nobody for different who was just being changed', async () => {
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

  it('fails when the index does not catch up', async () => {
    const world = worldOf([], []);
    const marks = { ...world.marks, awaited: async () => false };
    await expect(checkIndex({ ...world, marks, repair: false })).rejects.toMatchObject({ status: 503 });
  });
});
