import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@offer-ads/testing/logger';
import { testNamespace } from '@offer-ads/testing/stores/broker';
import { pgbouncerProgram, startTestPgbouncer } from '@offer-ads/testing/stores/pgbouncer';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { createDeadline } from '../src/calls/deadline.ts';
import { on } from '../src/messaging/broker/broker.ts';
import { addToOutbox, startOutboxRelay } from '../src/messaging/outbox.ts';
import { isTooLate, openPostgres, type Postgres } from '../src/postgres/postgres.ts';
import { tryWithLeadership } from '../src/process/loops.ts';
import { createMetrics } from '../src/telemetry/metrics.ts';
import {
  Counted,
  connectTestBroker,
  counted,
  type EventStore,
  openEventStore,
  openPatiently,
  upTo,
} from './test-events.ts';

const settings = { logger: silentLogger, metrics: createMetrics('offers') };
/** Fewer than the statements that these tests run at once. */
const CONNECTIONS = 3;

(pgbouncerProgram === undefined ? describe.skip : describe)('through PgBouncer in transaction mode', () => {
  let store: EventStore;
  let replicas: readonly Postgres[];
  let pgbouncer: string;
  let opened: AsyncDisposableStack;

  beforeAll(async () => {
    opened = new AsyncDisposableStack();
    store = opened.use(await openEventStore());
    ({ address: pgbouncer } = opened.use(
      await startTestPgbouncer({
        statementTimeoutMs: 60_000,
        settings: [`max_db_connections = ${CONNECTIONS}`],
      }),
    ));
    const open = async () => opened.use(await openPatiently(store.url, pgbouncer));
    replicas = [await open(), await open(), await open(), await open()];
    await store.postgres.query('CREATE TABLE coins (id bigint PRIMARY KEY, value bigint NOT NULL)');
  });
  afterAll(() => opened.disposeAsync());

  const anyReplica = (index: number): Postgres => replicas[index % replicas.length]!;

  it('replicas share few connections, and each statement and transaction has its own result', async () => {
    const add = { name: 'add-coin', sql: 'INSERT INTO coins VALUES ($1, $2) RETURNING value' };
    const change = { name: 'change-coin', sql: 'UPDATE coins SET value = value + $2 WHERE id = $1' };
    const results = await Promise.all(
      upTo(200).map(async (id) => {
        const sum = await anyReplica(id).transaction(async (tx) => {
          tx.queryLater(add, [id, 1]);
          tx.queryLater(change, [id, id]);
          const [[coin], [doubled]] = await Promise.all([
            tx.query<{ value: bigint }>('SELECT value FROM coins WHERE id = $1', [id]),
            tx.query<{ twice: bigint }>({ name: 'doubled', sql: 'SELECT $1::bigint * 2 AS twice' }, [id]),
          ]);
          return (coin?.value ?? 0n) + (doubled?.twice ?? 0n);
        });
        const [alone] = await anyReplica(id + 1).query<{ twice: bigint }>(
          { name: 'twice', sql: 'SELECT $1::bigint * 2 AS twice' },
          [sum],
        );
        return alone?.twice;
      }),
    );
    expect(results).toEqual(upTo(200).map((id) => BigInt(2 * (1 + id + 2 * id))));
    const [seen] = await store.postgres.query<{ connections: bigint }>(
      'SELECT count(*) AS connections FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    expect(Number(seen?.connections)).toBeLessThanOrEqual(CONNECTIONS);
  });

  it('a connection is usable after an error, whichever of the statements sent with it were new', async () => {
    await using single = await openPostgres({
      url: store.url,
      pgbouncer,
      ...settings,
      maxConnections: 1,
      statementTimeoutMs: 60_000,
    });
    let reopened = 0;
    single.pool.on('connect', () => {
      reopened += 1;
    });
    const inverse = { name: 'inverse', sql: 'SELECT 60 / $1::int AS inverse' };
    const double = { name: 'double', sql: 'SELECT 2 * $1::int AS double' };
    const both = (of: number) =>
      single.transaction((tx) => Promise.all([tx.query(inverse, [of]), tx.query(double, [of])]));
    await expect(both(0)).rejects.toMatchObject({ code: '22012' });
    expect(await both(2)).toEqual([[{ inverse: 30 }], [{ double: 4 }]]);
    expect(await both(3)).toEqual([[{ inverse: 20 }], [{ double: 6 }]]);
    expect(reopened).toBe(0);
  });

  it('rows are copied', async () => {
    await replicas[0]?.copyIn('COPY coins FROM STDIN', '1001\t1\n1002\t2\n');
    expect(await store.postgres.query('SELECT FROM coins WHERE id > 1000')).toHaveLength(2);
  });

  it('one replica at a time has the leadership, and the next one after its work', async () => {
    const [first, second] = replicas as [Postgres, Postgres];
    await tryWithLeadership(first, 'sweep', async () => {
      // Statements of the work use other connections, and so do those of the other replicas.
      await Promise.all(upTo(10).map((index) => anyReplica(index).query('SELECT 1')));
      expect(await tryWithLeadership(second, 'sweep', async () => {})).toBe(false);
      expect(await tryWithLeadership(first, 'sweep', async () => {})).toBe(false);
    });
    expect(await tryWithLeadership(second, 'sweep', async () => {})).toBe(true);
  });

  it('the events of all replicas are published once and in order of each', async () => {
    await using consuming = new AsyncDisposableStack();
    const corner = testNamespace();
    const received: number[] = [];
    const billing = consuming.use(await connectTestBroker(corner, 'billing'));
    await billing.consume([on(Counted, async (event) => void received.push(event.data.count))]);
    for (const postgres of replicas.slice(0, 2)) {
      const broker = consuming.use(await connectTestBroker(corner, 'offers'));
      consuming.use(startOutboxRelay({ postgres, broker, ...settings }));
    }
    const write = (postgres: Postgres, from: number, to: number) =>
      postgres.transaction((tx) =>
        addToOutbox(
          tx,
          upTo(to - from).map((index) => counted(from + index)),
        ),
      );
    for (let batch = 0; batch < 10; batch += 1) await write(anyReplica(batch), batch * 60, (batch + 1) * 60);
    await eventually(() => expect(received).toEqual(upTo(600)));
  });

  it('a transaction that is idle beyond its deadline is ended, and changes nothing', async () => {
    const late = replicas[0]?.transaction(async (tx) => {
      await tx.query('INSERT INTO coins VALUES (2000, 1)');
      await eventually(async () => {
        const waiting = await store.postgres.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'`,
        );
        expect(waiting).toEqual([]);
      });
      await tx.query('INSERT INTO coins VALUES (2001, 1)');
    }, createDeadline(10));
    expect(isTooLate(await late?.catch((error: unknown) => error))).toBe(true);
    expect(await store.postgres.query('SELECT FROM coins WHERE id >= 2000')).toEqual([]);
  });

  it('a service does not start if PgBouncer lets statements or idle transactions last as long as they like', async () => {
    await using unbound = await startTestPgbouncer({ statementTimeoutMs: 0 });
    const opening = openPatiently(store.url, unbound.address);
    await expect(opening).rejects.toThrow('PgBouncer must set statement_timeout = 60000');
  });

  it('the settings of deploy/k8s/components/pgbouncer/pgbouncer.ini let services start', async () => {
    await using asDeployed = await startTestPgbouncer({});
    await using postgres = await openPostgres({ url: store.url, pgbouncer: asDeployed.address, ...settings });
    expect(await postgres.healthy()).toBe(true);
  });
});
