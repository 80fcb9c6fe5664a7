/** The outbox on MongoDB: the same protocol as in outbox.ts, with a lease in place of the advisory lock. */
import { randomUUID } from 'node:crypto';
import type mongoose from 'mongoose';
import type { Broker } from './broker.ts';
import type { OutgoingEvent } from './events.ts';
import type { Logger } from './logging.ts';
import type { Metrics } from './metrics.ts';
import type { Mongo } from './mongo.ts';
import { withinBudget } from './mongo-faults.ts';
import {
  MOST_COUNTED,
  type OutboxRelay,
  RELAY_BATCH_SIZE,
  startRelay,
  type Waiting,
} from './outbox-relay.ts';

type OutboxEntry = { _id: number; event: OutgoingEvent };
type Counter = { _id: 'outbox'; last: number };
type Lease = { _id: 'outbox-relay'; holder: string; until: Date };

/** Writers meet on the counter, so positions are in the order of the commits. */
export async function addToMongoOutbox(
  mongo: Mongo,
  session: mongoose.ClientSession,
  events: readonly OutgoingEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const counter = await mongo.connection
    .collection<Counter>('outbox_counter')
    .findOneAndUpdate(
      { _id: 'outbox' },
      { $inc: { last: events.length } },
      { upsert: true, returnDocument: 'after', session },
    );
  if (counter === null) throw new Error('the outbox counter was not written');
  const first = counter.last - events.length + 1;
  await outbox(mongo).insertMany(
    events.map((event, place) => ({ _id: first + place, event })),
    { session },
  );
}

const POLL_EVERY_MS = 250;
/** Above the time-out of the confirms, so that nobody takes over while a batch is under way. */
const LEASE_MS = 15_000;
const NEVER = new Date(0);

export function startMongoOutboxRelay(o: {
  mongo: Mongo;
  broker: Broker;
  logger: Logger;
  metrics: Metrics;
}): OutboxRelay {
  const { mongo, broker } = o;
  const holder = randomUUID();
  const relay = startRelay({
    ...o,
    everyMs: POLL_EVERY_MS,
    relayBatch: async () => ((await holdLease(mongo, holder)) ? relayBatch(mongo, broker) : 0),
    countWaiting: () => countWaiting(mongo),
  });
  return {
    flush: relay.flush,
    [Symbol.asyncDispose]: async () => {
      await relay[Symbol.asyncDispose]();
      await leases(mongo).deleteOne({ _id: 'outbox-relay', holder });
    },
  };
}

async function relayBatch(mongo: Mongo, broker: Broker): Promise<number> {
  const entries = await outbox(mongo).find().sort({ _id: 1 }).limit(RELAY_BATCH_SIZE).toArray();
  const last = entries.at(-1);
  if (last === undefined) return 0;
  await broker.publish(entries.map((entry) => entry.event));
  await outbox(mongo).deleteMany({ _id: { $lte: last._id } });
  return entries.length;
}

async function countWaiting(mongo: Mongo): Promise<Waiting> {
  const [oldest, events] = await Promise.all([
    outbox(mongo).findOne({}, { sort: { _id: 1 }, projection: { 'event.time': 1 }, ...withinBudget() }),
    outbox(mongo).countDocuments({}, { limit: MOST_COUNTED, ...withinBudget() }),
  ]);
  const oldestAgeMs = oldest === null ? undefined : Date.now() - Date.parse(oldest.event.time);
  return { events, oldestAgeMs };
}

/** Takes or renews the lease by the server's clock; false while another relay holds it. */
async function holdLease(mongo: Mongo, holder: string): Promise<boolean> {
  const free = { $or: [{ $eq: ['$holder', holder] }, { $lt: [{ $ifNull: ['$until', NEVER] }, '$$NOW'] }] };
  const lease = await leases(mongo).findOneAndUpdate(
    { _id: 'outbox-relay' },
    [
      {
        $set: {
          holder: { $cond: [free, holder, '$holder'] },
          until: { $cond: [free, { $add: ['$$NOW', LEASE_MS] }, '$until'] },
        },
      },
    ],
    { upsert: true, returnDocument: 'after' },
  );
  return lease?.holder === holder;
}

function outbox(mongo: Mongo) {
  return mongo.connection.collection<OutboxEntry>('outbox');
}

function leases(mongo: Mongo) {
  return mongo.connection.collection<Lease>('leases');
}
