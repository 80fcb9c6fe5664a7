/** A database of MongoDB for one test file, and connections to it. */
import { type Mongo, openMongo } from '@offer-ads/platform/mongo/mongo';
import { startWhenStoresServe } from '@offer-ads/platform/process/start-when-stores-serve';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { createTestMongo } from '@offer-ads/testing/stores/mongo';
import { startTcpProxy, type TcpProxy } from '@offer-ads/testing/stores/tcp-proxy';

export type MongoUnderTest = {
  readonly url: string;
  /** A way to the database that tests can cut. */
  readonly wire: TcpProxy;
  /** A connection that ends with the database; through the wire if its address is given. */
  readonly connect: (o?: { readonly url?: string; readonly patient?: boolean }) => Promise<Mongo>;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

export async function openMongoUnderTest(metrics = createMetrics('pricing')): Promise<MongoUnderTest> {
  await using opened = new AsyncDisposableStack();
  const { url, dispose } = await createTestMongo();
  opened.defer(dispose);
  const wire = opened.use(await startTcpProxy(url));
  const running = opened.move();
  return {
    url,
    wire,
    connect: async (o) => {
      const open = () => openMongo({ url, logger: silentLogger, metrics, ...o });
      return running.use(await startWhenStoresServe(open));
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
