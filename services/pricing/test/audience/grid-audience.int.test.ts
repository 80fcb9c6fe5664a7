/** The audience in memory follows MongoDB through outages and losses of history, and counts while grids are built. */
import { setImmediate as afterOtherWork, setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import { createMetrics, type Metrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { testProfile } from '@offer-ads/testing/profile';
import type { TcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import mongoose from 'mongoose';
import type { Audience } from '../../src/audience/audience.ts';
import { buildInThread } from '../../src/audience/build-in-thread.ts';
import {
  type BuildGrid,
  type GridAudienceOptions,
  startGridAudience,
} from '../../src/audience/grid-audience.ts';
import {
  type Change,
  type Following,
  HistoryLostError,
  type MembersFeed,
  openMembersFeed,
} from '../../src/audience/members-feed-store.ts';
import { type MembersStore, openMembersStore } from '../../src/members/members-store.ts';
import { openMongoUnderTest } from '../mongo-under-test.ts';

const london = { latitude: 51.5, longitude: -0.12 };
const everybody = { ...london, radiusMiles: 30, gender: [], interests: [] };
const fact = (memberId: number, changes: object = {}) => ({
  memberId,
  ...london,
  gender: 'Female' as const,
  interests: [1],
  active: true,
  banned: false,
  ...changes,
});
const first = (...ids: number[]) => ids.map((id) => ({ facts: fact(id), version: 1 }));

const itWhenLong = testProfile === 'long' ? it : it.skip;

let opened: AsyncDisposableStack;
let wire: TcpProxy;
/** A connection that does not go through `wire`. */
let writer: Mongo;
let store: MembersStore;
let feed: MembersFeed;
let metrics: Metrics;
/** What each grid was built from. */
let builds: ('mongo' | 'older')[];
let build: BuildGrid;

beforeEach(async () => {
  opened = new AsyncDisposableStack();
  metrics = createMetrics('pricing');
  const database = opened.use(await openMongoUnderTest(metrics));
  wire = database.wire;
  writer = await database.connect();
  const { connection } = await database.connect({ url: wire.url, patient: true });
  store = openMembersStore(writer.connection);
  feed = openMembersFeed(connection, () => {});
  builds = [];
  build = (from, o) => {
    builds.push(from === 'mongo' ? 'mongo' : 'older');
    return from === 'mongo'
      ? buildInThread({ mongoUrl: wire.url }, [], o)
      : buildInThread({ older: from.older }, from.changed, o);
  };
});
afterEach(async () => {
  await opened.disposeAsync();
});

function startAtOnce(o: Partial<GridAudienceOptions> = {}): Audience {
  return opened.use(startGridAudience({ feed, build, logger: silentLogger, metrics, ...o }));
}

async function start(o: Partial<GridAudienceOptions> = {}): Promise<Audience> {
  const audience = startAtOnce(o);
  await eventually(async () => expect(await audience.waitsFor()).toEqual([]));
  return audience;
}

/** The feed, but what follows changes gets them in another way. */
function feedThat(next: (following: Following) => Promise<Change | null>): MembersFeed {
  return {
    ...feed,
    follow: (after) => {
      const following = feed.follow(after);
      return { ...following, next: () => next(following) };
    },
  };
}

async function write(...changes: Parameters<MembersStore['write']>[0]): Promise<void> {
  await eventually(() => store.write(changes));
}

/** Waits long, because MongoDB is tried again after growing pauses. */
async function counts(audience: Audience, expected: number, timeoutMs = 60_000): Promise<void> {
  await eventually(async () => expect(await audience.count(everybody)).toBe(expected), { timeoutMs });
}

async function metric(name: string): Promise<number | undefined> {
  const line = (await metrics.registry.metrics()).split('\n').find((each) => each.startsWith(name));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}

describe('an audience', () => {
  it('continues to count while MongoDB is away, and then applies the changes that it missed', async () => {
    const audience = await start();
    await write(...first(1, 2));
    await counts(audience, 2);
    wire.takeDown();
    await write({ removed: 1, version: 2 }, ...first(3, 4));
    expect(await audience.count(everybody)).toBe(2);
    expect(await audience.waitsFor()).toEqual([]);
    wire.bringBack();
    await counts(audience, 3);
    expect(builds).toEqual(['mongo']);
  });

  it('is read from a MongoDB that answers slowly, counts at once, and follows it', async () => {
    await write(...first(...Array.from({ length: 3_000 }, (_, index) => index + 1)));
    wire.slowDown(300);
    const audience = await start();
    expect(await audience.count(everybody)).toBe(3_000);
    await write(...first(3_001));
    expect(await Promise.race([audience.count(everybody), afterOtherWork('asked MongoDB')])).toBe(3_000);
    await counts(audience, 3_001);
    expect(builds).toEqual(['mongo']);
  });

  // Only heartbeats of the driver notice this, after about twelve seconds.
  itWhenLong('applies missed changes after MongoDB was silent', async () => {
    const audience = await start();
    wire.freeze();
    await write(...first(1));
    await counts(audience, 1);
  });

  it('reports what it waits for and does not count before all members are read, also when MongoDB was away meanwhile', async () => {
    await write(...first(1, 2));
    const started = Promise.withResolvers<void>();
    const audience = startAtOnce({
      build: (from, o) => {
        if (builds.length === 0) wire.takeDown();
        started.resolve();
        return build(from, o);
      },
    });
    await started.promise;
    await eventually(async () => expect(await metric('audience_builds_failed_total')).toBeGreaterThan(0));
    expect(await audience.waitsFor()).toEqual([expect.stringMatching(/^the members: /)]);
    await expect(audience.count(everybody)).rejects.toMatchObject({ status: 503 });
    wire.bringBack();
    await eventually(async () => expect(await audience.waitsFor()).toEqual([]), { timeoutMs: 60_000 });
    expect(await audience.count(everybody)).toBe(2);
  });

  it('says that it waits for memory when there is too little, and reads again', async () => {
    await write(...first(1));
    let isShort = true;
    const audience = startAtOnce({
      build: async (from, o) => {
        if (isShort) throw new RangeError('Array buffer allocation failed');
        return build(from, o);
      },
    });
    await eventually(async () => expect(String(await audience.waitsFor())).toMatch(/memory/));
    isShort = false;
    await counts(audience, 1);
  });

  it('follows changes made by hand, and leaves out unreadable members', async () => {
    const audience = await start();
    await write(...first(1, 2, 3, 4));
    await counts(audience, 4);
    const members = writer.connection.collection<{ _id: number }>('members');
    await members.updateOne({ _id: 1 }, { $set: { banned: true } });
    await members.deleteOne({ _id: 2 });
    await members.updateOne({ _id: 3 }, { $set: { gender: 'Dragon' } });
    await members.updateOne({ _id: 4 }, { $set: { 'position.coordinates': [-0.12, 51.6] } });
    await eventually(async () =>
      expect(await audience.count({ ...everybody, latitude: 51.6, radiusMiles: 5 })).toBe(1),
    );
    await counts(audience, 1);
    expect(await audience.check?.({ repair: false })).toMatchObject({ ok: true, members: 1, counted: 1 });
    expect(await metric('audience_unreadable_members_total')).toBe(1);
  });

  it('is read from documents made by hand, whatever type their numbers have, without the unreadable ones', async () => {
    const { Double, Int32, Long } = mongoose.mongo.BSON;
    const place = { type: 'Point', coordinates: [new Double(-0.12), new Double(51.5)] };
    const usual = { position: place, gender: 'Male', interests: [1, 2], active: true, banned: false };
    const members = writer.connection.collection<{ _id: object; [field: string]: unknown }>('members');
    await members.insertMany([
      { ...usual, _id: new Int32(1) },
      { ...usual, _id: Long.fromString('5000000000'), interests: [new Double(3), Long.fromInt(2)] },
      {
        ...usual,
        _id: new Int32(3),
        position: { type: 'Point', coordinates: [new Int32(0), new Int32(51)] },
      },
      { ...usual, _id: new Int32(4), gender: 'Drôle' },
      { ...usual, _id: new Int32(5), interests: [true] },
      { ...usual, _id: new Int32(6), position: [place, place] },
      { ...usual, _id: new Int32(7), interests: null },
    ]);
    const audience = await start();
    await counts(audience, 2);
    expect(await audience.count({ ...everybody, interests: [3] })).toBe(1);
    expect(await audience.count({ ...everybody, latitude: 51, longitude: 0, radiusMiles: 5 })).toBe(1);
    expect(await metric('audience_unreadable_members_total')).toBe(4);
  });

  it('is read anew when the collection of members is another one', async () => {
    const audience = await start();
    await write(...first(1));
    await counts(audience, 1);
    await writer.connection.collection('members').drop();
    await write(...first(2, 3));
    await eventually(() => expect(builds).toEqual(['mongo', 'mongo']));
    await counts(audience, 2);
    expect(await audience.check?.({ repair: false })).toMatchObject({ ok: true, members: 2, counted: 2 });
  });

  it('is read anew when the history of changes is lost, and counts and stays ready meanwhile', async () => {
    let isLost = false;
    const mayBuild = Promise.withResolvers<void>();
    const audience = await start({
      feed: feedThat(async (following) => {
        if (!isLost) return following.next();
        isLost = false;
        throw new HistoryLostError('the oplog goes no further back');
      }),
      build: async (from, o) => {
        if (builds.length === 1) await mayBuild.promise;
        return build(from, o);
      },
    });
    await write(...first(1));
    await counts(audience, 1);
    isLost = true;
    await eventually(() => expect(isLost).toBe(false));
    await write(...first(2));
    expect([await audience.count(everybody), await audience.waitsFor()]).toEqual([1, []]);
    mayBuild.resolve();
    await counts(audience, 2);
  });

  it('learns from MongoDB that the history of changes is lost', async () => {
    const stream = writer.connection.db!.collection('members').watch();
    const event = stream.next();
    // The stream opens without a notice, so members are written until it sees one.
    for (let version = 1, told = false; !told; version += 1) {
      await write({ facts: fact(1), version });
      told = await Promise.race([event.then(() => true), pause(50, false)]);
    }
    const { _data: token } = (await event)._id as { _data: string };
    await stream.close();
    // A token one second before the event, where the stream has no event.
    const seconds = (Number.parseInt(token.slice(2, 10), 16) - 1).toString(16).padStart(8, '0');
    const nowhere = `${token.slice(0, 2)}${seconds.toUpperCase()}${token.slice(10)}`;
    const following = feed.follow(JSON.stringify({ _data: nowhere }));
    await expect(following.next()).rejects.toBeInstanceOf(HistoryLostError);
    await following.close();
  });

  it('is repaired by a check with repair when changes were lost', async () => {
    const losingChanges = feedThat(async (following) => {
      const change = await following.next();
      return change !== null && 'memberId' in change && change.memberId > 2 ? null : change;
    });
    const audience = await start({ feed: losingChanges });
    await write(...first(1, 2, 3, 4));
    await counts(audience, 2);
    const check = (repair: boolean) => audience.check?.({ repair });
    const differs = { members: 4, counted: 2, targets: 100, differing: expect.any(Number) };
    expect(await check(false)).toEqual({ ...differs, ok: false, repaired: false });
    expect(await audience.count(everybody)).toBe(2);
    expect(await check(true)).toEqual({ ...differs, ok: true, repaired: true });
    expect(await audience.count(everybody)).toBe(4);
    expect(await check(true)).toMatchObject({ ok: true, counted: 4, differing: 0, repaired: false });
  });
});

describe('the next grid', () => {
  const soon = { changes: 3, lookEveryMs: 20 };

  it.each([
    ['is built in a thread when there are many changes', soon],
    [
      'is built when the oldest change is old, so that no place of a removed member is kept',
      { ageMs: 10, lookEveryMs: 20 },
    ],
  ])('%s, and has them all', async (_, nextGrid) => {
    await write(...first(1, 2, 3));
    const audience = await start({ nextGrid });
    await write({ removed: 1, version: 2 }, { facts: fact(2, { latitude: 10 }), version: 2 }, ...first(4, 5));
    await counts(audience, 3);
    await eventually(() => expect(builds).toContain('older'));
    await eventually(async () => expect(await metric('audience_index_changes')).toBe(0));
    expect(await audience.check?.({ repair: false })).toMatchObject({ ok: true, members: 4, counted: 4 });
  });

  it('is tried again when its thread dies; the old one and all changes count meanwhile', async () => {
    let deaths = 0;
    const audience = await start({
      nextGrid: soon,
      build: (from, o) => {
        if (from === 'mongo' || deaths === 2) return build(from, o);
        deaths += 1;
        // The thread cannot read this.
        const broken = { ...from.older, ids: undefined } as unknown as typeof from.older;
        return buildInThread({ older: broken }, from.changed, o);
      },
    });
    await write(...first(1, 2, 3, 4));
    await counts(audience, 4);
    await eventually(() => expect(deaths).toBe(2));
    await write(...first(5));
    await counts(audience, 5);
    expect(await audience.waitsFor()).toEqual([]);
    await eventually(async () => expect(await metric('audience_index_changes')).toBe(0));
    expect([await audience.count(everybody), await metric('audience_builds_failed_total')]).toEqual([5, 2]);
  });

  it('is missed for long: then changes wait in MongoDB, and none is lost', async () => {
    const mayBuild = Promise.withResolvers<void>();
    const audience = await start({
      nextGrid: { ...soon, mostChanges: 5 },
      build: async (from, o) => {
        if (from !== 'mongo') await mayBuild.promise;
        return build(from, o);
      },
    });
    await write(...first(1, 2, 3, 4, 5));
    await counts(audience, 5);
    await write(...first(6, 7));
    await pause(100);
    expect(await audience.count(everybody)).toBe(5);
    mayBuild.resolve();
    await counts(audience, 7);
  });
});
