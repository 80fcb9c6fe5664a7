import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventType } from '@offer-ads/contracts/events/event-declaration';
import { adminToken, testAdminGuard } from '@offer-ads/testing/admin';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { startTestServer } from '@offer-ads/testing/http-server';
import { silentLogger } from '@offer-ads/testing/logger';
import { testNamespace } from '@offer-ads/testing/stores/broker';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { mountRepublishRoute } from '../src/admin/republish-route.ts';
import { type Broker, on } from '../src/messaging/broker/broker.ts';
import { newEvent, type OutgoingEvent } from '../src/messaging/events.ts';
import { addToOutbox } from '../src/messaging/outbox.ts';
import { startOutboxRelay } from '../src/messaging/outbox-relay.ts';
import { REPUBLISH_BATCH, republish, startSentEventsPruning } from '../src/messaging/sent-events.ts';
import type { Postgres } from '../src/postgres/postgres.ts';
import { createMetrics } from '../src/telemetry/metrics.ts';
import { Counted, connectTestBroker, openEventStore, testDeclarations, Unlocked } from './test-events.ts';

const settings = { logger: silentLogger, metrics: createMetrics('offers') };
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000);
// Recent enough to be kept.
const [monday, tuesday, wednesday] = [daysAgo(3), daysAgo(2), daysAgo(1)] as const;
const types = testDeclarations.map(eventType);
const always = { from: monday, to: new Date('2100-01-01'), types };

const store = forAllTests(() => openEventStore());
let postgres: Postgres;
let resources: AsyncDisposableStack;
let offers: Broker;
let relay: ReturnType<typeof startOutboxRelay>;
/** In the order of their arrival. */
let received: { id: string; count: number }[];

beforeAll(async () => {
  postgres = store.postgres;
});
beforeEach(async () => {
  resources = new AsyncDisposableStack();
  const corner = testNamespace();
  offers = resources.use(await connectTestBroker(corner, 'offers'));
  received = [];
  const billing = resources.use(await connectTestBroker(corner, 'billing'));
  await billing.consume([on(Counted, async ({ id, data }) => void received.push({ id, count: data.count }))]);
  relay = resources.use(startOutboxRelay({ postgres, broker: offers, ...settings }));
});
afterEach(async () => {
  await resources.disposeAsync();
  await postgres.query('TRUNCATE outbox, sent_events RESTART IDENTITY');
});

const countedAt = (at: Date, count: number) =>
  newEvent(Counted, { subject: 'test/1', subjectVersion: count, at, data: { count } });

async function send(...events: OutgoingEvent[]): Promise<void> {
  await postgres.transaction((tx) => addToOutbox(tx, events));
  await relay.runNow();
}

const counts = () => received.map(({ count }) => count);

