import { describe, expect, it } from '@jest/globals';
import { runs } from '@offer-ads/testing/profile';
import { createWorld, randomMember, randomPlace, randomStep } from '../../test/audience/random-world.ts';
import { structureFaults } from '../../test/audience/structure-faults.ts';
import { emptyParts, type IndexedMember, indexOn, type Parts } from './index-parts.ts';
import { read } from './memory/heap.ts';
import { findReference } from './memory/id-map.ts';
import { node, SCRATCH_WORDS, SLOTS, state } from './memory/layout.ts';
import { type Box, boxAround } from './tree/boxes.ts';
import { levelOf, parentOf } from './tree/nodes.ts';
import { addressOf, isOf, slotIn, superblocksOf } from './tree/tree.ts';

const { floor, round } = Math;

/** Ids above and below 2^32. */
const FIRST_ID = 2 ** 32 - 20;

/** Members on a grid of 32 columns, northwards from a place, about 100 metres apart. */
function settlement(o: { members: number; latitude: number; longitude: number; firstId: number }) {
  return Array.from(
    { length: o.members },
    (_, at): IndexedMember => ({
      memberId: o.firstId + at,
      latitude: o.latitude + floor(at / 32) / 1000,
      longitude: o.longitude + (at % 32) / 1000,
      gender: at % 2 === 0 ? 'Female' : 'Male',
      interests: [1 + (at % 5), 10 + (at % 7)],
    }),
  );
}

function indexOf(members: readonly IndexedMember[]) {
  const parts = emptyParts({ kernel: 'plain' });
  const index = indexOn(parts);
  const known = new Map<number, IndexedMember>();
  const put = (member: IndexedMember) => {
    const [latitude, longitude] = [member.latitude, member.longitude].map(
      (degrees) => round(degrees * 1e6) / 1e6,
    ) as [number, number];
    known.set(member.memberId, { ...member, latitude, longitude });
    index.put(member);
  };
  for (const member of members) put(member);
  return {
    put,
    change: (memberId: number, change: Partial<IndexedMember>) =>
      put({ ...(known.get(memberId) as IndexedMember), ...change }),
    remove: (memberId: number) => {
      known.delete(memberId);
      index.remove(memberId);
    },
    member: (memberId: number) => known.get(memberId),
    slotOf: (memberId: number) => slotOf(parts, memberId),
    superblocks: () => [...superblocksOf(parts.tree)].length,
    rootBox: (): Box => boxAround(parts.heap, read(parts.heap, state.root) + node.boxes),
    parts,
    /** The faults of the structure, and the members whose stored facts differ from the last `put`. */
    faults: () => [
      ...structureFaults(parts),
      ...[...known.values()].flatMap((member) => {
        const held = JSON.stringify(index.get(member.memberId));
        const expected = JSON.stringify({
          ...member,
          interests: [...new Set(member.interests)].toSorted((a, b) => a - b),
        });
        return held === expected ? [] : [`${held} is held instead of ${expected}`];
      }),
    ],
  };
}

type Whereabouts = ReturnType<typeof slotOf>;

function slotOf({ heap, tree }: Parts, memberId: number) {
  const reference = findReference(heap, (each) => isOf(tree, each, memberId), memberId);
  const superblock = addressOf(tree, reference);
  return { superblock, node: parentOf(heap, superblock), slot: slotIn(reference) };
}

const london = { latitude: 51.5, longitude: -0.1 };
const paris = { latitude: 48.85, longitude: 2.35 };

