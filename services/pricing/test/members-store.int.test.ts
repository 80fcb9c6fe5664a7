import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { MemberFacts } from '@offer-ads/contracts/community-events';
import { createMetrics } from '@offer-ads/platform/metrics';
import { type Mongo, openMongo } from '@offer-ads/platform/mongo';
import { silentLogger } from '@offer-ads/testing/logger';
import { createTestMongo, type TestMongo } from '@offer-ads/testing/mongo';
import { runs } from '@offer-ads/testing/profile';
import { randomNumbers } from '@offer-ads/testing/random';
import { generateMembers } from '../src/domain/generated-members.ts';
import type { Target } from '../src/domain/target.ts';
import { type MembersStore, openMembersStore } from '../src/members-store.ts';
import { distanceMetres, travelled } from './sphere.ts';

let database: TestMongo;
let mongo: Mongo;
let store: MembersStore;

beforeAll(async () => {
  database = await createTestMongo();
  mongo = await openMongo({ url: database.url, logger: silentLogger, metrics: createMetrics('pricing') });
  store = openMembersStore(mongo.connection);
});
afterAll(async () => {
  await mongo[Symbol.asyncDispose]();
  await database.dispose();
});
beforeEach(async () => {
  await mongo.connection.collection('members').drop();
  await store.prepare();
});

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

function change(facts: Partial<MemberFacts>, version: number): Promise<void> {
  return store.change({ facts: { memberId: 1, ...anybody, ...facts }, version });
}

function stored(): Promise<readonly object[]> {
  return mongo.connection.collection('members').find().toArray();
}

describe('the audience counted on MongoDB', () => {
  /** Where formulas for distances go wrong: the dateline, the poles, the equator; and where people live. */
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
  const genders = ['Male', 'Female', 'Non-binary'] as const;

  it('equals brute force, also across the dateline and over the poles', async () => {
    const random = randomNumbers(20_261_120);
    const pick = <T>(from: readonly T[]) => from[Math.floor(random() * from.length)]!;
    const members = Array.from({ length: runs(1_500, 20_000) }, (_, index) => ({
      memberId: index + 1,
      ...travelled(pick(places), 360 * random(), 45 * METRES_PER_MILE * Math.sqrt(random())),
      gender: pick(genders),
      interests: [1, 2, 3, 4, 5].filter(() => random() < 0.3),
      active: random() < 0.9,
      banned: random() < 0.1,
    }));
    await store.load(members.map((facts) => ({ facts, version: 1 })));

    /**
     * On the very edge the two formulas may differ in their last bits, which are nanometres. Nobody lives within a
     * centimetre of an edge here, so that the counts must be equal.
     */
    const isOnEdge = (metres: number, radiusMetres: number) => Math.abs(metres - radiusMetres) < 0.01;
    let counted = 0;
    for (let query = 0; query < runs(60, 2_000); query += 1) {
      const centre = travelled(pick(places), 360 * random(), 10 * METRES_PER_MILE * random());
      const radiusMiles = 5 + Math.floor(26 * random());
      const gender = genders.filter(() => random() < 0.25);
      const interests = [1, 2, 3, 4, 5].filter(() => random() < 0.2);
      const radiusMetres = radiusMiles * METRES_PER_MILE;
      const distances = members.map((member) => distanceMetres(centre, member));
      if (distances.some((metres) => isOnEdge(metres, radiusMetres))) continue;

      const expected = members.filter(
        (member, index) =>
          member.active &&
          !member.banned &&
          distances[index]! <= radiusMetres &&
          (gender.length === 0 || gender.includes(member.gender)) &&
          (interests.length === 0 || interests.some((id) => member.interests.includes(id))),
      ).length;
      expect(await store.count({ ...centre, radiusMiles, gender, interests })).toBe(expected);
      counted += expected;
    }
    expect(counted).toBeGreaterThan(0);
  }, 600_000);

  it('has its edge where the radius ends, to the centimetre', async () => {
    const random = randomNumbers(7);
    for (const [index, centre] of places.entries()) {
      for (const radiusMiles of [5, 17, 30]) {
        const bearing = 360 * random();
        const edge = radiusMiles * METRES_PER_MILE;
        const target = { ...centre, radiusMiles, ...everybody };
        await mongo.connection.collection('members').deleteMany({});
        await change({ memberId: 2 * index + 1, ...travelled(centre, bearing, edge - 0.01) }, 1);
        expect(await store.count(target)).toBe(1);
        await change({ memberId: 2 * index + 2, ...travelled(centre, bearing, edge + 0.01) }, 1);
        expect(await store.count(target)).toBe(1);
      }
    }
  });

  it('is answered by the index, which holds only those who count', async () => {
    await store.load([...generateMembers({ count: 2_000, seed: 1 })].map((facts) => ({ facts, version: 1 })));
    const plan = await mongo.connection
      .collection('members')
      .find({
        active: true,
        banned: false,
        position: { $geoWithin: { $centerSphere: [[-0.1278, 51.5074], 0.0025] } },
      })
      .explain('executionStats');
    expect(JSON.stringify(plan.queryPlanner)).toContain('"indexName":"audience"');
    expect(plan.executionStats.totalDocsExamined).toBeLessThan(500);
  });
});

