/** What nobody waits for ends at once: a count whose caller is gone, and following changes when the service stops. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Target } from '@offer-ads/contracts/audience/target';
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import { callerGone } from '@offer-ads/platform/process/faults';
import { startWhenStoresServe } from '@offer-ads/platform/process/start-when-stores-serve';
import { forAllTests } from '@offer-ads/testing/for-tests';
import type { TcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { AudienceEngine } from '../../src/audience/audience.ts';
import { openMembersFeed } from '../../src/audience/members-feed-store.ts';
import { openMongoAudience } from '../../src/audience/mongo-audience-store.ts';
import { openMongoUnderTest } from '../mongo-under-test.ts';
import { london } from '../people.ts';

const database = forAllTests(() => openMongoUnderTest());
let wire: TcpProxy;
let mongo: Mongo;
let audience: AudienceEngine;

beforeAll(async () => {
  wire = database.wire;
  mongo = await database.connect({ url: wire.url });
  audience = openMongoAudience(mongo.connection);
  await startWhenStoresServe(openMongoAudience(mongo.connection).prepare);
});

const everybody: Target = { ...london, radiusMiles: 30, gender: [], interests: [] };

describe('a count whose caller disconnects', () => {
  it('ends at once although MongoDB does not answer', async () => {
    await eventually(async () => expect(await audience.count(everybody)).toBe(0));
    wire.freeze();
    const caller = new AbortController();
    const startedAt = performance.now();
    const count = audience.count(everybody, createDeadline(25_000, caller.signal).whileAwaited());
    caller.abort(callerGone());
    await expect(count).rejects.toMatchObject({ status: 499 });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    wire.cut();
  });

  it('leaves the connections to other callers, even after 200 such counts', async () => {
    const counts = Array.from({ length: 200 }, () => {
      const caller = new AbortController();
      const count = audience.count(everybody, createDeadline(25_000, caller.signal).whileAwaited());
      caller.abort(callerGone());
      return count;
    });
    for (const outcome of await Promise.allSettled(counts)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { status: 499 } });
    }
    await eventually(async () => expect(await audience.count(everybody, createDeadline(25_000))).toBe(0));
  });
});

describe('following changes', () => {
  it('ends at once when it is closed, although MongoDB does not answer', async () => {
    const feed = openMembersFeed(mongo.connection, () => {});
    const after = await eventually(() => feed.position());
    const following = feed.follow(after);
    expect(await following.next()).toBeNull();
    const reached = following.position();
    wire.freeze();
    const next = following.next();
    void following.close().catch(() => {});
    await expect(next).rejects.toThrow('ended');
    expect(following.position()).toBe(reached);
    wire.cut();
  });
});
