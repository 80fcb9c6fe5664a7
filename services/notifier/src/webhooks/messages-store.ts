/** Messages of webhooks: one document per event and endpoint, with its latest attempts. */
import { createHash } from 'node:crypto';
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import { type Clock, systemClock } from '@offer-ads/platform/process/clock';
import type { RestingTrace } from '@offer-ads/platform/telemetry/traces';
import type { ClientSession } from 'mongoose';
import { databaseClock, insertMissing } from '../due-work.ts';

/** `missed`: it was never tried, or not often enough, because the endpoint was off. It and what failed can be sent again. */
export type MessageState = 'pending' | 'delivered' | 'failed' | 'missed';

export type NewMessage = {
  /** The `webhook-id`: the same for each attempt, and when the event is heard again. */
  readonly id: string;
  readonly endpointId: string;
  readonly type: string;
  readonly body: string;
  readonly state: 'pending' | 'missed';
  readonly trace: RestingTrace;
};

export type WebhookAttempt = {
  readonly at: Date;
  readonly tookMs: number;
  readonly status?: number;
  /** The first kilobyte. */
  readonly answer?: string;
  /** Why there is no answer. */
  readonly problem?: string;
};

export type Message = Omit<NewMessage, 'state'> & {
  readonly state: MessageState;
  /** Since it was made, or since a person had it sent again. */
  readonly tries: number;
  readonly dueAt?: Date;
  /** The latest, the last one last. */
  readonly attempts: readonly WebhookAttempt[];
  readonly createdAt: Date;
};

export type AttemptedMessage =
  | { readonly state: 'delivered' | 'failed' }
  | { readonly state: 'pending'; readonly retryInMs: number };

export type MessagesStore = {
  /** Existing ones do not change. */
  readonly add: (messages: readonly NewMessage[]) => Promise<void>;
  /** The message that is due first, now or later. */
  readonly next: (endpointId: string) => Promise<Message | undefined>;
  readonly record: (id: string, attempt: WebhookAttempt, result: AttemptedMessage) => Promise<void>;
  /** What was pending has been missed. */
  readonly giveUp: (session: ClientSession, endpointId: string) => Promise<void>;
  /** The latest first. */
  readonly latest: (
    endpointId: string,
    atMost: number,
    o?: { readonly state?: MessageState; readonly before?: Place },
  ) => Promise<readonly Message[]>;
  readonly find: (endpointId: string, id: string) => Promise<Message | undefined>;
  /** Due at once, with ten new attempts. Undefined if the endpoint has no such message. */
  readonly resend: (endpointId: string, id: string) => Promise<Message | undefined>;
  /** The oldest first. `next`: when the first one was made that is left. */
  readonly resendSince: (
    endpointId: string,
    o: { readonly since: Date; readonly states: readonly MessageState[]; readonly atMost: number },
  ) => Promise<{ readonly resent: number; readonly next: Date | undefined }>;
  /** Removes all messages of a type but the latest ones. */
  readonly keepLatest: (endpointId: string, type: string, kept: number) => Promise<void>;
};

/** A message's place in the order of an endpoint's messages. */
export type Place = Pick<Message, 'createdAt' | 'id'>;

type MessageDocument = Omit<Message, 'id' | 'attempts'> & {
  _id: string;
  attempts: WebhookAttempt[];
};

const attemptsKept = 10;
/** Longer than any event repeats (30 days), so that a repeated event adds no second message. */
const keptDays = 35;

/** No full stop: it separates the parts of what is signed. */
export function messageIdOf(eventId: string, endpointId: string): string {
  const digest = createHash('sha256').update(`${eventId}/${endpointId}`).digest('base64url');
  return `msg_${digest.slice(0, 27)}`;
}

