import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@offer-ads/testing/logger';
import { testNamespace } from '@offer-ads/testing/stores/broker';
import { createEmptyDatabase, type TestDatabase } from '@offer-ads/testing/stores/database';
import { startTcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { type Broker, on } from '../src/messaging/broker/broker.ts';
import { recordInInbox, startInboxPruning } from '../src/messaging/inbox.ts';
import { addToOutbox, startOutboxRelay } from '../src/messaging/outbox.ts';
import { migrate } from '../src/postgres/migrations.ts';
import { openPostgres, type Postgres, sqlOf } from '../src/postgres/postgres.ts';
import { REMOVED_AT_ONCE } from '../src/postgres/removing.ts';
import { tryWithLeadership } from '../src/process/loops.ts';
import { createMetrics } from '../src/telemetry/metrics.ts';
import { Counted, connectTestBroker, counted } from './test-events.ts';

const settings = { logger: silentLogger, metrics: createMetrics('offers') };
/** What a store that is too slow leads to is a matter of postgres.int.test.ts. */
const patient = { ...settings, statementTimeoutMs: 60_000 };

let database: TestDatabase;
let postgres: Postgres;
/** Disposed of in reverse order: whoever uses a wire goes before the wire. */
let resources: AsyncDisposableStack;

beforeEach(async () => {
  resources = new AsyncDisposableStack();
  database = await createEmptyDatabase();
  await migrate({ url: database.url, directory: await mkdtemp(join(tmpdir(), 'no-migrations-')) });
  postgres = resources.use(await openPostgres({ url: database.url, ...patient }));
});
afterEach(async () => {
  await resources.disposeAsync();
  await database.dispose();
});

async function waiting(): Promise<number> {
  return (await postgres.query('SELECT 1 FROM outbox')).length;
}

async function collect(billing: Broker): Promise<number[]> {
  const received: number[] = [];
  await billing.consume([on(Counted, async (event) => void received.push(event.data.count))]);
  return received;
}

const write = (from: number, to: number) =>
  postgres.transaction((tx) =>
    addToOutbox(
      tx,
      Array.from({ length: to - from }, (_, index) => counted(from + index)),
    ),
  );
const numbers = (to: number) => Array.from({ length: to }, (_, index) => index);

describe('outbox', () => {
  it('publishes nothing of a transaction that was rolled back', async () => {
    const corner = testNamespace();
    const broker = resources.use(await connectTestBroker(corner, 'offers'));
    const received = await collect(resources.use(await connectTestBroker(corner, 'billing')));
    const relay = resources.use(startOutboxRelay({ postgres, broker, ...settings }));
    const undone = postgres.transaction(async (tx) => {
      await addToOutbox(tx, [counted(1)]);
      throw new Error('undone');
    });
    await expect(undone).rejects.toThrow('undone');
    await write(2, 3);
    await eventually(() => expect(received).toEqual([2]));
    await relay.flush();
    expect(received).toEqual([2]);
  });

  it('is woken by the commit: an event arrives long before the poll', async () => {
    const corner = testNamespace();
    const broker = resources.use(await connectTestBroker(corner, 'offers'));
    const received = await collect(resources.use(await connectTestBroker(corner, 'billing')));
    resources.use(startOutboxRelay({ postgres, broker, ...settings }));
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

  it('publishes each event once and in order with two relays at work', async () => {
    const corner = testNamespace();
    const received = await collect(resources.use(await connectTestBroker(corner, 'billing')));
    for (const _replica of [1, 2]) {
      const broker = resources.use(await connectTestBroker(corner, 'offers'));
      resources.use(startOutboxRelay({ postgres, broker, ...settings }));
    }
    for (let batch = 0; batch < 20; batch += 1) await write(batch * 60, (batch + 1) * 60);
    await eventually(() => expect(received).toHaveLength(1_200));
    // A relay forgets what it has published only once the broker has confirmed it.
    await eventually(async () => expect(await waiting()).toBe(0));
    expect(received).toEqual(numbers(1_200));
  });

  it('keeps what it writes while the broker is down, and catches up when it is back', async () => {
    const corner = testNamespace();
    const wire = resources.use(await startTcpProxy(corner.url));
    const broker = resources.use(await connectTestBroker({ ...corner, url: wire.url }, 'offers'));
    const received = await collect(resources.use(await connectTestBroker(corner, 'billing')));
    const relay = resources.use(startOutboxRelay({ postgres, broker, ...settings }));
    await write(0, 5);
    await eventually(() => expect(received).toHaveLength(5));
    // Else they would be published once more afterwards.
    await eventually(async () => expect(await waiting()).toBe(0));
    wire.takeDown();
    await eventually(() => expect(broker.connected()).toBe(false));
    await write(5, 700);
    await expect(relay.flush()).rejects.toMatchObject({ status: 503 });
    expect(await waiting()).toBe(695);
    wire.bringBack();
    await eventually(() => expect(received).toHaveLength(700));
    expect(received).toEqual(numbers(700));
    await eventually(async () => expect(await waiting()).toBe(0));
  });

  it('loses nothing when the broker connection is cut in the middle of a batch', async () => {
    const corner = testNamespace();
    const wire = resources.use(await startTcpProxy(corner.url));
    const broker = resources.use(await connectTestBroker({ ...corner, url: wire.url }, 'offers'));
    const received = await collect(resources.use(await connectTestBroker(corner, 'billing')));
    resources.use(startOutboxRelay({ postgres, broker, ...settings }));
    await write(0, 2_000);
    await eventually(() => expect(received.length).toBeGreaterThan(0));
    wire.cut();
    await eventually(() => expect(new Set(received)).toEqual(new Set(numbers(2_000))));
    await eventually(async () => expect(await waiting()).toBe(0));
  });

  it('publishes by its poll what a process wrote that died before it woke the relay', async () => {
    const corner = testNamespace();
    const broker = resources.use(await connectTestBroker(corner, 'offers'));
    const received = await collect(resources.use(await connectTestBroker(corner, 'billing')));
    resources.use(startOutboxRelay({ postgres, broker, ...settings }));
    const died = resources.use(await openPostgres({ url: database.url, ...patient }));
    await died.transaction((tx) => addToOutbox(tx, [counted(0)]));
    await eventually(() => expect(received).toEqual([0]));
  });

  it('notifies nobody through the database: such commits wait for each other, in all databases of the server', async () => {
    const statements: string[] = [];
    await postgres.transaction((tx) => {
      const query: typeof tx.query = (statement, values) => {
        statements.push(sqlOf(statement));
        return tx.query(statement, values);
      };
      return addToOutbox({ query }, [counted(0)]);
    });
    expect(await waiting()).toBe(1);
    expect(statements.join()).not.toMatch(/notify/i);
  });
});

describe('inbox', () => {
  it('lets an event that is delivered twice at once take effect once', async () => {
    const { id } = counted(1);
    const handle = () => postgres.transaction((tx) => recordInInbox(tx, id));
    const first = await Promise.all([handle(), handle(), handle()]);
    expect(first.filter(Boolean)).toHaveLength(1);
    expect(await handle()).toBe(false);
  });

  it('remembers nothing of an effect that was rolled back', async () => {
    const { id } = counted(1);
    const failed = postgres.transaction(async (tx) => {
      await recordInInbox(tx, id);
      throw new Error('effect failed');
    });
    await expect(failed).rejects.toThrow('effect failed');
    expect(await postgres.transaction((tx) => recordInInbox(tx, id))).toBe(true);
  });

  it('forgets after a month and not before', async () => {
    await postgres.query(
      `INSERT INTO inbox VALUES (gen_random_uuid(), now() - interval '31 days'),
                                (gen_random_uuid(), now() - interval '29 days')`,
    );
    await using pruning = startInboxPruning({ postgres, ...settings });
    await pruning.runNow();
    expect(await postgres.query('SELECT 1 FROM inbox')).toHaveLength(1);
  });

  it('forgets all that is old in one run, in steps that an index leads to', async () => {
    await postgres.query(
      `INSERT INTO inbox SELECT gen_random_uuid(), now() - interval '31 days' FROM generate_series(0, $1)`,
      [REMOVED_AT_ONCE],
    );
    await using pruning = startInboxPruning({ postgres, ...settings });
    await pruning.runNow();
    expect(await postgres.query('SELECT 1 FROM inbox')).toEqual([]);
    const indexes = await postgres.query(
      "SELECT indexname FROM pg_indexes WHERE tablename = 'inbox' ORDER BY 1",
    );
    expect(indexes.map(({ indexname }) => indexname)).toEqual(['inbox_by_time', 'inbox_pkey']);
  });
});

describe('tryWithLeadership', () => {
  it('lets one at a time do the work, and the next one afterwards', async () => {
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
    expect(await tryWithLeadership(postgres, 'sweep', async () => {})).toBe(true);
  });

  it('gives the lead back when the work fails', async () => {
    const failing = tryWithLeadership(postgres, 'sweep', () => Promise.reject(new Error('sweep failed')));
    await expect(failing).rejects.toThrow('sweep failed');
    expect(await tryWithLeadership(postgres, 'sweep', async () => {})).toBe(true);
  });
});
