/** The inbox in MongoDB: the same protocol as in inbox.ts. */
import type mongoose from 'mongoose';
import type { Mongo } from '../mongo/mongo.ts';
import { INBOX_RETENTION_DAYS } from './inbox.ts';

type InboxEntry = { _id: string; handledAt: Date };

/** Call it once when the service starts. A TTL index deletes old entries. */
export async function prepareMongoInbox(mongo: Mongo): Promise<void> {
  await inbox(mongo).createIndex({ handledAt: 1 }, { expireAfterSeconds: INBOX_RETENTION_DAYS * 86_400 });
}

/** False: this event was handled before, so do nothing. Of two concurrent handlers, one transaction is retried and then returns false. */
export async function recordInMongoInbox(
  mongo: Mongo,
  session: mongoose.ClientSession,
  eventId: string,
): Promise<boolean> {
  // Not an insert: a duplicate key error would abort the whole transaction.
  const recorded = await inbox(mongo).updateOne(
    { _id: eventId },
    { $setOnInsert: { handledAt: new Date() } },
    { upsert: true, session },
  );
  return recorded.upsertedCount === 1;
}

function inbox(mongo: Mongo) {
  return mongo.connection.collection<InboxEntry>('inbox');
}