describe('a member', () => {
  it('is counted as last changed: place, gender, interests, activity and ban', async () => {
    await change({}, 1);
    expect(await store.count(aroundHere)).toBe(1);
    await change({ latitude: 52.5 }, 2);
    expect(await store.count(aroundHere)).toBe(0);
    await change({ gender: 'Male', interests: [9] }, 3);
    expect(await store.count({ ...aroundHere, gender: ['Female'] })).toBe(0);
    expect(await store.count({ ...aroundHere, interests: [1, 9] })).toBe(1);
    await change({ active: false }, 4);
    expect(await store.count(aroundHere)).toBe(0);
    await change({ banned: true }, 5);
    expect(await store.count(aroundHere)).toBe(0);
    await change({}, 6);
    expect(await store.count(aroundHere)).toBe(1);
  });

  it('is not changed by an older change, nor by another one of the same version', async () => {
    await change({}, 5);
    const asStored = await stored();
    await change({ banned: true }, 4);
    await change({ banned: true }, 5);
    expect(await stored()).toEqual(asStored);
  });

  it('ends as the newest change says, in whatever order and however often changes come', async () => {
    const random = randomNumbers(3);
    const versions = Array.from({ length: 40 }, (_, index) => 1 + (index % 20));
    const shuffled = versions.toSorted(() => random() - 0.5);
    await Promise.all(
      shuffled.map((version) => change({ banned: version < 20, interests: [version] }, version)),
    );
    expect(await stored()).toEqual([
      expect.objectContaining({ version: 20, banned: false, interests: [20] }),
    ]);
  });

  it('that is removed leaves nothing but id and version', async () => {
    await change({}, 1);
    await store.remove(1, 2);
    expect(await stored()).toEqual([{ _id: 1, version: 2 }]);
    expect(await store.count(aroundHere)).toBe(0);
  });

  it('that is removed does not come back by a change from before, but by one from after', async () => {
    await store.remove(1, 5);
    await change({}, 4);
    expect(await stored()).toEqual([{ _id: 1, version: 5 }]);
    await change({}, 6);
    expect(await store.count(aroundHere)).toBe(1);
  });

  it('is not removed by a removal that is older than what is stored', async () => {
    await change({}, 5);
    await store.remove(1, 4);
    expect(await store.count(aroundHere)).toBe(1);
  });
});

describe('loading many members', () => {
  const line = (memberId: number, facts: Partial<MemberFacts> = {}) => ({ ...anybody, memberId, ...facts });

  it('stores the new and replaces the known, the newer ones only', async () => {
    await change({ memberId: 1 }, 5);
    await change({ memberId: 2 }, 5);
    await store.load([
      { facts: line(1, { banned: true }), version: 6 },
      { facts: line(2, { banned: true }), version: 4 },
      { facts: line(3), version: 1 },
    ]);
    expect(await stored()).toMatchObject([
      { _id: 1, banned: true, version: 6 },
      { _id: 2, banned: false, version: 5 },
      { _id: 3, banned: false, version: 1 },
    ]);
  });

  it('without versions replaces whatever is stored, and the last line of a member wins', async () => {
    await change({ memberId: 1 }, 9_000);
    await store.remove(2, 9_000);
    const version = { atLeast: 1_000 };
    await store.load([
      { facts: line(1, { banned: true }), version },
      { facts: line(2), version },
      { facts: line(3, { banned: true }), version },
      { facts: line(3), version },
    ]);
    expect(await stored()).toMatchObject([
      { _id: 1, banned: true, version: 9_001 },
      { _id: 2, banned: false, version: 9_001 },
      { _id: 3, banned: false, version: 1_001 },
    ]);
  });
});
