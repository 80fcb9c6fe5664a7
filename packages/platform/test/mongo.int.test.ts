import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@offer-ads/testing/logger';
import { createTestMongo, type TestMongo } from '@offer-ads/testing/stores/mongo';
import { startTcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { Schema } from 'mongoose';
import { prepareMongoInbox, recordInMongoInbox } from '../src/messaging/mongo-inbox.ts';
import { type Mongo, openMongo } from '../src/mongo/mongo.ts';
import { startWhenStoresServe } from '../src/process/patient-start.ts';
import { createMetrics } from '../src/telemetry/metrics.ts';

const settings = { logger: silentLogger, metrics: createMetrics('pricing') };

let database: TestMongo;
let mongo: Mongo;
/** Disposed of in reverse order: whoever uses a wire goes before the wire. */
let resources: AsyncDisposableStack;

beforeEach(async () => {
  resources = new AsyncDisposableStack();
  database = await createTestMongo();
  mongo = resources.use(await startWhenStoresServe(() => openMongo({ url: database.url, ...settings })));
});
afterEach(async () => {
  await resources.disposeAsync();
  await database.dispose();
});

describe('mongo', () => {
  it('keeps nothing of a transaction that throws', async () => {
    const work = mongo.transaction(async (session) => {
      await mongo.connection.collection('coins').insertOne({ value: 1 }, { session });
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    expect(await mongo.connection.collection('coins').countDocuments()).toBe(0);
  });

  it('takes operators in a filter for values', async () => {
    const people = mongo.connection.model('Person', new Schema({ name: String }));
    await people.createCollection();
    await people.create({ name: 'Ann' });
    const filter = JSON.parse('{"name": {"$ne": null}}') as { name: string };
    await expect(people.findOne(filter)).rejects.toThrow('Cast to string failed');
  });

  it('fails within its time-out while the server is away, and works when it is back', async () => {
    const wire = resources.use(await startTcpProxy(database.url));
    const remote = resources.use(await startWhenStoresServe(() => openMongo({ url: wire.url, ...settings })));
    await eventually(async () => expect(await remote.healthy()).toBe(true));
    wire.takeDown();
    expect(await remote.healthy()).toBe(false);
    wire.bringBack();
    await eventually(async () => expect(await remote.healthy()).toBe(true));
  });

  it('does not open at an address where nobody answers', async () => {
    const open = openMongo({ url: 'mongodb://127.0.0.1:1/none?directConnection=true', ...settings });
    await expect(open).rejects.toMatchObject({ status: 503 });
  });
});

describe('mongo inbox', () => {
  it('lets an event that is delivered twice at once take effect once', async () => {
    await prepareMongoInbox(mongo);
    const id = randomUUID();
    const effects = mongo.connection.collection('effects');
    const handle = () =>
      mongo.transaction(async (session) => {
        const first = await recordInMongoInbox(mongo, session, id);
        if (first) await effects.insertOne({ id }, { session });
        return first;
      });
    const firsts = await Promise.all([handle(), handle(), handle()]);
    expect(firsts.filter(Boolean)).toHaveLength(1);
    expect(await effects.countDocuments()).toBe(1);
  });
});
