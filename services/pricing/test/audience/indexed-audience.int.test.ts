/** The index follows MongoDB through outages and losses of history, and restarts from its snapshot. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FINEST_DECIMALS } from '@offer-ads/contracts/audience/coarse-position';
import { type Mongo, openMongo } from '@offer-ads/platform/mongo/mongo';
import { startWhenStoresServe } from '@offer-ads/platform/process/patient-start';
import { createMetrics, type Metrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { testProfile } from '@offer-ads/testing/profile';
import { createTestMongo } from '@offer-ads/testing/stores/mongo';
import { startTcpProxy, type TcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Audience } from '../../src/audience/audience-engine.ts';
import { startIndexedAudience } from '../../src/audience/indexed-audience.ts';
import {
  HistoryLostError,
  type MembersFeed,
  openMembersFeed,
} from '../../src/audience/members-feed-store.ts';
import { readSnapshot } from '../../src/audience/snapshot-file.ts';
import { type MembersStore, openMembersStore } from '../../src/members/members-store.ts';

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

const itWhenLong = testProfile === 'long' ? it : it.skip;

let opened: AsyncDisposableStack;
let wire: TcpProxy;
let mongo: Mongo;
/** A connection that does not go through `wire`. */
let writer: Mongo;
let store: MembersStore;
let feed: MembersFeed;
let metrics: Metrics;
let folder: string;
/** How often the index was built from all members. */
let builds: number;

