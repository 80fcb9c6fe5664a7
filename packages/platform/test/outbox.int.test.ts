import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type EventDeclaration, eventType } from '@offer-ads/contracts/events/event-declaration';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { silentLogger } from '@offer-ads/testing/logger';
import { runs } from '@offer-ads/testing/profile';
import { type TestNamespace, testNamespace } from '@offer-ads/testing/stores/broker';
import { startTcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { type Broker, on } from '../src/messaging/broker/broker.ts';
import { newEvent } from '../src/messaging/events.ts';
import { recordInInbox, startInboxPruning } from '../src/messaging/inbox.ts';
import { addToOutbox } from '../src/messaging/outbox.ts';
import { startOutboxRelay } from '../src/messaging/outbox-relay.ts';
import { type Postgres, sqlOf } from '../src/postgres/postgres.ts';
import { REMOVED_AT_ONCE } from '../src/postgres/removing.ts';
import { tryWithLeadership } from '../src/process/loops.ts';
import { createMetrics } from '../src/telemetry/metrics.ts';
import {
  Counted,
  connectTestBroker,
  counted,
  openEventStore,
  openPatiently,
  Poured,
  testDeclarations,
  upTo,
} from './test-events.ts';

const settings = { logger: silentLogger, metrics: createMetrics('offers') };

const store = forAllTests(() => openEventStore());
let postgres: Postgres;
let corner: TestNamespace;
/** Disposed in reverse order: a client before its proxy. */
let resources: AsyncDisposableStack;

beforeAll(async () => {
  postgres = store.postgres;
});
beforeEach(() => {
  resources = new AsyncDisposableStack();
  corner = testNamespace();
});
afterEach(async () => {
  await resources.disposeAsync();
  await postgres.query('TRUNCATE outbox, inbox, sent_events');
});

async function startRelay(url = corner.url, declarations: readonly EventDeclaration[] = testDeclarations) {
  const broker = resources.use(await connectTestBroker({ ...corner, url }, 'offers', { declarations }));
  return { broker, relay: resources.use(startOutboxRelay({ postgres, broker, ...settings })) };
}

/** Numbers of the received events. */
async function collect(): Promise<number[]> {
  const received: number[] = [];
  const billing: Broker = resources.use(await connectTestBroker(corner, 'billing'));
  await billing.consume([on(Counted, async (event) => void received.push(event.data.count))]);
  return received;
}

const waiting = async () => (await postgres.query('SELECT FROM outbox')).length;
const write = (from: number, to: number) =>
  postgres.transaction((tx) =>
    addToOutbox(
      tx,
      upTo(to - from).map((index) => counted(from + index)),
    ),
  );

describe('the outbox', () => {
  it('publishes nothing of a transaction that was rolled back', async () => {
    const received = await collect();
    const { relay } = await startRelay();
    const undone = postgres.transaction(async (tx) => {
      await addToOutbox(tx, [counted(1)]);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await write(2, 3);
    await eventually(() => expect(received).toEqual([2]));
    await relay.runNow();
    expect(received).toEqual([2]);
  });

  it('publishes an event after its commit, without waiting for the poll', async () => {
    const received = await collect();
    await startRelay();
    await write(0, 1);
    await eventually(() => expect(received).toEqual([0]));
    // Ten polls would take ten seconds.
    await inTime(7_000, async () => {
      for (let round = 0; round < 10; round += 1) {
        const next = received.length;
        await write(next, next + 1);
        await eventually(() => expect(received).toHaveLength(next + 1));
      }
    });
  });

  it('publishes each event once and in order while two relays run', async () => {
    const received = await collect();
    await startRelay();
    await startRelay();
    for (let batch = 0; batch < 20; batch += 1) await write(batch * 60, (batch + 1) * 60);
    await eventually(() => expect(received).toHaveLength(1_200));
    // A relay deletes events only after the broker has confirmed them.
    await eventually(async () => expect(await waiting()).toBe(0));
    expect(received).toEqual(upTo(1_200));
  });

  it('keeps events while the broker is down, and publishes them in order afterwards', async () => {
    const proxy = resources.use(await startTcpProxy(corner.url));
    const received = await collect();
    const { broker } = await startRelay(proxy.url);
    await write(0, 5);
    await eventually(() => expect(received).toHaveLength(5));
    // Otherwise they would be published a second time.
    await eventually(async () => expect(await waiting()).toBe(0));
    proxy.takeDown();
    await eventually(() => expect(broker.connected()).toBe(false));
    await write(5, 700);
    expect(await waiting()).toBe(695);
    proxy.bringBack();
    await eventually(() => expect(received).toEqual(upTo(700)));
    await eventually(async () => expect(await waiting()).toBe(0));
  });

  it('loses nothing when the connection is cut in the middle of a batch', async () => {
    const proxy = resources.use(await startTcpProxy(corner.url));
    const received = await collect();
    await startRelay(proxy.url);
    await write(0, 2_000);
    await eventually(() => expect(received.length).toBeGreaterThan(0));
    proxy.cut();
    await eventually(() => expect(new Set(received)).toEqual(new Set(upTo(2_000))));
    await eventually(async () => expect(await waiting()).toBe(0));
  });

  it('publishes while the step before is being confirmed, and removes nothing before all steps are confirmed', async () => {
    type Step = PromiseWithResolvers<void> & { readonly first: unknown };
    const steps: Step[] = [];
    let unconfirmed = 0;
    let mostUnconfirmed = 0;
    const publish: Broker['publish'] = ([first]) => {
      const step = { ...Promise.withResolvers<void>(), first: first?.data };
      steps.push(step);
      unconfirmed += 1;
      mostUnconfirmed = Math.max(mostUnconfirmed, unconfirmed);
      return step.promise.finally(() => {
        unconfirmed -= 1;
      });
    };
    const broker = {
      connected: () => true,
      publisher: () => publish,
      types: testDeclarations.map(eventType),
      typesWithCredentials: [],
    } as unknown as Broker;
    await write(0, 900);
    resources.use(startOutboxRelay({ postgres, broker, ...settings }));
    await eventually(() => expect(steps).toHaveLength(2));
    steps[0]?.resolve();
    await eventually(() => expect(steps).toHaveLength(3));
    steps[2]?.resolve();
    steps[1]?.reject(new Error('not confirmed'));
    await eventually(() => expect(steps).toHaveLength(5));
    expect(await waiting()).toBe(900);
    const confirmAll = setInterval(() => steps.forEach((step) => step.resolve()), 1);
    await eventually(async () => expect(await waiting()).toBe(0));
    clearInterval(confirmAll);
    expect(steps.map(({ first }) => first)).toEqual(
      [0, 250, 500, 0, 250, 500, 750].map((count) => ({ count })),
    );
    expect(mostUnconfirmed).toBe(2);
  });

  it('finds by its poll the events of a process that ended after its commit', async () => {
    const received = await collect();
    await startRelay();
    const ended = resources.use(await openPatiently(store.url));
    await ended.transaction((tx) => addToOutbox(tx, [counted(0)]));
    await eventually(() => expect(received).toEqual([0]));
  });

  it('leaves events that its release does not know, publishes those behind them, and the others once a release knows them', async () => {
    const received = await collect();
    const pour = (drop: number) =>
      newEvent(Poured, { subject: 'test/1', subjectVersion: drop, at: new Date(), data: { drop } });
    await postgres.transaction((tx) => addToOutbox(tx, [pour(1), counted(0), pour(2), counted(1)]));
    const { relay: old } = await startRelay();
    await eventually(() => expect(received).toEqual([0, 1]));
    await eventually(async () => expect(await waiting()).toBe(2));
    await old[Symbol.asyncDispose]();
    const drops: number[] = [];
    const declarations = [...testDeclarations, Poured];
    const billing = resources.use(await connectTestBroker(corner, 'billing', { declarations }));
    await billing.consume([
      on(Counted, async () => {}),
      on(Poured, async (event) => void drops.push(event.data.drop)),
    ]);
    await startRelay(corner.url, declarations);
    await eventually(() => expect(drops).toEqual([1, 2]));
    await eventually(async () => expect(await waiting()).toBe(0));
    expect(received).toEqual([0, 1]);
  });

  it('sends no NOTIFY: such commits wait for each other, in all databases of the server', async () => {
    const statements: string[] = [];
    await postgres.transaction((tx) => {
      const query: typeof tx.query = (statement, values) => {
        statements.push(sqlOf(statement));
        return tx.query(statement, values);
      };
      return addToOutbox({ ...tx, query }, [counted(0)]);
    });
    expect(await waiting()).toBe(1);
    expect(statements).toHaveLength(1);
    expect(statements.join()).not.toMatch(/notify/i);
  });
});

describe('the inbox', () => {
  it('lets an event that is delivered twice at once take effect once', async () => {
    const { id } = counted(1);
    const handle = () => postgres.transaction((tx) => recordInInbox(tx, id));
    const first = await Promise.all([handle(), handle(), handle()]);
    expect(first.filter(Boolean)).toHaveLength(1);
    expect(await handle()).toBe(false);
  });

  it('does not record an event whose effect was rolled back', async () => {
    const { id } = counted(1);
    const failed = postgres.transaction(async (tx) => {
      await recordInInbox(tx, id);
      throw new Error('effect failed');
    });
    await expect(failed).rejects.toThrow('effect failed');
    expect(await postgres.transaction((tx) => recordInInbox(tx, id))).toBe(true);
  });

  it('removes all records older than a month in one run, by an index', async () => {
    await postgres.query(
      `INSERT INTO inbox SELECT gen_random_uuid(), now() - interval '31 days' FROM generate_series(0, $1)`,
      [REMOVED_AT_ONCE],
    );
    await postgres.query("INSERT INTO inbox VALUES (gen_random_uuid(), now() - interval '29 days')");
    await using pruning = startInboxPruning({ postgres, ...settings });
    await postgres.transaction(async (tx) => {
      await tx.query('SELECT FROM inbox LIMIT 1 FOR UPDATE');
      // It does not wait for a locked record, so that no deadlock is possible.
      await pruning.runNow();
    });
    await pruning.runNow();
    expect(await postgres.query('SELECT FROM inbox')).toHaveLength(1);
    const indexes = await postgres.query(
      "SELECT indexname FROM pg_indexes WHERE tablename = 'inbox' ORDER BY 1",
    );
    expect(indexes.map(({ indexname }) => indexname)).toEqual(['inbox_by_time', 'inbox_pkey']);
  });
});

it('from outbox to inbox every event takes effect exactly once, however often the broker is down', async () => {
  await postgres.query('CREATE TABLE effects (count bigint NOT NULL)');
  const proxies = [
    resources.use(await startTcpProxy(corner.url)),
    resources.use(await startTcpProxy(corner.url)),
  ] as const;
  const { broker: offers } = await startRelay(proxies[0].url);
  const billing = resources.use(await connectTestBroker({ ...corner, url: proxies[1].url }, 'billing'));
  await billing.consume([
    on(Counted, ({ id, data }) =>
      postgres.transaction(async (tx) => {
        if (await recordInInbox(tx, id)) await tx.query('INSERT INTO effects VALUES ($1)', [data.count]);
      }),
    ),
  ]);

  const outages = runs(4, 40);
  for (let outage = 0; outage < outages; outage += 1) {
    const [proxy, broker] = outage % 2 === 0 ? [proxies[0], offers] : [proxies[1], billing];
    for (let batch = 0; batch < 20; batch += 1) {
      const first = outage * 60 + batch * 3;
      await write(first, first + 3);
      if (batch === 5) proxy.cut();
      if (batch === 10) proxy.takeDown();
    }
    proxy.bringBack();
    await eventually(() => expect(broker.connected()).toBe(true));
  }

  await eventually(async () => {
    const effects = await postgres.query<{ count: bigint }>('SELECT count FROM effects ORDER BY count');
    expect(effects.map(({ count }) => Number(count))).toEqual(upTo(outages * 60));
    expect(await waiting()).toBe(0);
  });
  expect(await billing.parked.list(1)).toEqual([]);
});

describe('tryWithLeadership', () => {
  it('lets one caller at a time do the work', async () => {
    const gate = Promise.withResolvers<void>();
    const leader = Promise.withResolvers<void>();
    const first = tryWithLeadership(postgres, 'sweep', async () => {
      leader.resolve();
      await gate.promise;
    });
    await leader.promise;
    expect(await tryWithLeadership(postgres, 'sweep', async () => {})).toBe(false);
    expect(await tryWithLeadership(postgres, 'other', async () => {})).toBe(true);
    gate.resolve();
    expect(await first).toBe(true);
  });

  it('keeps no snapshot while the work runs, for which vacuum and the detaching of partitions would wait', async () => {
    let kept: unknown;
    await tryWithLeadership(postgres, 'sweep', async () => {
      kept = await postgres.query(
        `SELECT state, query FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
           AND state = 'idle in transaction' AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)`,
      );
    });
    expect(kept).toEqual([]);
  });

  it('releases the lock when the work fails', async () => {
    const failing = tryWithLeadership(postgres, 'sweep', () => Promise.reject(new Error('sweep failed')));
    await expect(failing).rejects.toThrow('sweep failed');
    expect(await tryWithLeadership(postgres, 'sweep', async () => {})).toBe(true);
  });
});