describe('sent events', () => {
  it('of a period are published again with their ids and in their order, and only these, as often as asked', async () => {
    await send(countedAt(monday, 1), countedAt(tuesday, 2), countedAt(tuesday, 3), countedAt(wednesday, 4));
    await eventually(() => expect(counts()).toEqual([1, 2, 3, 4]));
    const first = [...received];
    received.length = 0;
    for (const _time of [1, 2]) {
      expect(await republish(postgres, { from: tuesday, to: wednesday, types })).toMatchObject({
        republished: 2,
      });
      await relay.runNow();
    }
    await eventually(() => expect(counts()).toEqual([2, 3, 2, 3]));
    expect(received.slice(0, 2)).toEqual(first.slice(1, 3));
  });

  it('are published again in parts, and the parts come to an end, though published events are kept again', async () => {
    await postgres.query(
      `INSERT INTO sent_events (position, event, happened_at)
       SELECT n, json_build_object('type', 'offer-ads.offers.Counted.v1'), $1 FROM generate_series(1, $2::int) AS n`,
      [monday, REPUBLISH_BATCH + 1],
    );
    const first = await republish(postgres, always);
    expect(first).toEqual({ republished: REPUBLISH_BATCH, upTo: BigInt(REPUBLISH_BATCH + 1) });
    // The relay does this meanwhile.
    await postgres.query(
      `WITH taken AS (DELETE FROM outbox RETURNING position, event)
       INSERT INTO sent_events SELECT position + 100000, event, $1 FROM taken`,
      [monday],
    );
    expect(await republish(postgres, { ...always, upTo: first.upTo })).toMatchObject({ republished: 1 });
    expect(await republish(postgres, { ...always, upTo: first.upTo })).toMatchObject({ republished: 0 });
  });

  it('of a type that the release does not know are not published again: they would block all later events', async () => {
    await send(countedAt(tuesday, 1));
    await postgres.query(
      `INSERT INTO sent_events (position, event, happened_at)
       VALUES (0, '{"type":"offer-ads.offers.Counted.v0"}', $1)`,
      [tuesday],
    );
    expect(await republish(postgres, always)).toMatchObject({ republished: 1 });
    await relay.runNow();
    await eventually(() => expect(counts()).toEqual([1, 1]));
  });

  it('older than two weeks are not published again: inboxes may not know them any more', async () => {
    await send(countedAt(daysAgo(15), 15), countedAt(daysAgo(13), 13));
    expect(await republish(postgres, { ...always, from: daysAgo(40) })).toMatchObject({ republished: 1 });
  });

  it('do not include events that carry a credential', async () => {
    const secret = 'https://portal.example/sign-in#0123456789abcdef';
    const at = monday;
    await send(
      newEvent(Unlocked, { subject: 'door/1', subjectVersion: 1, at, data: { door: 'a', link: secret } }),
      countedAt(at, 1),
    );
    const kept = await postgres.query<{ event: OutgoingEvent }>('SELECT event FROM sent_events');
    expect(kept.map(({ event }) => event.type)).toEqual(['offer-ads.offers.Counted.v1']);
  });

  it('are not kept before the broker has confirmed them', async () => {
    const failing = { ...offers, publisher: () => () => Promise.reject(new Error('not confirmed')) };
    await relay[Symbol.asyncDispose]();
    const other = resources.use(startOutboxRelay({ postgres, broker: failing, ...settings }));
    await postgres.transaction((tx) => addToOutbox(tx, [countedAt(monday, 1)]));
    await expect(other.runNow()).rejects.toThrow('not confirmed');
    expect(await postgres.query('SELECT FROM sent_events')).toEqual([]);
    expect(await postgres.query('SELECT FROM outbox')).toHaveLength(1);
  });

  it('are removed two weeks after they happened', async () => {
    await send(countedAt(daysAgo(15), 15), countedAt(daysAgo(13), 13));
    await using pruning = startSentEventsPruning({ postgres, ...settings });
    await pruning.runNow();
    expect(await postgres.query("SELECT event->'data'->'count' AS count FROM sent_events")).toEqual([
      { count: 13 },
    ]);
  });
});

it('the admin route publishes a period again, and refuses a caller without the credential or without a time', async () => {
  await using server = await startTestServer((app) =>
    mountRepublishRoute(app, { postgres, broker: offers, admin: testAdminGuard() }),
  );
  const ask = async (body: object, token = adminToken) => {
    const response = await fetch(`${server.url}/admin/events/republish`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: await response.json() };
  };
  await send(countedAt(monday, 1), countedAt(wednesday, 2));
  const { body } = await ask({ from: tuesday.toISOString() });
  expect(body).toEqual({ republished: 1, upTo: expect.stringMatching(/^\d+$/) });
  expect(await ask({ from: tuesday.toISOString(), upTo: (body as { upTo: string }).upTo })).toEqual({
    status: 200,
    body: { ...(body as object), republished: 0 },
  });
  await eventually(() => expect(counts()).toEqual([1, 2, 2]));
  expect((await ask({ from: 'yesterday' })).status).toBe(400);
  expect((await ask({ from: tuesday.toISOString() }, 'another token')).status).toBe(401);
});
