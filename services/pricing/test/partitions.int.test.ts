/** Members counted by several processes: the same prices as by one, also while the number of processes grows. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Target } from '@offer-ads/contracts/audience/target';
import { openMongo } from '@offer-ads/platform/mongo/mongo';
import { startWhenStoresServe } from '@offer-ads/platform/process/patient-start';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { runs } from '@offer-ads/testing/profile';
import { chance } from '@offer-ads/testing/random';
import { createTestMongo } from '@offer-ads/testing/stores/mongo';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { openMembersFeed } from '../src/audience/members-feed-store.ts';
import type { IndexedMember } from '../src/audience-index/audience-index.ts';
import { partitionOf } from '../src/domain/members/partition.ts';
import { openMembersStore } from '../src/members/members-store.ts';
import { countByForce } from './audience/random-world.ts';
import { london } from './people.ts';
import { type PricingUnderTest, type Replica, startPricingUnderTest } from './pricing-under-test.ts';

let pricing: PricingUnderTest;
let folder: string;
const opened = new AsyncDisposableStack();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'audience-'));
  pricing = opened.use(
    await startPricingUnderTest('2026-11-20T18:00:00.000Z', { AUDIENCE_SNAPSHOT_FOLDER: folder }),
  );
});
afterAll(async () => {
  await opened.disposeAsync();
  await rm(folder, { recursive: true, force: true });
});

const sydney = { latitude: -33.87, longitude: 151.21 };
const during = { startAt: '2026-12-01T00:00:00.000Z', endAt: '2026-12-02T00:00:00.000Z' };

type Group = { readonly asking: Replica; readonly partitions: readonly Replica[] };

/** The partitions are whole and current before a process asks them, as in a deployment. */
async function startGroup(of: number): Promise<Group> {
  const partitions = await Promise.all(
    Array.from({ length: of }, (_, number) => pricing.startReplica({ AUDIENCE_PARTITION: { number, of } })),
  );
  const asking = await pricing.startReplica({ AUDIENCE_PARTITIONS: partitions.map(({ url }) => url) });
  return { asking, partitions };
}

async function stop({ asking, partitions }: Group): Promise<void> {
  for (const replica of [asking, ...partitions]) await replica[Symbol.asyncDispose]();
}

async function importBy({ url }: Replica, members: readonly object[]): Promise<void> {
  const body = members.map((member) => `${JSON.stringify(member)}\n`).join('');
  await eventually(async () => {
    const reply = await fetch(`${url}/admin/members/import`, {
      method: 'POST',
      headers: pricing.adminHeaders,
      body,
    });
    expect(await reply.json()).toEqual({ imported: members.length, counted: true });
  });
}

async function countBy({ post }: Pick<Replica, 'post'>, target: Target): Promise<unknown> {
  const { status, body } = await post('/internal/price', { ...target, ...during });
  return status === 200 ? body.matchingUsers : `${status}`;
}

/** Who counts, and the lines of an import that made it so. */
function changingMembers(seed: number) {
  const { below, oneOf } = chance(seed);
  const members = new Map<number, IndexedMember>();
  const change = () => {
    const lines = new Map<number, object>();
    for (let at = 0; at < 150; at += 1) {
      const memberId = 1 + below(500);
      const member = {
        memberId,
        latitude: london.latitude + (below(200) - 100) / 100,
        longitude: london.longitude + (below(200) - 100) / 100,
        gender: oneOf(['Male', 'Female'] as const),
        interests: [1 + below(5)],
      };
      const banned = below(4) === 0;
      const { memberId: member_id, ...facts } = member;
      lines.set(memberId, { member_id, ...facts, active: true, banned });
      // As the service rounds them.
      const round = (degrees: number) => Math.round(degrees * 100) / 100;
      const stored = { ...member, latitude: round(member.latitude), longitude: round(member.longitude) };
      if (banned) members.delete(memberId);
      else members.set(memberId, stored);
    }
    return [...lines.values()];
  };
  const target = (): Target => ({
    latitude: london.latitude + (below(200) - 100) / 100,
    longitude: london.longitude + (below(200) - 100) / 100,
    radiusMiles: 5 + below(26),
    gender: oneOf([[], ['Male' as const]]),
    interests: oneOf([[], [1], [2, 3]]),
  });
  return { members, change, target };
}

