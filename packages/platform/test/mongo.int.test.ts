import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@offer-ads/testing/logger';
import { createTestMongo, type TestMongo } from '@offer-ads/testing/stores/mongo';
import { startTcpProxy, type TcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { Schema } from 'mongoose';
import { prepareMongoInbox, recordInMongoInbox } from '../src/messaging/mongo-inbox.ts';
import { type Mongo, openMongo } from '../src/mongo/mongo.ts';
import { orUnavailable, withinBudget } from '../src/mongo/mongo-faults.ts';
import { startWhenStoresServe } from '../src/process/start-when-stores-serve.ts';
import { createMetrics } from '../src/telemetry/metrics.ts';

const settings = { logger: silentLogger, metrics: createMetrics('pricing') };
const unavailable = { status: 503, publicBody: { message: 'Service unavailable' } };

let database: TestMongo;
/** Disposed in reverse order: a client before its proxy. */
let resources: AsyncDisposableStack;

beforeEach(async () => {
  resources = new AsyncDisposableStack();
  database = await createTestMongo();
  resources.defer(database.dispose);
});
afterEach(() => resources.disposeAsync());

async function open(url = database.url): Promise<Mongo> {
  return resources.use(await startWhenStoresServe(() => openMongo({ url, ...settings })));
}

type Line = { readonly proxy: TcpProxy; readonly mongo: Mongo };

async function openThroughProxy(): Promise<Line> {
  const proxy = resources.use(await startTcpProxy(database.url));
  const mongo = await open(proxy.url);
  await eventually(() => read(mongo));
  return { proxy, mongo };
}

function read({ connection }: Mongo): Promise<unknown> {
  return orUnavailable(connection.collection('coins').findOne({}, withinBudget()));
}

/** Inserts the coin with the id 1. */
function bulk({ connection }: Mongo): Promise<unknown> {
  const coins = connection.collection<{ _id: number }>('coins');
  return orUnavailable(coins.bulkWrite([{ insertOne: { document: { _id: 1 } } }]));
}

describe('mongo', () => {
  it('keeps nothing of a transaction that throws', async () => {
    const mongo = await open();
    const coins = mongo.connection.collection('coins');
    const work = mongo.transaction(async (session) => {
      await coins.insertOne({ value: 1 }, { session });
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    expect(await coins.countDocuments()).toBe(0);
  });

  it('treats operators in a filter as values', async () => {
    const { connection } = await open();
    const people = connection.model('Person', new Schema({ name: String }));
    await people.createCollection();
    const filter = JSON.parse('{"name": {"$ne": null}}') as { name: string };
    await expect(people.findOne(filter)).rejects.toThrow('Cast to string failed');
  });

  it.each([
    ['is down', 'takeDown'],
    ['does not answer', 'freeze'],
  ] as const)(
    'fails with 503 within three seconds while the server %s, and is not healthy',
    async (_case, fail) => {
      // Clients of their own for each try: a client that has lost its server connects again, which the proxy allows.
      const lines = await Promise.all(Array.from({ length: 6 }, openThroughProxy));
      await inTime(3_000, async () => {
        const [first, second] = lines.splice(0, 2) as [Line, Line];
        for (const { proxy } of [first, second]) proxy[fail]();
        const [, healthy] = await Promise.all([
          expect(read(first.mongo)).rejects.toMatchObject(unavailable),
          second.mongo.healthy(),
        ]);
        expect(healthy).toBe(false);
      });
    },
  );

  it('works again when the server is up', async () => {
    const { proxy, mongo } = await openThroughProxy();
    proxy.takeDown();
    expect(await mongo.healthy()).toBe(false);
    proxy.bringBack();
    await eventually(async () => expect(await mongo.healthy()).toBe(true));
  });

  it('passes on errors about the operation', async () => {
    const mongo = await open();
    const coins = mongo.connection.collection<{ _id: number }>('coins');
    await coins.insertOne({ _id: 1 });
    await expect(orUnavailable(coins.insertOne({ _id: 1 }))).rejects.toMatchObject({ code: 11_000 });
    await expect(bulk(mongo)).rejects.toMatchObject({ code: 11_000 });
  });

  it('fails with 503 while the server is down, also for bulk writes and at the opening', async () => {
    const { proxy, mongo } = await openThroughProxy();
    proxy.takeDown();
    const url = 'mongodb://127.0.0.1:1/none?directConnection=true';
    await Promise.all([
      expect(bulk(mongo)).rejects.toMatchObject(unavailable),
      expect(openMongo({ url, ...settings })).rejects.toMatchObject(unavailable),
    ]);
  });
});

it('the inbox in MongoDB lets an event that is delivered twice at once take effect once', async () => {
  const mongo = await open();
  await prepareMongoInbox(mongo);
  const id = randomUUID();
  const effects = mongo.connection.collection('effects');
  const handle = () =>
    mongo.transaction(async (session) => {
      const first = (await recordInMongoInbox(mongo, session, [id, randomUUID()])).has(id);
      if (first) await effects.insertOne({ id }, { session });
      return first;
    });
  const firsts = await Promise.all([handle(), handle(), handle()]);
  expect(firsts.filter(Boolean)).toHaveLength(1);
  expect(await effects.countDocuments()).toBe(1);
});