describe('a member who moves', () => {
  const some = settlement({ members: 300, ...london, firstId: FIRST_ID });
  const [southWest, inside, northEast] = [FIRST_ID, FIRST_ID + 140, FIRST_ID + 287];

  it('keeps the slot within the box of the block', () => {
    const index = indexOf(some);
    const before = index.slotOf(inside);
    index.change(inside, { latitude: london.latitude + 0.004_1 });
    expect(index.slotOf(inside)).toEqual(before);
    expect(index.faults()).toEqual([]);
  });

  it('makes every box up to the root smaller by leaving an edge', () => {
    const index = indexOf([...some, ...settlement({ members: 1, latitude: 52, longitude: 0.5, firstId: 7 })]);
    const { superblock } = index.slotOf(7);
    index.change(7, { latitude: 51.5, longitude: -0.05 });
    expect(index.slotOf(7).superblock).toBe(superblock);
    expect(index.rootBox()).toMatchObject({ highLatitude: 51_509_000, highLongitude: -50_000 });
    expect(index.faults()).toEqual([]);
  });

  it('makes every box up to the root larger by going beyond an edge', () => {
    const index = indexOf(some);
    index.change(inside, { latitude: 51.55 });
    index.change(northEast, { latitude: 51.6 });
    index.change(southWest, { latitude: 51.4, longitude: -0.2 });
    expect(index.rootBox()).toMatchObject({
      lowLatitude: 51_400_000,
      highLatitude: 51_600_000,
      lowLongitude: -200_000,
    });
    expect(index.superblocks()).toBe(1);
    expect(index.faults()).toEqual([]);
  });

  it('gets a slot in another block of the superblock when that is closer', () => {
    const index = indexOf(some);
    const before = index.slotOf(southWest);
    index.change(southWest, { latitude: 51.508, longitude: -0.08 });
    const after = index.slotOf(southWest);
    expect(after.superblock).toBe(before.superblock);
    expect(floor(after.slot / 64)).not.toBe(floor(before.slot / 64));
    expect(index.faults()).toEqual([]);
  });

  it('keeps the slot within a full superblock, which is not split', () => {
    const index = indexOf(settlement({ members: SLOTS, ...london, firstId: FIRST_ID }));
    const before = index.slotOf(southWest);
    index.change(southWest, { latitude: 51.53, longitude: -0.07 });
    expect(index.slotOf(southWest)).toEqual(before);
    expect(index.superblocks()).toBe(1);
    expect(index.faults()).toEqual([]);
  });

  it('splits a full superblock by joining it', () => {
    const index = indexOf([
      ...settlement({ members: SLOTS, ...london, firstId: FIRST_ID }),
      ...settlement({ members: SLOTS, ...paris, firstId: 1 }),
    ]);
    expect(index.superblocks()).toBe(3);
    // The remaining members fill the superblock that they are merged into.
    for (let id = 1; index.superblocks() === 3 && id <= SLOTS; id += 1) {
      index.change(id, { latitude: 51.51, longitude: -0.09 });
    }
    expect(index.superblocks()).toBeGreaterThan(3);
    expect(index.faults()).toEqual([]);
  });

  it('is counted correctly on every level, near or far, with other gender and interests', () => {
    const cities = [london, paris, { latitude: -33.87, longitude: 151.2 }, { latitude: 0, longitude: 0 }];
    const everybody = cities.flatMap((city, at) =>
      settlement({ members: 3_200, ...city, firstId: FIRST_ID - 6_400 + 3_200 * at }),
    );
    const index = indexOf(everybody);
    const { heap } = index.parts;
    expect(levelOf(heap, read(heap, state.root))).toBe(2);
    const closeTo = (at: number) => {
      const { latitude, longitude } = everybody[at] as IndexedMember;
      return { latitude: latitude + 0.000_1, longitude };
    };
    const asSomebodyElse: readonly Partial<IndexedMember>[] = [
      {},
      { interests: [3, 99, 4_000_000_000] },
      { gender: 'Non-binary' },
      { gender: 'Female', interests: [] },
    ];
    for (const other of asSomebodyElse) {
      const [here, neighbour, abroad] = [0, 1_200, 9_000].map((at) => {
        index.change(FIRST_ID, { ...closeTo(at), ...other });
        return index.slotOf(FIRST_ID);
      }) as [Whereabouts, Whereabouts, Whereabouts];
      expect(neighbour.superblock).not.toBe(here.superblock);
      expect(neighbour.node).toBe(here.node);
      expect(abroad.node).not.toBe(neighbour.node);
      expect(index.faults()).toEqual([]);
    }
  });

  it('is found on the other side of the date line and at a pole', () => {
    const [west, east] = [179.968, -180].map((longitude, at) =>
      settlement({ members: 1_500, latitude: -16.8, longitude, firstId: FIRST_ID + 1_500 * at }),
    ) as [IndexedMember[], IndexedMember[]];
    const index = indexOf([...west, ...east]);
    for (const place of [
      { latitude: -16.75, longitude: -179.999 },
      { latitude: -16.75, longitude: -180 },
      { latitude: -16.75, longitude: 180 },
      { latitude: 90, longitude: 180 },
      { latitude: -90, longitude: -180 },
    ]) {
      index.change(southWest, place);
      expect(index.faults()).toEqual([]);
    }
  });

  it('removes a superblock by leaving it as the last, and nobody is lost', () => {
    const index = indexOf([
      ...settlement({ members: 700, ...london, firstId: FIRST_ID }),
      ...settlement({ members: 700, ...paris, firstId: 1 }),
    ]);
    expect(index.superblocks()).toBe(2);
    for (let id = 1; id <= 700; id += 1) {
      index.change(id, { latitude: 51.51, longitude: -0.09 });
      if (id % 100 === 0) expect(index.faults()).toEqual([]);
    }
  });

  it('causes superblocks with few members to be merged', () => {
    const crowd = settlement({ members: 3_000, ...london, firstId: FIRST_ID });
    const index = indexOf(crowd);
    const stay = crowd.filter((_, at) => at % 5 === 0).map(({ memberId }) => memberId);
    const theirs = () => new Set(stay.map((id) => index.slotOf(id).superblock)).size;
    expect(theirs()).toBeGreaterThan(3);
    crowd.forEach(({ memberId }, at) => {
      if (at % 5 !== 0) index.change(memberId, { latitude: -33.87, longitude: 151.21 });
    });
    expect(theirs()).toBeLessThan(4);
    expect(index.faults()).toEqual([]);
  });

  it('is not confused with another who has the same lower half of the id and the same place in the id map', () => {
    const [first] = settlement({ members: 1, ...london, firstId: 5 }) as [IndexedMember];
    const index = indexOf([first, { ...first, ...paris, memberId: 4_738_731_906_957_317 }]);
    index.change(5, { interests: [7] });
    expect(index.parts.heap.u32[state.members]).toBe(2);
    expect(index.faults()).toEqual([]);
    index.remove(5);
    expect(index.faults()).toEqual([]);
  });
});

