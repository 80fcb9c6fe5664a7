/** Members and the spending of privacy budgets as MongoDB keeps them. */
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { MemberFacts } from '@offer-ads/contracts/events/community';
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import { startWhenStoresServe } from '@offer-ads/platform/process/start-when-stores-serve';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { silentLogger } from '@offer-ads/testing/logger';
import { randomNumbers } from '@offer-ads/testing/random';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { openAudience } from '../src/audience/open-audience.ts';
import type { MemberDocument } from '../src/members/member-document.ts';
import { type MembersStore, openMembersStore } from '../src/members/members-store.ts';
import { openSpendingStore } from '../src/privacy-budget/spending-store.ts';
import { openMongoUnderTest } from './mongo-under-test.ts';

const database = forAllTests(() => openMongoUnderTest());
let mongo: Mongo;
let store: MembersStore;
const members = () => mongo.connection.collection<MemberDocument>('members');

beforeAll(async () => {
  mongo = await database.connect();
  const real = openMembersStore(mongo.connection);
  // Retried, because a read on a busy machine may exceed its deadline; writes are safe to repeat.
  store = { write: (changes) => eventually(() => real.write(changes)) };
});
beforeEach(async () => {
  await members().deleteMany({});
});

const here = { latitude: 51.5, longitude: -0.12 };
const anybody: Omit<MemberFacts, 'memberId'> = {
  ...here,
  gender: 'Female',
  interests: [1, 2],
  active: true,
  banned: false,
};

function change(facts: Partial<MemberFacts>, version: number): Promise<number> {
  return store.write([{ facts: { memberId: 1, ...anybody, ...facts }, version }]);
}

function remove(memberId: number, version: number): Promise<number> {
  return store.write([{ removed: memberId, version }]);
}

function stored(): Promise<readonly object[]> {
  return members().find().toArray();
}

describe('a member', () => {
  it('does not change by an older change or removal, or another one of the same version', async () => {
    await change({}, 5);
    const asStored = await stored();
    await change({ banned: true }, 4);
    await change({ banned: true }, 5);
    await remove(1, 4);
    expect(await stored()).toEqual(asStored);
  });

  it('ends as the newest change says, for concurrent and repeated changes in any order', async () => {
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

  it('leaves only id, version and time after a removal, and comes back by a newer change only', async () => {
    await change({}, 4);
    await remove(1, 5);
    await change({}, 4);
    expect(await stored()).toEqual([{ _id: 1, version: 5, removedAt: expect.any(Date) }]);
    await change({}, 6);
    expect(await stored()).toEqual([expect.objectContaining({ _id: 1, version: 6, banned: false })]);
    expect((await stored())[0]).not.toHaveProperty('removedAt');
  });
});

it('several changes of one member in one batch end as one after the other would', async () => {
  const random = randomNumbers(11);
  for (let round = 0; round < 20; round += 1) {
    const changes = Array.from({ length: 12 }, (_, index) => {
      const memberId = 1 + Math.floor(random() * 2);
      const version = Math.floor(random() * 40);
      if (random() < 0.2) return { removed: memberId, version };
      return {
        facts: { memberId, ...anybody, interests: [1 + index] },
        version: random() < 0.2 ? { atLeast: version } : version,
      };
    });
    await members().deleteMany({});
    for (const one of changes) await store.write([one]);
    // Removals differ only in their time.
    const withoutTime = async () =>
      (await stored()).map((one) => Object.assign(one, { removedAt: 'removedAt' in one }));
    const oneByOne = await withoutTime();
    await members().deleteMany({});
    await store.write(changes);
    const byId = (a: object, b: object) => Number('_id' in a && a._id) - Number('_id' in b && b._id);
    expect((await withoutTime()).toSorted(byId)).toEqual(oneByOne.toSorted(byId));
  }
});

it('positions are never written finer than two decimals, and longitude first', async () => {
  await change({ latitude: 51.507351, longitude: -0.127758 }, 1);
  expect((await members().findOne({ _id: 1 }))?.position?.coordinates).toEqual([-0.13, 51.51]);
});

it('tombstones expire after 90 days', async () => {
  const foundation = { logger: silentLogger, metrics: createMetrics('pricing') };
  await using _audience = await startWhenStoresServe(() =>
    openAudience({ engine: 'mongo', mongo, mongoUrl: database.url, ...foundation }),
  );
  const expiry = { key: { removedAt: 1 }, expireAfterSeconds: 90 * 86_400 };
  await eventually(async () =>
    expect(await members().indexes()).toContainEqual(expect.objectContaining(expiry)),
  );
});

it('spending of privacy budgets is summed for the day and for the 29 days before it', async () => {
  const spending = await openSpendingStore(mongo.connection);
  await spending.add('2026-10-21', [{ id: 'organisation 1', spent: 1 }]);
  await spending.add('2026-10-22', [{ id: 'organisation 1', spent: 2 }]);
  await spending.add('2026-11-19', [{ id: 'organisation 1', spent: 4 }]);
  await spending.add('2026-11-19', [{ id: 'organisation 1', spent: 8 }]);
  await spending.add('2026-11-20', [
    { id: 'organisation 1', spent: 16 },
    { id: 'person m', spent: 32 },
  ]);
  const ids = ['organisation 1', 'person m', 'network a'];
  expect(await spending.before('2026-11-20', ids)).toEqual([{ id: 'organisation 1', spent: 14 }]);
  expect(await spending.totals('2026-11-20', ids)).toEqual(
    expect.arrayContaining([
      { id: 'organisation 1', spent: 16 },
      { id: 'person m', spent: 32 },
    ]),
  );
});
