/** The real offers and billing with all that they need to move money. Every connection between them can be cut. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { freePorts } from '@offer-ads/backing/free-port';
import { openPostgres, type Postgres } from '@offer-ads/platform/postgres/postgres';
import { startWhenStoresServe } from '@offer-ads/platform/process/start-when-stores-serve';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import type { Faults } from '@offer-ads/simulators/stripe/faults';
import { startStripeSimulator } from '@offer-ads/simulators/stripe/server';
import { adminToken, adminTokenHashes } from '@offer-ads/testing/admin';
import { testContextSecret } from '@offer-ads/testing/caller';
import { type TestClock, testClock } from '@offer-ads/testing/clock';
import { silentLogger } from '@offer-ads/testing/logger';
import { type TestNamespace, testNamespace } from '@offer-ads/testing/stores/broker';
import { createTestDatabase } from '@offer-ads/testing/stores/database';
import { startTcpProxy, type TcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { type RunningBilling, startBilling } from '../../services/billing/src/service.ts';
import { type Offers, startOffers } from '../../services/offers/src/service.ts';
import { type Restartable, startRestartable } from './restartable.ts';
import { startModeration, startPricing } from './stand-ins.ts';

/** Billing's address in payment links, which is the same after a restart. */
export const publicUrl = 'https://pay.example';
/** Settings that both services have. */
const common = {
  HOST: '127.0.0.1',
  ADMIN_PORT: 0,
  LOG_LEVEL: 'silent',
  ADMIN_TOKEN_HASHES: adminTokenHashes,
  AUDIT_RETENTION_DAYS: 730,
  OFFERS_CONTEXT_SECRET: testContextSecret,
  PRICING_CONTEXT_SECRET: testContextSecret,
  BILLING_CONTEXT_SECRET: testContextSecret,
  MODERATION_CONTEXT_SECRET: testContextSecret,
} as const;

export const stripeKeys = {
  TEST: { secretKey: 'sk_test_simulated', webhookSecret: 'whsec_test_simulated' },
  LIVE: { secretKey: 'sk_live_simulated', webhookSecret: 'whsec_live_simulated' },
};

export type World = AsyncDisposable & {
  readonly clock: TestClock;
  readonly offers: Restartable<Offers>;
  readonly billing: Restartable<RunningBilling>;
  /** Connections from offers to billing, and from billing to the card provider. */
  readonly proxies: { readonly billing: TcpProxy; readonly stripe: TcpProxy };
  /** Connections of the test to the databases. */
  readonly stores: { readonly offers: Postgres; readonly billing: Postgres };
  readonly broker: TestNamespace;
  readonly moderation: { takesMs: number };
  readonly setStripeFaults: (faults: Faults) => Promise<void>;
  /** False when the session can no longer be paid. */
  readonly pay: (sessionId: string) => Promise<boolean>;
  /** File in which the card provider keeps its sessions. */
  readonly stripeState: string;
  readonly admin: (
    service: 'offers' | 'billing',
    method: string,
    path: string,
    json?: object,
  ) => Promise<Response>;
};

