/** Both engines count the same: each test runs on both. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { coarsePosition } from '@offer-ads/contracts/audience/coarse-position';
import { greatCircleMetres } from '@offer-ads/contracts/audience/great-circle';
import { isTargeted, type Target } from '@offer-ads/contracts/audience/target';
import type { MemberFacts } from '@offer-ads/contracts/events/community';
import { runs } from '@offer-ads/testing/profile';
import { chance, randomNumbers } from '@offer-ads/testing/random';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { MemberChange } from '../../src/members/members-store.ts';
import { type AudienceUnderTest, firstOf, openAudienceUnderTest } from './audience-under-test.ts';
import { travelled } from './sphere.ts';

const METRES_PER_MILE = 1609.344;
const everybody = { gender: [], interests: [] } as const;
const here = { latitude: 51.5, longitude: -0.12 };
const anybody: Omit<MemberFacts, 'memberId'> = {
  ...here,
  gender: 'Female',
  interests: [1, 2],
  active: true,
  banned: false,
};
const aroundHere: Target = { ...here, radiusMiles: 5, ...everybody };
const genders = ['Male', 'Female', 'Non-binary'] as const;

/** Cities, and places where formulas for distances often fail: the dateline, the poles, the equator. */
const places = [
  here,
  { latitude: 40.7128, longitude: -74.006 },
  { latitude: -16.8, longitude: 179.999 },
  { latitude: 65.5, longitude: -179.98 },
  { latitude: 0, longitude: 0.001 },
  { latitude: 89.95, longitude: 12 },
  { latitude: 90, longitude: 0 },
  { latitude: -89.99, longitude: -100 },
  { latitude: -33.87, longitude: 151.21 },
];

/** Applies the rule to every member. */
function bruteForce(members: Iterable<MemberFacts>, target: Target): number {
  return [...members].filter(
    (member) =>
      member.active && !member.banned && isTargeted(target, { ...member, ...coarsePosition(member) }),
  ).length;
}

/**
 * MongoDB takes a member to be in the middle of a cell that is a centimetre wide, so nearer to the edge than this the
 * engines may differ; the grid is exact there, which its own tests show.
 */
const EDGE_METRES = { index: 0.000_1, mongo: 0.02 };

function isOnEdge(members: Iterable<MemberFacts>, target: Target): boolean {
  const edge = target.radiusMiles * METRES_PER_MILE;
  return [...members].some(
    (member) => Math.abs(greatCircleMetres(target, coarsePosition(member)) - edge) < 0.000_1,
  );
}

let random = randomNumbers(20_261_120);
const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)]!;
function randomMember(memberId: number): MemberFacts {
  return {
    memberId,
    ...travelled(pick(places), 360 * random(), 45 * METRES_PER_MILE * Math.sqrt(random())),
    gender: pick(genders),
    interests: [1, 2, 3, 4, 5].filter(() => random() < 0.3),
    active: random() < 0.9,
    banned: random() < 0.1,
  };
}
function randomTarget(): Target {
  return {
    ...travelled(pick(places), 360 * random(), 10 * METRES_PER_MILE * random()),
    radiusMiles: 5 + Math.floor(26 * random()),
    gender: genders.filter(() => random() < 0.25),
    interests: [1, 2, 3, 4, 5].filter(() => random() < 0.2),
  };
}

