/** The whole service on a database and a broker namespace of its own, with a log that a test can read. */
import { allEvents } from '@offer-ads/contracts/events/events';
import { connectBroker } from '@offer-ads/platform/messaging/broker/broker';
import type { OutgoingEvent } from '@offer-ads/platform/messaging/events';
import { startWhenStoresServe } from '@offer-ads/platform/process/start-when-stores-serve';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { adminToken, adminTokenHashes } from '@offer-ads/testing/admin';
import { testContextSecret } from '@offer-ads/testing/caller';
import { silentLogger } from '@offer-ads/testing/logger';
import { testNamespace, untilConnected } from '@offer-ads/testing/stores/broker';
import { createTestMongo } from '@offer-ads/testing/stores/mongo';
import { startTcpProxy, type TcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { startNotifier } from '../src/service.ts';
import { readableLogger } from './test-store.ts';
import { sealSecret } from './webhooks/webhooks-under-test.ts';

export type NotifierUnderTest = AsyncDisposable & {
  readonly url: string;
  readonly adminUrl: string;
  readonly mongoUrl: string;
  /** From the service to MongoDB. */
  readonly wire: TcpProxy;
  readonly log: string[];
  readonly publish: (...events: readonly OutgoingEvent[]) => Promise<void>;
  /** With a body it is a POST. */
  readonly admin: (path: string, body?: string) => Promise<string>;
};

export async function startNotifierUnderTest(smtpUrl: string): Promise<NotifierUnderTest> {
  await using opened = new AsyncDisposableStack();
  const { namespace, url: rabbitmqUrl, dispose } = testNamespace();
  opened.defer(dispose);
  const mongo = await createTestMongo();
  opened.defer(() => mongo.dispose());
  const wire = opened.use(await startTcpProxy(mongo.url));
  const broker = opened.use(
    await connectBroker({
      url: rabbitmqUrl,
      service: 'admin',
      declarations: allEvents,
      logger: silentLogger,
      metrics: createMetrics('test'),
      namespace,
      confirmTimeoutMs: 60_000,
    }),
  );
  await untilConnected(broker);
  const log: string[] = [];
  const notifier = opened.use(
    await startWhenStoresServe(() =>
      startNotifier(
        {
          HOST: '127.0.0.1',
          PORT: 0,
          ADMIN_PORT: 0,
          LOG_LEVEL: 'trace',
          ADMIN_TOKEN_HASHES: adminTokenHashes,
          AUDIT_RETENTION_DAYS: 730,
          MONGO_URL: wire.url,
          RABBITMQ_URL: rabbitmqUrl,
          SMTP_URL: smtpUrl,
          SMTP_CONNECTIONS: 4,
          MAIL_FROM: 'Offers <offers@ads.example>',
          PORTAL_URL: 'https://ads.example/portal',
          NOTIFIER_CONTEXT_SECRET: testContextSecret,
          UNSUBSCRIBE_SECRET: 'an-unsubscribe-secret-that-only-tests-ever-use-0',
          WEBHOOK_SEAL_SECRET: sealSecret,
          WEBHOOK_TEST_TARGETS: 'any',
        },
        { logger: readableLogger(log), brokerNamespace: namespace },
      ),
    ),
  );
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
  const running = opened.move();
  return {
    url: notifier.url,
    adminUrl: notifier.adminUrl,
    mongoUrl: mongo.url,
    wire,
    log,
    publish: (...events) => broker.publish(events),
    admin: async (path, body) => {
      const request = body === undefined ? { headers } : { method: 'POST', headers, body };
      return (await fetch(`${notifier.adminUrl}/admin${path}`, request)).text();
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
