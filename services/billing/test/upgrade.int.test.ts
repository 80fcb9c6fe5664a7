import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { migrate } from '@offer-ads/platform/postgres/migrations';
import { openPostgres, type Postgres } from '@offer-ads/platform/postgres/postgres';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { createEmptyDatabase } from '@offer-ads/testing/stores/database';
import { changeCheckout, findByPayToken, takeOutlived } from '../src/checkouts/checkouts-store.ts';
import { renewed, sessionExpired } from '../src/domain/payments/checkout.ts';
import { STORE_PATIENCE_MS } from './billing-under-test.ts';

const migrations = fileURLToPath(new URL('../migrations', import.meta.url));
const FIRST_WITH_TOP_UPS = '0008';

const started = new AsyncDisposableStack();
let postgres: Postgres;
beforeAll(async () => {
  const database = await createEmptyDatabase();
  started.defer(database.dispose);
  const before = await mkdtemp(join(tmpdir(), 'earlier-migrations-'));
  started.defer(() => rm(before, { recursive: true }));
  for (const file of await readdir(migrations)) {
    if (file < FIRST_WITH_TOP_UPS) await cp(join(migrations, file), join(before, file));
  }
  await migrate({ url: database.url, directory: before });
  const metrics = createMetrics('billing');
  postgres = started.use(
    await openPostgres({
      url: database.url,
      logger: silentLogger,
      metrics,
      maxConnections: 5,
      statementTimeoutMs: STORE_PATIENCE_MS,
    }),
  );
  await postgres.query(
    `INSERT INTO offer_payments
       (offer_id, organisation_id, mode, currency, title, net_minor, vat_minor, payment_method, state, pay_token, offer_expiry_at)
     VALUES (7, 1, 'TEST', 'GBP', 'Two for one', 1000, 200, 'E', 'open', 'token-of-an-open-one', '2026-06-10T12:00:00Z')`,
  );
  await postgres.query(
    `INSERT INTO checkout_sessions (offer_id, generation, session_id, url, begun_at, expires_at, next_check_at)
     VALUES (7, 1, 'cs_test_1', 'https://pay.example/1', '2026-06-01T12:00:00Z', '2026-06-02T11:55:00Z', '2026-06-01T12:05:00Z')`,
  );
  await migrate({ url: database.url, directory: migrations });
});
afterAll(() => started.disposeAsync());

it('a checkout that was open before top-ups came goes on: its link, its next generation, its closing', async () => {
  const payment = await findByPayToken(postgres, 'token-of-an-open-one');
  expect(payment).toMatchObject({
    purchase: { kind: 'offer', offerId: 7 },
    checkout: { state: 'open', session: { generation: 1, sessionId: 'cs_test_1' }, paidAt: null },
  });
  const now = new Date('2026-06-02T12:00:00Z');
  const next = await changeCheckout({ postgres, clock: { now: () => now } }, payment!, (checkout) =>
    renewed(sessionExpired(checkout, 1), now),
  );
  expect(next.checkout).toMatchObject({ state: 'opening', session: { generation: 2 } });
  const outlivedAt = (at: Date) => takeOutlived(postgres, { modes: ['TEST', 'LIVE'], now: at, limit: 50 });
  expect(await outlivedAt(now)).toEqual([]);
  const outlived = await outlivedAt(new Date('2026-06-10T12:00:00Z'));
  expect(outlived.map(({ purchase }) => purchase)).toEqual([{ kind: 'offer', offerId: 7 }]);
});

it('and code from before works beside it', async () => {
  await postgres.query(
    `INSERT INTO checkout_sessions (offer_id, generation, begun_at, expires_at) VALUES (7, 3, now(), now())
     ON CONFLICT (offer_id, generation) DO UPDATE SET url = excluded.url`,
  );
  expect((await findByPayToken(postgres, 'token-of-an-open-one'))?.checkout.session.generation).toBe(3);
});
