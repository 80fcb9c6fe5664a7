import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@offer-ads/testing/logger';
import { createTestMongo, type TestMongo } from '@offer-ads/testing/stores/mongo';
import { startTcpProxy, type TcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { type Mongo, openMongo } from '../src/mongo/mongo.ts';
import { orUnavailable, withinBudget } from '../src/mongo/mongo-faults.ts';
import { startWhenStoresServe } from '../src/process/patient-start.ts';
import { createMetrics } from '../src/telemetry/metrics.ts';

type Line = { readonly wire: TcpProxy; readonly mongo: Mongo };

let database: TestMongo;
let wire: TcpProxy;
let mongo: Mongo;
let resources: AsyncDisposableStack;

beforeEach(async () => {
  resources = new AsyncDisposableStack();
  database = await createTestMongo();
  resources.defer(database.dispose);
  ({ wire, mongo } = await openLine());
});
afterEach(async () => {
  await resources.disposeAsync();
});

async function openLine(): Promise<Line> {
  const wire = resources.use(await startTcpProxy(database.url));
  const settings = { url: wire.url, logger: silentLogger, metrics: createMetrics('pricing') };
  return { wire, mongo: resources.use(await startWhenStoresServe(() => openMongo(settings))) };
}

function read({ mongo }: Line): Promise<unknown> {
  return orUnavailable(mongo.connection.collection('coins').findOne({}, withinBudget()));
}

/** What is measured again is measured on another line: one that has lost its server makes a new connection, which nothing ails. */
async function inTimeOnALine(mostMs: number, work: (line: Line) => Promise<unknown>): Promise<void> {
  const lines = [await openLine(), await openLine(), await openLine()];
  for (const line of lines) await eventually(() => read(line));
  await inTime(mostMs, () => work(lines.shift() as Line));
}

describe('an operation on MongoDB', () => {
  it.each([
    ['is away', ({ wire }: Line) => wire.takeDown()],
    ['has gone silent', ({ wire }: Line) => wire.freeze()],
  ])('is the fault "down" within three seconds when the server %s', async (_, fail) => {
    await inTimeOnALine(3_000, (line) => {
      fail(line);
      return expect(read(line)).rejects.toMatchObject({
        status: 503,
        publicBody: { message: 'Service unavailable' },
      });
    });
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
    await eventually(async () => expect(await mongo.healthy()).toBe(true));
    await inTimeOnALine(3_000, async ({ wire, mongo }) => {
      wire.freeze();
      expect(await mongo.healthy()).toBe(false);
    });
  });

  it('keeps what the server says about the operation itself', async () => {
    const coins = mongo.connection.collection<{ _id: number }>('coins');
    await coins.insertOne({ _id: 1 });
    await expect(orUnavailable(coins.insertOne({ _id: 1 }))).rejects.toMatchObject({ code: 11_000 });
  });
});
