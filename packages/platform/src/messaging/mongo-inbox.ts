/** The inbox in MongoDB: the same protocol as in inbox.ts. */
import type mongoose from 'mongoose';
import type { Mongo } from '../mongo/mongo.ts';
import { INBOX_RETENTION_DAYS } from './inbox.ts';

type InboxEntry = { _id: string; handledAt: Date };

/** Call it once when the service starts. A TTL index deletes old entries. */
export async function prepareMongoInbox(mongo: Mongo): Promise<void> {
  await inbox(mongo).createIndex({ handledAt: 1 }, { expireAfterSeconds: INBOX_RETENTION_DAYS * 86_400 });
}

/**
 * Returns the events that were not handled before; do nothing for the others. Of two concurrent handlers, one transaction is retried and
 * then finds the event handled.
 */
export async function recordInMongoInbox(
  mongo: Mongo,
  session: mongoose.ClientSession,
  eventIds: readonly string[],
): Promise<ReadonlySet<string>> {
  // Not inserts: a duplicate key error would abort the whole transaction.
  const handledAt = new Date();
  const { upsertedIds } = await inbox(mongo).bulkWrite(
    eventIds.map((_id) => ({
      updateOne: { filter: { _id }, update: { $setOnInsert: { handledAt } }, upsert: true },
    })),
    { session },
  );
  return new Set(Object.values(upsertedIds).map(String));
}

function inbox(mongo: Mongo) {
  return mongo.connection.collection<InboxEntry>('inbox');
}