beforeEach(async () => {
  opened = new AsyncDisposableStack();
  const database = await createTestMongo();
  opened.defer(database.dispose);
  wire = opened.use(await startTcpProxy(database.url));
  metrics = createMetrics('pricing');
  const foundation = { logger: silentLogger, metrics };
  writer = opened.use(await startWhenStoresServe(() => openMongo({ url: database.url, ...foundation })));
  mongo = opened.use(
    await startWhenStoresServe(() => openMongo({ url: wire.url, patient: true, ...foundation })),
  );
  store = openMembersStore(writer.connection);
  const real = openMembersFeed(mongo.connection, metrics);
  builds = 0;
  feed = {
    ...real,
    everybody: () => {
      builds += 1;
      return real.everybody();
    },
  };
  folder = await mkdtemp(join(tmpdir(), 'audience-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
});
afterEach(async () => {
  await opened.disposeAsync();
});

async function start(o: Partial<Parameters<typeof startIndexedAudience>[0]> = {}): Promise<Audience> {
  const audience = opened.use(
    startIndexedAudience({
      feed,
      snapshotFolder: folder,
      positionDecimals: FINEST_DECIMALS,
      logger: silentLogger,
      metrics,
      ...o,
    }),
  );
  await eventually(async () => expect(await audience.waitsFor()).toEqual([]));
  return audience;
}

async function write(...changes: Parameters<MembersStore['write']>[0]): Promise<void> {
  await eventually(() => store.write(changes));
}

/** Waits long, because the index retries MongoDB after growing pauses. */
async function counts(audience: Audience, expected: number, timeoutMs = 60_000): Promise<void> {
  await eventually(async () => expect(await audience.count(everybody)).toBe(expected), { timeoutMs });
}

describe('an index', () => {
  it('reports what it waits for and does not count before it has all members', async () => {
    await write({ facts: fact(1), version: 1 });
    wire.takeDown();
    const audience = opened.use(
      startIndexedAudience({
        feed,
        snapshotFolder: undefined,
        positionDecimals: FINEST_DECIMALS,
        logger: silentLogger,
        metrics,
      }),
    );
    expect(await audience.waitsFor()).toEqual([expect.stringMatching(/^the audience index: /)]);
    await expect(audience.count(everybody)).rejects.toMatchObject({ status: 503 });
    wire.bringBack();
    await eventually(async () => expect(await audience.waitsFor()).toEqual([]));
    expect(await audience.count(everybody)).toBe(1);
  });

  it('continues to count while MongoDB is away, and then applies the changes that it missed', async () => {
    const audience = await start();
    await write({ facts: fact(1), version: 1 }, { facts: fact(2), version: 1 });
    await counts(audience, 2);
    wire.takeDown();
    await write({ removed: 1, version: 2 }, { facts: fact(3), version: 1 }, { facts: fact(4), version: 1 });
    expect(await audience.count(everybody)).toBe(2);
    expect(await audience.waitsFor()).toEqual([]);
    wire.bringBack();
    await counts(audience, 3);
    expect(builds).toBe(1);
  });

  // Only heartbeats of the driver notice this, after about twelve seconds.
  itWhenLong('applies missed changes after MongoDB was silent', async () => {
    const audience = await start();
    wire.freeze();
    await write({ facts: fact(1), version: 1 });
    await counts(audience, 1);
  });

  it('follows changes made by hand, and leaves out unreadable members', async () => {
    const audience = await start();
    await write(...[1, 2, 3, 4].map((id) => ({ facts: fact(id), version: 1 })));
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
    expect(await audience.check?.({ repair: false })).toMatchObject({ ok: true, members: 1, indexed: 1 });
  });

  it('counts everybody when there are more different interests than it can take, and saves no snapshot without them', async () => {
    const withInterest = (id: number) => ({ facts: fact(id, { interests: [id] }), version: 1 });
    await write(...Array.from({ length: 513 }, (_, index) => withInterest(index + 1)));
    const audience = await start();
    expect(await audience.count(everybody)).toBe(513);
    await write(withInterest(514), { facts: fact(515, { interests: [7] }), version: 1 });
    await counts(audience, 515);
    expect(await audience.count({ ...everybody, interests: [513, 514] })).toBe(2);
    expect(await audience.check?.({ repair: true })).toMatchObject({ ok: true, indexed: 515 });
    await audience[Symbol.asyncDispose]();
    const before = builds;
    const again = await start();
    expect(builds).toBe(before + 1);
    expect(await again.count(everybody)).toBe(515);
  });

  it('is rebuilt when the collection of members is another one', async () => {
    const audience = await start();
    await write({ facts: fact(1), version: 1 });
    await counts(audience, 1);
    await writer.connection.collection('members').drop();
    await write({ facts: fact(2), version: 1 }, { facts: fact(3), version: 1 });
    await eventually(() => expect(builds).toBeGreaterThan(1));
    await counts(audience, 2);
    await eventually(async () => expect(await audience.waitsFor()).toEqual([]));
    expect(await audience.check?.({ repair: false })).toMatchObject({ ok: true, members: 2, indexed: 2 });
  });

  /** A feed whose history can be lost, and which then reads nobody before it may. */
  function losingHistory() {
    let isLost = false;
    let asked = 0;
    const mayBuild = Promise.withResolvers<void>();
    const losing: MembersFeed = {
      ...feed,
      follow: (after) => {
        const following = feed.follow(after);
        const next = async () => {
          if (isLost) throw new HistoryLostError('the oplog goes no further back');
          return following.next();
        };
        return { ...following, next };
      },
      takeTurn: (replica) => {
        asked += 1;
        return feed.takeTurn(replica);
      },
      async *everybody() {
        if (isLost) await mayBuild.promise;
        isLost = false;
        yield* feed.everybody();
      },
    };
    const lose = () => {
      isLost = true;
    };
    return { feed: losing, lose, finishBuild: () => mayBuild.resolve(), asked: () => asked };
  }
  const isBuilding = (audience: Audience) =>
    eventually(async () =>
      expect(await audience.waitsFor()).toEqual([expect.stringContaining('built from 0 of')]),
    );

  it('is rebuilt when the history of changes is lost, and counts meanwhile', async () => {
    const one = losingHistory();
    const audience = await start({ feed: one.feed });
    await write({ facts: fact(1), version: 1 });
    await counts(audience, 1);
    one.lose();
    await isBuilding(audience);
    expect(await audience.count(everybody)).toBe(1);
    await write({ facts: fact(2), version: 1 });
    one.finishBuild();
    await counts(audience, 2);
    await eventually(async () => expect(await audience.waitsFor()).toEqual([]));
  });

  it('is rebuilt by one replica after the other; those that wait for their turn are ready and count with the old index', async () => {
    const [one, other] = [losingHistory(), losingHistory()];
    const first = await start({ feed: one.feed, askForTurnEveryMs: 20 });
    const second = await start({ feed: other.feed, snapshotFolder: undefined, askForTurnEveryMs: 20 });
    await write({ facts: fact(1), version: 1 });
    await Promise.all([counts(first, 1), counts(second, 1)]);
    one.lose();
    await isBuilding(first);
    other.lose();
    await eventually(() => expect(other.asked()).toBeGreaterThan(2));
    await write({ facts: fact(2), version: 1 });
    expect([await second.waitsFor(), await second.count(everybody)]).toEqual([[], 1]);
    one.finishBuild();
    await counts(first, 2);
    await isBuilding(second);
    expect(await first.waitsFor()).toEqual([]);
    other.finishBuild();
    await counts(second, 2);
  });

  it('has one replica at a time that builds, until it gives its turn back, stops or no longer asks', async () => {
    expect([await feed.takeTurn('a'), await feed.takeTurn('b'), await feed.takeTurn('a')]).toEqual([
      true,
      false,
      true,
    ]);
    const quarter = openMembersFeed(mongo.connection, createMetrics('pricing'), 6, { number: 0, of: 4 });
    expect(await quarter.takeTurn('b')).toBe(true);
    await feed.giveTurnBack('b');
    expect(await feed.takeTurn('b')).toBe(false);
    await feed.giveTurnBack('a');
    expect([await feed.takeTurn('b'), await feed.takeTurn('a')]).toEqual([true, false]);
    const over = new Date(Date.now() - 1);
    await writer.connection
      .collection('audience_turns')
      .updateOne({ _id: '0/1' as never }, { $set: { until: over } });
    expect(await feed.takeTurn('a')).toBe(true);
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
    const losingChanges: MembersFeed = {
      ...feed,
      follow: (after) => {
        const following = feed.follow(after);
        const next = async () => {
          const change = await following.next();
          return change !== null && 'memberId' in change && change.memberId > 2 ? null : change;
        };
        return { ...following, next };
      },
    };
    const audience = await start({ feed: losingChanges });
    await write(...[1, 2, 3, 4].map((id) => ({ facts: fact(id), version: 1 })));
    await counts(audience, 2);
    expect(await audience.check?.({ repair: false })).toMatchObject({ ok: false, missing: 2 });
    expect(await audience.check?.({ repair: true })).toMatchObject({ ok: true, repaired: 2 });
    expect(await audience.count(everybody)).toBe(4);
  });
});

it('an index is not saved in the middle of a repair, because the snapshot would be inconsistent', async () => {
  let calls = 0;
  let savedMeanwhile: boolean | undefined;
  const writtenAt = async () => {
    const snapshot = await readSnapshot(folder, async () => undefined);
    return 'header' in snapshot && snapshot.header.writtenAt;
  };
  const watched: MembersFeed = {
    ...feed,
    those: async (ids) => {
      calls += 1;
      // The comparison and three repeated comparisons come before the repair.
      if (calls === 5) {
        const before = await writtenAt();
        // If the repair did not block them, several snapshots would be written in this time.
        await pause(1_500);
        savedMeanwhile = (await writtenAt()) !== before;
      }
      return feed.those(ids);
    },
    follow: (after) => {
      const following = feed.follow(after);
      const next = async () => {
        const change = await following.next();
        return change !== null && 'memberId' in change && change.memberId > 1 ? null : change;
      };
      return { ...following, next };
    },
  };
  const audience = await start({ feed: watched, snapshotEveryMs: 0 });
  await write({ facts: fact(1), version: 1 }, { facts: fact(2), version: 1 });
  await counts(audience, 1);
  expect(await audience.check?.({ repair: true })).toMatchObject({ ok: true, repaired: 1 });
  expect(savedMeanwhile).toBe(false);
});

describe('a restart', () => {
  async function stopWith(members: number): Promise<void> {
    const audience = await start();
    await write(...Array.from({ length: members }, (_, index) => ({ facts: fact(index + 1), version: 1 })));
    await counts(audience, members);
    await audience[Symbol.asyncDispose]();
  }

  it('uses the snapshot of the stop, and applies all later changes', async () => {
    await stopWith(3);
    expect(builds).toBe(1);
    await write({ removed: 1, version: 2 }, { facts: fact(9), version: 1 }, { facts: fact(10), version: 1 });
    const audience = await start();
    expect(await audience.count(everybody)).toBe(4);
    expect(builds).toBe(1);
  });

  it('uses the last periodic snapshot when the process was killed', async () => {
    const audience = await start({ snapshotEveryMs: 0 });
    await write({ facts: fact(1), version: 1 });
    await counts(audience, 1);
    await eventually(async () => {
      const isOurs = async () => undefined;
      const snapshot = await readSnapshot(folder, isOurs);
      expect('index' in snapshot && snapshot.index.size().members).toBe(1);
    });
    builds = 0;
    const other = await start();
    expect(await other.count(everybody)).toBe(1);
    expect(builds).toBe(0);
  });

  it('finds nobody in the snapshot who was removed: it is written anew soon after a removal', async () => {
    const audience = await start({ afterRemovalMs: 0 });
    await write({ facts: fact(1), version: 1 }, { facts: fact(2), version: 1 });
    await counts(audience, 2);
    expect(await readSnapshot(folder, async () => undefined)).toEqual({ problem: 'there is none' });
    await write({ removed: 1, version: 2 });
    await eventually(async () => {
      const snapshot = await readSnapshot(folder, async () => undefined);
      expect('index' in snapshot && [...snapshot.index.memberIds()]).toEqual([2]);
    });
  });

  it('uses no snapshot with finer positions than the setting, and replaces it', async () => {
    await stopWith(3);
    const coarse = openMembersFeed(mongo.connection, metrics, 2);
    builds = 0;
    await start({ feed: { ...coarse, everybody: feed.everybody }, positionDecimals: 2 });
    expect(builds).toBe(1);
    await eventually(async () => {
      const snapshot = await readSnapshot(folder, async () => undefined);
      expect('header' in snapshot && snapshot.header.positionDecimals).toBe(2);
    });
  });

  it.each([
    [
      'the collection was made anew',
      async () => {
        await writer.connection.collection('members').drop();
        await write({ facts: fact(7), version: 1 });
      },
      1,
    ],
    [
      // A backup that is older than the snapshot has no such mark.
      'the database is an older one',
      async () => {
        await writer.connection.collection('audience_marks').deleteMany({});
      },
      3,
    ],
    [
      'the file is broken',
      () => writeFile(join(folder, 'audience.snapshot'), 'OFADAUD1 and then nonsense'),
      3,
    ],
  ])('uses no snapshot when %s', async (_, happened, members) => {
    await stopWith(3);
    await happened();
    const audience = await start();
    expect(await audience.count(everybody)).toBe(members);
    expect(builds).toBe(2);
  });
});
