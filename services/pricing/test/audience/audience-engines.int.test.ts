/** Both engines count the same: each test runs on both. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { greatCircleMetres } from '@offer-ads/contracts/audience/great-circle';
import type { Target } from '@offer-ads/contracts/audience/target';
import type { MemberFacts } from '@offer-ads/contracts/events/community';
import { runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { MemberChange } from '../../src/members/members-store.ts';
import { type AudienceUnderTest, openAudienceUnderTest } from './audience-under-test.ts';
import { countByForce, createWorld, randomMember, randomTarget, type World } from './random-world.ts';

const METRES_PER_MILE = 1609.344;
const everybody = { gender: [], interests: [] } as const;
const here = { latitude: 51.5, longitude: -0.12 };
const aroundHere: Target = { ...here, radiusMiles: 5, ...everybody };
const anybody = { ...here, gender: 'Female', active: true, banned: false } as const;
/** The first version of members who differ from anybody. */
const firstOf = (members: readonly (Partial<MemberFacts> & { memberId: number })[]): MemberChange[] =>
  members.map((facts) => ({ facts: { ...anybody, interests: [1, 2], ...facts }, version: 1 }));

/**
 * MongoDB takes a member to be in the middle of a cell that is a centimetre wide, so nearer to the edge than this the
 * engines may differ; the grid is exact there, which its own tests show.
 */
const EDGE_METRES = { index: 0.000_1, mongo: 0.02 };

function isEstimate({ radiusMiles }: Target): boolean {
  return radiusMiles >= 5 && radiusMiles <= 30;
}

function randomFacts(world: World, memberId: number): MemberFacts {
  const { below } = world.chance;
  const member = randomMember(world, memberId);
  const interests = [...new Set(member.interests)];
  return { ...member, interests, active: below(10) > 0, banned: below(10) === 0 };
}

describe.each(['index', 'mongo'] as const)('the audience counted by the engine "%s"', (engine) => {
  let under: AudienceUnderTest;
  /** Retried, because a count on a busy machine may exceed its deadline. */
  const count = (target: Target) => eventually(() => under.audience.count(target));
  const width = EDGE_METRES[engine];

  beforeAll(async () => {
    under = await openAudienceUnderTest(engine);
  });
  afterAll(() => under[Symbol.asyncDispose]());
  beforeEach(() => under.forgetAll());

  it('equals brute force, also across the dateline and over the poles, whatever has changed', async () => {
    const world = createWorld(20_261_120, 5);
    const { below } = world.chance;
    const members = new Map<number, MemberFacts>();
    const population = runs(1_500, 20_000);
    let counted = 0;
    for (let version = 1; version <= 4; version += 1) {
      const changes = new Map<number, MemberChange>();
      for (let n = 1; n <= (version === 1 ? population : population / 5); n += 1) {
        const memberId = version === 1 ? n : 1 + below(population);
        if (changes.has(memberId)) continue;
        const isRemoved = version > 1 && below(4) === 0;
        const facts = randomFacts(world, memberId);
        members.set(memberId, isRemoved ? { ...facts, active: false } : facts);
        changes.set(memberId, isRemoved ? { removed: memberId, version } : { facts, version });
      }
      await under.write([...changes.values()]);
      const counting = [...members.values()].filter(({ active, banned }) => active && !banned);
      for (let query = 0; query < runs(30, 500); query += 1) {
        const target = randomTarget(world, world.chance.oneOf(counting));
        const edge = target.radiusMiles * METRES_PER_MILE;
        const isOnEdge = counting.some((each) => Math.abs(greatCircleMetres(target, each) - edge) < width);
        if (!isEstimate(target) || isOnEdge) continue;
        const expected = countByForce(counting, target);
        expect([target, await count(target)]).toEqual([target, expected]);
        counted += expected;
      }
    }
    expect(counted).toBeGreaterThan(0);
  }, 600_000);

  it('includes members exactly up to the radius', async () => {
    const world = createWorld(7, 5);
    const pairs = Array.from({ length: 3_000 }, (_, n) => {
      const member = randomMember(world, n + 1);
      const centre = randomTarget(world, undefined);
      return { member, centre, metres: greatCircleMetres(centre, member) };
    })
      .filter(({ metres }) => isEstimate({ ...aroundHere, radiusMiles: metres / METRES_PER_MILE }))
      .slice(0, 20);
    expect(pairs).toHaveLength(20);
    await under.write(firstOf(pairs.map(({ member }) => ({ ...member, interests: [1] }))));
    for (const { centre, metres } of pairs) {
      const at = (edge: number) => count({ ...centre, radiusMiles: edge / METRES_PER_MILE, ...everybody });
      // The poles, and both sides of the dateline, are one place under several coordinates.
      const distances = pairs.map(({ member }) => greatCircleMetres(centre, member));
      const there = distances.filter((each) => Math.abs(each - metres) < width).length;
      // Members of other places may be inside too, so the difference is compared.
      expect((await at(metres + width)) - (await at(metres - width))).toBe(there);
    }
  });

  it('counts members on both sides of the dateline, on it, and at the poles', async () => {
    await under.write(
      firstOf([
        { memberId: 1, latitude: 10, longitude: 179.99 },
        { memberId: 2, latitude: 10, longitude: -179.99 },
        { memberId: 3, latitude: 10, longitude: 180 },
        { memberId: 4, latitude: 10, longitude: -180 },
        { memberId: 5, latitude: 90, longitude: 77 },
        { memberId: 6, latitude: -90, longitude: 0 },
      ]),
    );
    for (const longitude of [180, -180, 179.99, -179.99])
      expect(await count({ ...aroundHere, latitude: 10, longitude })).toBe(4);
    for (const longitude of [-180, 0, 12.3, 180]) {
      expect(await count({ ...aroundHere, latitude: 90, longitude })).toBe(1);
      expect(await count({ ...aroundHere, latitude: -89.95, longitude })).toBe(1);
    }
  });

  it('counts members with 512 interests, and targets of 512 interests', async () => {
    const all = Array.from({ length: 512 }, (_, index) => index + 1);
    await under.write(
      firstOf([
        { memberId: 2 ** 53 - 1, interests: all },
        { memberId: 2, interests: [512] },
        { memberId: 3, interests: [] },
      ]),
    );
    expect(await count({ ...aroundHere, interests: all })).toBe(2);
    expect(await count({ ...aroundHere, interests: [511] })).toBe(1);
    expect(await count(aroundHere)).toBe(3);
  });

  it('is counted by the 2dsphere index of those who count, where MongoDB counts', async () => {
    const members = under.connection.collection('members');
    const uses = async () => {
      const found = await members
        .aggregate([{ $indexStats: {} }, { $match: { name: 'audience' } }])
        .toArray();
      return found.map(({ accesses }) => Number(accesses.ops))[0];
    };
    const before = await uses();
    await count(aroundHere);
    if (engine === 'index') return expect(before).toBeUndefined();
    expect(await uses()).toBeGreaterThan(before ?? Number.NaN);
    const ofThoseWhoCount = { name: 'audience', partialFilterExpression: { active: true, banned: false } };
    expect(await members.indexes()).toContainEqual(expect.objectContaining(ofThoseWhoCount));
  });
});
