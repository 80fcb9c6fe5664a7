/** The whole pricing service with its own database, its own namespace in the broker, and the rates simulator. */

import { allEvents } from '@offer-ads/contracts/events/events';
import type { CallerContext } from '@offer-ads/contracts/internal/caller-context';
import { type Broker, connectBroker } from '@offer-ads/platform/messaging/broker/broker';
import { startWhenStoresServe } from '@offer-ads/platform/process/start-when-stores-serve';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { ratesPath, startRatesSimulator } from '@offer-ads/simulators/rates/server';
import { adminToken, adminTokenHashes } from '@offer-ads/testing/admin';
import { signedCaller, testContextSecret } from '@offer-ads/testing/caller';
import { type TestClock, testClock } from '@offer-ads/testing/clock';
import { silentLogger } from '@offer-ads/testing/logger';
import { testNamespace } from '@offer-ads/testing/stores/broker';
import { createTestMongo } from '@offer-ads/testing/stores/mongo';
import { startTcpProxy, type TcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { PricingConfig } from '../src/config.ts';
import { startPricing } from '../src/service.ts';

const adminHeaders = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };

export type Reply = { readonly status: number; readonly body: Record<string, unknown> };

export type Replica = {
  readonly url: string;
  readonly adminUrl: string;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
  /** Sends JSON as the gateway would for this caller. */
  readonly post: (path: string, json: unknown, caller?: Partial<CallerContext>) => Promise<Reply>;
};

export type PricingUnderTest = Replica & {
  readonly clock: TestClock;
  /** The connection to MongoDB, which tests can cut. */
  readonly mongo: TcpProxy;
  /** Publishes as another service or the community platform. */
  readonly publisher: Broker;
  /** Another instance on the same database and broker. */
  readonly startReplica: (settings?: Partial<PricingConfig>) => Promise<Replica>;
  readonly adminHeaders: Readonly<Record<string, string>>;
  readonly admin: (path: string, body?: string) => Promise<Reply>;
  readonly importMembers: (members: readonly object[]) => Promise<Reply>;
  /** Sets the simulator's faults, for example `{ staleDays: 10 }`. */
  readonly setRatesFaults: (faults: object) => Promise<void>;
};

/** @param now the time of the test's clock; the rates of that day are stored when this returns */
export async function startPricingUnderTest(
  now: string,
  settings: Partial<PricingConfig> = {},
): Promise<PricingUnderTest> {
  await using opened = new AsyncDisposableStack();
  const clock = testClock(now);
  const database = await createTestMongo();
  opened.defer(database.dispose);
  const mongo = opened.use(await startTcpProxy(database.url));
  const corner = testNamespace();
  opened.defer(corner.dispose);
  const rates = opened.use(await startRatesSimulator({ clock }));

  const startOne = (replicaSettings: Partial<PricingConfig> = {}) =>
    startWhenStoresServe(() =>
      startPricing(
        {
          HOST: '127.0.0.1',
          PORT: 0,
          ADMIN_PORT: 0,
          LOG_LEVEL: 'silent',
          MONGO_URL: mongo.url,
          RABBITMQ_URL: corner.url,
          PRICING_CONTEXT_SECRET: testContextSecret,
          COUNT_STEPS_SECRET: 'the-steps-of-counts-that-only-tests-use',
          ADMIN_TOKEN_HASHES: adminTokenHashes,
          AUDIT_RETENTION_DAYS: 730,
          RATES_URL: rates.url + ratesPath,
          AUDIENCE_MIN_COHORT: 1,
          PRIVACY_BUDGET_PER_DAY: undefined,
          PRIVACY_BUDGET_PER_30_DAYS: undefined,
          SANDBOX_MEMBERS: 1_000,
          AUDIENCE_ENGINE: 'index',
          ...settings,
          ...replicaSettings,
        },
        // Shorter than in production, so that tests need not wait seconds for another replica.
        { clock, logger: silentLogger, brokerNamespace: corner.namespace, shareEveryMs: 100 },
      ),
    );
  const service = opened.use(await startOne());
  const publisher = opened.use(
    await connectBroker({
      url: corner.url,
      service: 'offers',
      declarations: allEvents,
      logger: silentLogger,
      metrics: createMetrics('test'),
      namespace: corner.namespace,
    }),
  );

  // Retried, because MongoDB may be too slow on a busy machine; all these requests are safe to repeat.
  const admin: PricingUnderTest['admin'] = (path, body) => {
    const request = { method: 'POST', headers: adminHeaders, ...(body !== undefined && { body }) };
    return eventually(async () => {
      const reply = await replyOf(await fetch(service.adminUrl + path, request));
      const isDone = reply.status !== 503 && reply.body.counted !== false;
      if (!isDone) throw new Error(`${path}: ${JSON.stringify(reply)}`);
      return reply;
    });
  };
  await becomesReady(service.url);
  const refreshed = await admin('/admin/rates/refresh');
  if (refreshed.status !== 200) throw new Error(`no rates: ${JSON.stringify(refreshed)}`);

  const running = opened.move();
  return {
    url: service.url,
    adminUrl: service.adminUrl,
    clock,
    mongo,
    // Publishing twice changes nothing, so it is safe to retry.
    publisher: { ...publisher, publish: (events) => eventually(() => publisher.publish(events)) },
    startReplica: async (replicaSettings) => {
      const replica = await startOne(replicaSettings);
      await becomesReady(replica.url);
      const dispose = async () => replica[Symbol.asyncDispose]();
      return { ...replica, post: postTo(replica.url), [Symbol.asyncDispose]: dispose };
    },
    adminHeaders,
    admin,
    post: postTo(service.url),
    importMembers: (members) =>
      admin('/admin/members/import', members.map((member) => `${JSON.stringify(member)}\n`).join('')),
    setRatesFaults: async (faults) => {
      const headers = { 'content-type': 'application/json' };
      await fetch(`${rates.url}/sim/rates`, { method: 'POST', headers, body: JSON.stringify(faults) });
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function postTo(url: string): Replica['post'] {
  return async (path, json, caller) => {
    const context = signedCaller({ audience: 'pricing', ...caller });
    const headers = { ...context, 'content-type': 'application/json' };
    return replyOf(await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(json) }));
  };
}

async function replyOf(response: Response): Promise<Reply> {
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function becomesReady(url: string): Promise<void> {
  await eventually(async () => {
    const response = await fetch(`${url}/readyz`);
    if (!response.ok) throw new Error(`pricing is not ready: ${await response.text()}`);
  });
}