it('the counts stay right and never fail while members change and two processes become four', async () => {
  const { members, change, target } = changingMembers(4);
  let group = await startGroup(2);
  const residents = Array.from({ length: 300 }, (_, at) => ({
    member_id: 100_000 + at,
    ...sydney,
    gender: 'Male',
    interests: [],
    active: true,
    banned: false,
  }));
  await importBy(group.asking, residents);

  async function changeAndCompare(): Promise<void> {
    await importBy(group.asking, change());
    for (let question = 0; question < 10; question += 1) {
      const asked = target();
      expect(await countBy(group.asking, asked)).toBe(countByForce(members.values(), asked));
    }
  }
  const done = new AbortController();
  /** Counts of members who do not change, without a pause, by whichever processes are in use. */
  async function countResidents(): Promise<number> {
    let counts = 0;
    for (; !done.signal.aborted; counts += 1)
      expect(await countBy(group.asking, { ...sydney, radiusMiles: 5, gender: [], interests: [] })).toBe(300);
    return counts;
  }
  async function grow(): Promise<void> {
    for (let round = 0; round < runs(2, 20); round += 1) await changeAndCompare();
    const before = group;
    const started = new AbortController();
    const starting = startGroup(4).finally(() => started.abort());
    while (!started.signal.aborted) await changeAndCompare();
    group = await starting;
    for (let round = 0; round < runs(2, 20); round += 1) await changeAndCompare();
    // Requests that the old processes are still answering end first, as a deployment lets them.
    await stop(before);
    for (let round = 0; round < runs(2, 20); round += 1) await changeAndCompare();
  }
  const counting = countResidents();
  await grow().finally(() => done.abort());
  expect(await counting).toBeGreaterThan(10);
  await stop(group);
});

describe('a partition', () => {
  it('reads from MongoDB exactly the members that the hash gives it, whatever the size of their ids', async () => {
    const database = await createTestMongo();
    await using databases = new AsyncDisposableStack();
    databases.defer(database.dispose);
    const metrics = createMetrics('pricing');
    const mongo = databases.use(
      await startWhenStoresServe(() => openMongo({ url: database.url, logger: silentLogger, metrics })),
    );
    const around = [1, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 48_271 * 2 ** 31, Number.MAX_SAFE_INTEGER - 50];
    const ids = [...new Set(around.flatMap((id) => Array.from({ length: 50 }, (_, at) => id + at)))];
    const facts = { ...sydney, gender: 'Male' as const, interests: [], active: true, banned: false };
    const changes = ids.map((memberId) => ({ facts: { ...facts, memberId }, version: 1 }));
    await eventually(() => openMembersStore(mongo.connection).write(changes));
    for (const partitions of [2, 3, 8])
      for (let number = 0; number < partitions; number += 1) {
        const partition = { number, of: partitions };
        const feed = openMembersFeed(mongo.connection, metrics, undefined, partition);
        const read: number[] = [];
        for await (const batch of feed.everybody()) read.push(...batch.map(({ memberId }) => memberId));
        expect(read.toSorted((a, b) => a - b)).toEqual(
          ids.filter((id) => partitionOf(id, partitions) === number).toSorted((a, b) => a - b),
        );
      }
  });

  it('serves no price, starts from a snapshot of its own, and says 503 through the others when it is gone', async () => {
    const group = await startGroup(2);
    const [first, second] = group.partitions as [Replica, Replica];
    const target = { ...sydney, radiusMiles: 5, gender: [], interests: [] };
    expect(await countBy(group.asking, target)).toBe(await countBy(pricing, target));
    for (const path of ['/internal/price', '/offers/price-estimate'])
      expect(await first.post(path, { ...target, ...during })).toMatchObject({ status: 404 });

    await second[Symbol.asyncDispose]();
    expect(await readdir(folder)).toEqual(expect.arrayContaining(['1-of-2']));
    const form = {
      location: [sydney.latitude, sydney.longitude],
      radius: 5,
      start_datetime: during.startAt,
      end_datetime: during.endAt,
    };
    for (const [path, json] of [
      ['/internal/price', { ...target, ...during }],
      ['/offers/price-estimate', form],
    ] as const)
      expect(await group.asking.post(path, json)).toEqual({
        status: 503,
        body: { message: 'Service unavailable' },
      });
    // Made-up members, for organisations without approval, are counted here.
    expect(
      await group.asking.post('/internal/price', { ...target, ...during }, { organisationApproved: false }),
    ).toMatchObject({ status: 200 });
    expect((await fetch(`${group.asking.url}/readyz`)).status).toBe(200);
    await group.asking[Symbol.asyncDispose]();
    await first[Symbol.asyncDispose]();
  });
});
