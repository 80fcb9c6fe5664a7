import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { inTime } from '@offer-ads/testing/in-time';
import { silentLogger } from '@offer-ads/testing/logger';
import { createTestMongo } from '@offer-ads/testing/mongo';
import { startTcpProxy, type TcpProxy } from '@offer-ads/testing/tcp-proxy';
import { createMetrics } from '../src/metrics.ts';
import { type Mongo, openMongo } from '../src/mongo.ts';
import { orUnavailable, withinBudget } from '../src/mongo-faults.ts';

let wire: TcpProxy;
let mongo: Mongo;
let resources: AsyncDisposableStack;

beforeEach(async () => {
  resources = new AsyncDisposableStack();
  const database = await createTestMongo();
  resources.defer(database.dispose);
  wire = resources.use(await startTcpProxy(database.url));
  mongo = resources.use(
    await openMongo({ url: wire.url, logger: silentLogger, metrics: createMetrics('pricing') }),
  );
});
afterEach(async () => {
  await resources.disposeAsync();
});

function read(): Promise<unknown> {
  return orUnavailable(mongo.connection.collection('coins').findOne({}, withinBudget()));
}

describe('an operation on MongoDB', () => {
  it.each([
    ['is away', () => wire.takeDown()],
    ['has gone silent', () => wire.freeze()],
  ])('is the fault "down" within three seconds when the server %s', async (_, fail) => {
    await read();
    fail();
    await inTime(3_000, () =>
      expect(read()).rejects.toMatchObject({ status: 503, publicBody: { message: 'Service unavailable' } }),
    );
  });

  it('is the fault "down", too, when it is a bulk of writes', async () => {
    const coins = mongo.connection.collection<{ _id: number }>('coins');
    const bulk = () => orUnavailable(coins.bulkWrite([{ insertOne: { document: { _id: 1 } } }]));
    await bulk();
    await expect(bulk()).rejects.toMatchObject({ code: 11_000 });
    wire.takeDown();
    await expect(bulk()).rejects.toMatchObject({ status: 503 });
  });

  it('tells within three seconds that a server which has gone silent is not healthy', async () => {
    expect(await mongo.healthy()).toBe(true);
    wire.freeze();
    await inTime(3_000, async () => expect(await mongo.healthy()).toBe(false));
  });

  it('keeps what the server says about the operation itself', async () => {
    const coins = mongo.connection.collection<{ _id: number }>('coins');
    await coins.insertOne({ _id: 1 });
    await expect(orUnavailable(coins.insertOne({ _id: 1 }))).rejects.toMatchObject({ code: 11_000 });
  });
});