/** All times are the database's; only a clock set by a test is used instead. */
export async function openMessagesStore(mongo: Mongo, clock: Clock = systemClock): Promise<MessagesStore> {
  const messages = mongo.connection.collection<MessageDocument>('webhook_messages');
  await messages.createIndex(
    { endpointId: 1, dueAt: 1 },
    { name: 'due_by_endpoint', partialFilterExpression: { state: 'pending' } },
  );
  const latestFirst = { createdAt: -1, _id: -1 } as const;
  await messages.createIndex({ endpointId: 1, ...latestFirst }, { name: 'latest_of_endpoint' });
  await messages.createIndex({ endpointId: 1, state: 1, ...latestFirst }, { name: 'by_state' });
  await messages.createIndex({ endpointId: 1, type: 1, ...latestFirst }, { name: 'by_type' });
  await messages.createIndex({ createdAt: 1 }, { name: 'kept', expireAfterSeconds: keptDays * 86_400 });
  const now = databaseClock(clock);

  const dueAgain = () => [{ $set: { state: 'pending', tries: 0, dueAt: now() } }];

  return {
    add: async (all) => {
      if (all.length === 0) return;
      await messages.bulkWrite(
        all.map(({ id, ...facts }) => {
          const times = { createdAt: now(), ...(facts.state === 'pending' ? { dueAt: now() } : {}) };
          return insertMissing(id, { ...facts, tries: 0, attempts: [] }, times);
        }),
        { ordered: false },
      );
    },
    next: async (endpointId) => {
      const found = messages.find({ endpointId, state: 'pending' }).sort({ dueAt: 1 }).limit(1);
      const [first] = await found.toArray();
      return first && messageOf(first);
    },
    record: async (_id, attempt, result) => {
      const attempts = { $slice: [{ $concatArrays: ['$attempts', [{ $literal: attempt }]] }, -attemptsKept] };
      const dueAt = result.state === 'pending' ? { $add: [now(), result.retryInMs] } : '$$REMOVE';
      // Of a message that was given up meanwhile only a delivery changes the state.
      const isOpen = { $or: [{ $eq: ['$state', 'pending'] }, result.state === 'delivered'] };
      await messages.updateOne({ _id }, [
        {
          $set: {
            attempts,
            tries: { $add: ['$tries', 1] },
            state: { $cond: [isOpen, result.state, '$state'] },
            dueAt: { $cond: [isOpen, dueAt, '$dueAt'] },
          },
        },
      ]);
    },
    giveUp: async (session, endpointId) => {
      await messages.updateMany(
        { endpointId, state: 'pending' },
        { $set: { state: 'missed' }, $unset: { dueAt: '' } },
        { session },
      );
    },
    latest: async (endpointId, atMost, { state, before } = {}) => {
      const isBefore = before && {
        // For the index; the rest is about messages of the same millisecond.
        createdAt: { $lte: before.createdAt },
        $or: [{ createdAt: { $lt: before.createdAt } }, { _id: { $lt: before.id } }],
      };
      const found = await messages
        .find({ endpointId, ...(state && { state }), ...isBefore })
        .sort({ createdAt: -1, _id: -1 })
        .limit(atMost)
        .toArray();
      return found.map(messageOf);
    },
    find: async (endpointId, _id) => {
      const found = await messages.findOne({ _id, endpointId });
      return found === null ? undefined : messageOf(found);
    },
    resend: async (endpointId, _id) => {
      const again = await messages.findOneAndUpdate({ _id, endpointId }, dueAgain(), {
        returnDocument: 'after',
      });
      return again === null ? undefined : messageOf(again);
    },
    resendSince: async (endpointId, { since, states, atMost }) => {
      const found = await messages
        .find({ endpointId, state: { $in: [...states] }, createdAt: { $gte: since } })
        .sort({ createdAt: 1, _id: 1 })
        .limit(atMost + 1)
        .project<Pick<MessageDocument, '_id' | 'createdAt'>>({ createdAt: 1 })
        .toArray();
      const _ids = found.slice(0, atMost).map(({ _id }) => _id);
      const { modifiedCount } = await messages.updateMany(
        { _id: { $in: _ids }, state: { $in: [...states] } },
        dueAgain(),
      );
      return { resent: modifiedCount, next: found[atMost]?.createdAt };
    },
    keepLatest: async (endpointId, type, kept) => {
      const [oldest] = await messages
        .find({ endpointId, type })
        .sort({ createdAt: -1, _id: -1 })
        .skip(kept)
        .limit(1)
        .toArray();
      if (oldest === undefined) return;
      await messages.deleteMany({ endpointId, type, createdAt: { $lte: oldest.createdAt } });
    },
  };
}

function messageOf({ _id: id, ...facts }: MessageDocument): Message {
  return { id, ...facts };
}