describe.each(['index', 'mongo'] as const)('the audience counted by the engine "%s"', (engine) => {
  let under: AudienceUnderTest;
  /** Retried, because a count on a busy machine may exceed its deadline. */
  const count = (target: Target) => eventually(() => under.audience.count(target));
  const change = (facts: Partial<MemberFacts>, version: number) =>
    under.write([{ facts: { memberId: 1, ...anybody, ...facts }, version }]);

  beforeAll(async () => {
    under = await openAudienceUnderTest(engine);
  });
  afterAll(async () => {
    await under[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    await under.forgetAll();
    // The same members and targets for both.
    random = randomNumbers(20_261_120);
  });

  it('equals brute force, also across the dateline and over the poles, whatever has changed', async () => {
    const members = new Map<number, MemberFacts>();
    const { below } = chance(7);
    const population = runs(1_500, 20_000);
    let counted = 0;
    for (let version = 1; version <= 4; version += 1) {
      const changes: MemberChange[] = [];
      const touched = new Set<number>();
      for (let n = 0; n < (version === 1 ? population : population / 5); n += 1) {
        const memberId = version === 1 ? n + 1 : 1 + below(population);
        if (touched.has(memberId)) continue;
        touched.add(memberId);
        if (version > 1 && below(4) === 0) {
          members.delete(memberId);
          changes.push({ removed: memberId, version });
        } else {
          const facts = randomMember(memberId);
          members.set(memberId, facts);
          changes.push({ facts, version });
        }
      }
      await under.write(changes);
      for (let query = 0; query < runs(20, 500); query += 1) {
        const target = randomTarget();
        if (isOnEdge(members.values(), target)) continue;
        const expected = bruteForce(members.values(), target);
        expect(await count(target)).toBe(expected);
        counted += expected;
      }
    }
    expect(counted).toBeGreaterThan(0);
  }, 600_000);

  it('includes members exactly up to the radius', async () => {
    const far = places.map((centre, index) => ({
      centre,
      member: {
        memberId: index + 1,
        ...anybody,
        ...coarsePosition(travelled(centre, 360 * random(), 9_000 + 39_000 * random())),
      },
    }));
    await under.write(firstOf(far.map(({ member }) => member)));
    const width = EDGE_METRES[engine];
    for (const { centre, member } of far) {
      const metres = greatCircleMetres(centre, member);
      const at = (edge: number) => count({ ...centre, radiusMiles: edge / METRES_PER_MILE, ...everybody });
      // Members of other places may be inside too, so the difference is compared.
      expect((await at(metres + width)) - (await at(metres - width))).toBe(1);
    }
  });

  it('counts members on both sides of the dateline, on it, and at the poles', async () => {
    const onLine = { latitude: 10, longitude: 180 };
    await under.write(
      firstOf([
        { memberId: 1, ...anybody, latitude: 10, longitude: 179.99 },
        { memberId: 2, ...anybody, latitude: 10, longitude: -179.99 },
        { memberId: 3, ...anybody, ...onLine },
        { memberId: 4, ...anybody, latitude: 10, longitude: -180 },
        { memberId: 5, ...anybody, latitude: 90, longitude: 77 },
        { memberId: 6, ...anybody, latitude: -90, longitude: 0 },
      ]),
    );
    for (const longitude of [180, -180, 179.99, -179.99])
      expect(await count({ ...aroundHere, ...onLine, longitude })).toBe(4);
    for (const longitude of [-180, 0, 12.3, 180]) {
      expect(await count({ ...aroundHere, latitude: 90, longitude })).toBe(1);
      expect(await count({ ...aroundHere, latitude: -89.95, longitude })).toBe(1);
    }
  });

  it('counts a member as last changed: place, gender, interests, activity and ban', async () => {
    await change({}, 1);
    expect(await count(aroundHere)).toBe(1);
    await change({ latitude: 52.5 }, 2);
    expect(await count(aroundHere)).toBe(0);
    await change({ gender: 'Male', interests: [9] }, 3);
    expect(await count({ ...aroundHere, gender: ['Female'] })).toBe(0);
    expect(await count({ ...aroundHere, gender: ['Female', 'Male'] })).toBe(1);
    expect(await count({ ...aroundHere, interests: [1, 9] })).toBe(1);
    expect(await count({ ...aroundHere, interests: [1, 2] })).toBe(0);
    await change({ active: false }, 4);
    expect(await count(aroundHere)).toBe(0);
    await change({ banned: true }, 5);
    expect(await count(aroundHere)).toBe(0);
    await change({}, 6);
    expect(await count(aroundHere)).toBe(1);
    await under.write([{ removed: 1, version: 7 }]);
    expect(await count(aroundHere)).toBe(0);
    await change({}, 8);
    expect(await count(aroundHere)).toBe(1);
  });

  it('counts members with 512 interests, and targets of 512 interests', async () => {
    const all = Array.from({ length: 512 }, (_, index) => index + 1);
    await under.write(
      firstOf([
        { memberId: 2 ** 53 - 1, ...anybody, interests: all },
        { memberId: 2, ...anybody, interests: [512] },
        { memberId: 3, ...anybody, interests: [] },
      ]),
    );
    expect(await count({ ...aroundHere, interests: all })).toBe(2);
    expect(await count({ ...aroundHere, interests: [511] })).toBe(1);
    expect(await count(aroundHere)).toBe(3);
  });
});