describe('members who move, change and leave', () => {
  it.each([
    { interests: 8, members: 1_500 },
    { interests: 400, members: 2_500 },
  ])(
    'leave no fault in the index, with $interests interests',
    ({ interests, members }) => {
      const world = createWorld(11, interests);
      const { chance } = world;
      const idFor = (number: number) => (number % 2 === 0 ? number : 2 ** 40 + number);
      const randomId = () => idFor(1 + chance.below(members));
      const index = indexOf(Array.from({ length: members }, (_, at) => randomMember(world, idFor(at + 1))));
      for (let change = 1; change <= runs(1_000, 100_000); change += 1) {
        const member = randomMember(world, randomId());
        const kind = chance.weighted({ step: 12, jump: 3, other: 4, both: 4, leave: 3, come: 3 });
        const before = index.member(member.memberId) ?? member;
        if (kind === 'leave') index.remove(member.memberId);
        else if (kind === 'come') index.put(member);
        else if (kind === 'jump') index.put({ ...before, ...randomPlace(world) });
        else if (kind === 'other')
          index.put({ ...member, latitude: before.latitude, longitude: before.longitude });
        else index.put({ ...(kind === 'both' ? member : before), ...randomStep(world, before, 0.05) });
        if (change % 200 === 0) expect(index.faults()).toEqual([]);
      }
      expect(index.faults()).toEqual([]);
    },
    runs(60_000, 1_800_000),
  );
});

describe('a removed member', () => {
  it.each([
    ['from a superblock', 0],
    ['after superblocks were split, united and rebuilt', 3_000],
  ])('leaves neither position nor id behind in memory: %s', (_, others) => {
    const place = { latitude: 47.123_457, longitude: 8.765_431 };
    const member = { memberId: 1_234_567_891, ...place, gender: 'Female' as const, interests: [1] };
    const index = indexOf([member]);
    const neighbours = settlement({ members: others, latitude: 47.1, longitude: 8.76, firstId: 1 });
    for (const neighbour of neighbours) index.put(neighbour);
    for (const { memberId } of neighbours) index.remove(memberId);
    index.change(member.memberId, { latitude: 47.123_456 });
    index.remove(member.memberId);
    const traces = [47_123_457, 47_123_456, 8_765_431, member.memberId];
    const { heap } = index.parts;
    expect(traces.filter((trace) => heap.i32.includes(trace, SCRATCH_WORDS))).toEqual([]);
  });
});