export async function startWorld(): Promise<World> {
  await using started = new AsyncDisposableStack();
  const clock = testClock();
  const folder = started.adopt(await mkdtemp(join(tmpdir(), 'money-')), (it) => rm(it, { recursive: true }));
  const broker = started.adopt(testNamespace(), (it) => it.dispose());
  const databases = {
    offers: started.adopt(await createTestDatabase('offers'), (it) => it.dispose()).url,
    billing: started.adopt(await createTestDatabase('billing'), (it) => it.dispose()).url,
  };
  const connect = async (url: string) => {
    const store = started.use(
      await openPostgres({ url, logger: silentLogger, metrics: createMetrics('test') }),
    );
    await keepJournal(store);
    return store;
  };
  const stores = { offers: await connect(databases.offers), billing: await connect(databases.billing) };
  const moderation = { takesMs: 0 };
  const pricingServer = started.use(await startPricing(clock));
  const moderationServer = started.use(await startModeration(clock, () => moderation.takesMs));
  const overrides = { clock, logger: silentLogger, brokerNamespace: broker.namespace };

  // Chosen before the start: the simulator and billing need each other's address, and a restarted service keeps its own.
  const [offersPort, billingPort] = (await freePorts(2)) as [number, number];
  const stripeState = join(folder, 'stripe.ndjson');
  const stripe = started.use(
    await startStripeSimulator({
      webhookUrl: `http://127.0.0.1:${billingPort}/webhooks/stripe`,
      webhookSecrets: { TEST: stripeKeys.TEST.webhookSecret, LIVE: stripeKeys.LIVE.webhookSecret },
      stateFile: stripeState,
      clock,
      firstRetryMs: 20,
      log: () => {},
    }),
  );
  const stripeProxy = started.use(await startTcpProxy(stripe.url));
  const billing = started.use(
    await startRestartable({ databaseUrl: databases.billing, rabbitmqUrl: broker.url }, (at) =>
      startWhenStoresServe(() =>
        startBilling(
          {
            ...common,
            PORT: billingPort,
            BILLING_DATABASE_URL: at.databaseUrl,
            RABBITMQ_URL: at.rabbitmqUrl,
            PUBLIC_URL: publicUrl,
            PORTAL_URL: 'https://ads.example/portal',
            STRIPE_API_URL: stripeProxy.url,
            STRIPE_TEST_SECRET_KEY: stripeKeys.TEST.secretKey,
            STRIPE_TEST_WEBHOOK_SECRET: stripeKeys.TEST.webhookSecret,
            STRIPE_LIVE_SECRET_KEY: stripeKeys.LIVE.secretKey,
            STRIPE_LIVE_WEBHOOK_SECRET: stripeKeys.LIVE.webhookSecret,
            SELLER_NAME: 'Offer Ads Ltd',
            SELLER_ADDRESS: '1 Example Street, London, EC1A 1AA, United Kingdom',
            SELLER_VAT_NUMBER: 'GB 123 4567 89',
          },
          overrides,
        ),
      ),
    ),
  );
  const billingProxy = started.use(await startTcpProxy(billing.running().url));
  const offers = started.use(
    await startRestartable({ databaseUrl: databases.offers, rabbitmqUrl: broker.url }, (at) =>
      startWhenStoresServe(() =>
        startOffers(
          {
            ...common,
            PORT: offersPort,
            OFFERS_DATABASE_URL: at.databaseUrl,
            RABBITMQ_URL: at.rabbitmqUrl,
            PRICING_URL: new URL(pricingServer.url).origin,
            BILLING_URL: new URL(billingProxy.url).origin,
            MODERATION_URL: new URL(moderationServer.url).origin,
            PUBLIC_URL: 'https://images.example',
            IMAGE_URL_SECRET: testContextSecret,
            PLACEMENT_TOKEN_SECRET: testContextSecret,
            IMAGE_STORE_URL: pathToFileURL(folder).href,
            PLACEMENTS_STALE_SECONDS: 60,
            PLACEMENTS_PER_VIEWER_AND_DAY: 10,
            PLACEMENTS_LIVE_OFFERS: 200_000,
            FREE_LIVE_OFFERS_PER_DAY: 10,
          },
          overrides,
        ),
      ),
    ),
  );
  const post = (path: string, json: object) =>
    fetch(stripe.url + path, { method: 'POST', headers: jsonType, body: JSON.stringify(json) });
  const admin: World['admin'] = (service, method, path, json) =>
    fetch({ offers, billing }[service].running().adminUrl + path, {
      method,
      headers: { ...jsonType, authorization: `Bearer ${adminToken}` },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
  await eventually(async () => {
    const reply = await admin('offers', 'PUT', '/admin/catalogue', catalogue);
    if (!reply.ok) throw new Error(`writing the catalogue: ${reply.status} ${await reply.text()}`);
  });
  const running = started.move();
  return {
    clock,
    offers,
    billing,
    proxies: { billing: billingProxy, stripe: stripeProxy },
    stores,
    broker,
    moderation,
    setStripeFaults: async (faults) => void (await post('/sim/faults', faults)),
    pay: async (sessionId) => (await post(`/sim/sessions/${sessionId}/pay`, {})).ok,
    stripeState,
    admin,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const jsonType = { 'content-type': 'application/json' };
const catalogue = { categories: [{ categoryId: 1, categoryName: 'Food & Drink' }], interests: [] };

/** Tops up a balance. It is repeated on a busy machine, and posted once because of its reference. */
export async function topUp(
  world: World,
  payment: { organisationId: number; currency: string; amountMinor: bigint; reference: string },
): Promise<void> {
  const { amountMinor, ...rest } = payment;
  await eventually(async () => {
    const wish = { ...rest, mode: 'TEST', amountMinor: `${amountMinor}` };
    const reply = await world.admin('billing', 'POST', '/admin/balances/top-up', wish);
    if (!reply.ok) throw new Error(`topping up: ${reply.status} ${await reply.text()}`);
  });
}

/** The outbox deletes published events. The journal keeps every event, in the order in which it was written. */
async function keepJournal(store: Postgres): Promise<void> {
  await store.query('CREATE TABLE journal (position bigint PRIMARY KEY, event json NOT NULL)');
  await store.query(
    `CREATE FUNCTION keep_journal() RETURNS trigger LANGUAGE plpgsql AS
     'BEGIN INSERT INTO journal VALUES (NEW.position, NEW.event); RETURN NULL; END'`,
  );
  await store.query(
    'CREATE TRIGGER keep_journal AFTER INSERT ON outbox FOR EACH ROW EXECUTE FUNCTION keep_journal()',
  );
}
