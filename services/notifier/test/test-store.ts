/** What the tests of parts share: a database of their own, a clock, a log that can be read, and HTTP without a gateway. */
import { type Mongo, openMongo } from '@offer-ads/platform/mongo/mongo';
import { startWhenStoresServe } from '@offer-ads/platform/process/start-when-stores-serve';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { createTestMongo } from '@offer-ads/testing/stores/mongo';

/** For clocks of tests: MongoDB removes what is too old by its own clock. */
export const notTooOld = new Date('2036-06-01T12:00:00.000Z');

export type TestStore = AsyncDisposable & { readonly url: string; readonly mongo: Mongo };

export async function setUpStore(): Promise<TestStore> {
  await using opening = new AsyncDisposableStack();
  const database = await createTestMongo();
  opening.defer(() => database.dispose());
  const mongo = opening.use(await connect(database.url));
  const opened = opening.move();
  return { url: database.url, mongo, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

export function connect(url: string): Promise<Mongo> {
  return startWhenStoresServe(() => openMongo({ url, logger: silentLogger, metrics: createMetrics('test') }));
}

export function readableLogger(log: string[]) {
  const destination = { write: (line: string) => void log.push(line) };
  return createLogger({ service: 'notifier', level: 'trace', destination });
}
