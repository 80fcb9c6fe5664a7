import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@offer-ads/testing/logger';
import { runs } from '@offer-ads/testing/profile';
import { testNamespace } from '@offer-ads/testing/stores/broker';
import { createEmptyDatabase, type TestDatabase } from '@offer-ads/testing/stores/database';
import { startTcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { on } from '../src/messaging/broker/broker.ts';
import { recordInInbox } from '../src/messaging/inbox.ts';
import { addToOutbox, startOutboxRelay } from '../src/messaging/outbox.ts';
import { migrate } from '../src/postgres/migrations.ts';
import { openPostgres, type Postgres } from '../src/postgres/postgres.ts';
import { createMetrics } from '../src/telemetry/metrics.ts';
import { Counted, connectTestBroker, counted } from './test-events.ts';

const settings = { logger: silentLogger, metrics: createMetrics('offers') };
/** What a store that is too slow leads to is a matter of postgres.int.test.ts. */
const patient = { ...settings, statementTimeoutMs: 60_000 };

describe('from outbox to inbox', () => {
  let database: TestDatabase;
  let postgres: Postgres;
  const resources = new AsyncDisposableStack();
  beforeAll(async () => {
    database = await createEmptyDatabase();
    await migrate({ url: database.url, directory: await mkdtemp(join(tmpdir(), 'no-migrations-')) });
    postgres = resources.use(await openPostgres({ url: database.url, ...patient }));
    await postgres.query('CREATE TABLE effects (count bigint NOT NULL)');
  });
  afterAll(async () => {
    await resources.disposeAsync();
    await database.dispose();
  });

  it('every event takes effect exactly once, however often the broker goes away meanwhile', async () => {
    const corner = testNamespace();
    const publishing = resources.use(await startTcpProxy(corner.url));
    const consuming = resources.use(await startTcpProxy(corner.url));
    const offers = resources.use(await connectTestBroker({ ...corner, url: publishing.url }, 'offers'));
    const billing = resources.use(await connectTestBroker({ ...corner, url: consuming.url }, 'billing'));
    await billing.consume([
      on(Counted, ({ id, data }) =>
        postgres.transaction(async (tx) => {
          if (await recordInInbox(tx, id)) await tx.query('INSERT INTO effects VALUES ($1)', [data.count]);
        }),
      ),
    ]);
    resources.use(startOutboxRelay({ postgres, broker: offers, ...settings }));

    const write = (first: number) =>
      postgres.transaction((tx) => addToOutbox(tx, [first, first + 1, first + 2].map(counted)));
    const outages = runs(4, 40);
    for (let outage = 0; outage < outages; outage += 1) {
      const wire = outage % 2 === 0 ? publishing : consuming;
      const broker = outage % 2 === 0 ? offers : billing;
      for (let batch = 0; batch < 20; batch += 1) {
        await write(outage * 60 + batch * 3);
        if (batch === 5) wire.cut();
        if (batch === 10) wire.takeDown();
      }
      wire.bringBack();
      await eventually(() => expect(broker.connected()).toBe(true));
    }

    const written = Array.from({ length: outages * 60 }, (_, index) => BigInt(index));
    await eventually(async () => {
      const effects = await postgres.query<{ count: bigint }>('SELECT count FROM effects ORDER BY count');
      expect(effects.map(({ count }) => count)).toEqual(written);
      expect(await postgres.query('SELECT 1 FROM outbox')).toEqual([]);
    });
    expect(await billing.parked.list(1)).toEqual([]);
  });
});
