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

export type MessagesStore = Awaited<ReturnType<typeof openMessagesStore>>;

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
export async function openMessagesStore(mongo: Mongo, clock: Clock = systemClock) {
  const messages = mongo.connection.collection<MessageDocument>('webhook_messages');
  await messages.createIndex(
    { endpointId: 1, dueAt: 1 },
    { name: 'due_by_endpoint', partialFilterExpression: { state: 'pending' } },
  );
  const latestFirst = { createdAt: -1, _id: -1 } as const;
  await messages.createIndex({ endpointId: 1, ...latestFirst }, { name: 'latest_of_endpoint' });
  await messages.createIndex({ endpointId: 1, state: 1, ...latestFirst }, { name: 'by_state' });
  await messages.createIndex({ createdAt: 1 }, { name: 'kept', expireAfterSeconds: keptDays * 86_400 });
  const now = databaseClock(clock);

  const dueAgain = () => [{ $set: { state: 'pending', tries: 0, dueAt: now() } }];

  return {
    /** Existing ones do not change. */
    add: async (all: readonly NewMessage[]) => {
      if (all.length === 0) return;
      await messages.bulkWrite(
        all.map(({ id, ...facts }) => {
          const times = { createdAt: now(), ...(facts.state === 'pending' ? { dueAt: now() } : {}) };
          return insertMissing(id, { ...facts, tries: 0, attempts: [] }, times);
        }),
        { ordered: false },
      );
    },
    /** The message that is due first, now or later. */
    next: async (endpointId: string) => {
      const found = messages.find({ endpointId, state: 'pending' }).sort({ dueAt: 1 }).limit(1);
      const [first] = await found.toArray();
      return first && messageOf(first);
    },
    /** @param retryInMs when it is pending */
    record: async (
      _id: string,
      attempt: WebhookAttempt,
      { state, retryInMs }: { readonly state: MessageState; readonly retryInMs?: number | undefined },
    ) => {
      const attempts = { $slice: [{ $concatArrays: ['$attempts', [{ $literal: attempt }]] }, -attemptsKept] };
      const dueAt = retryInMs === undefined ? '$$REMOVE' : { $add: [now(), retryInMs] };
      // Of a message that was given up meanwhile only a delivery changes the state.
      const isOpen = { $or: [{ $eq: ['$state', 'pending'] }, state === 'delivered'] };
      await messages.updateOne({ _id }, [
        {
          $set: {
            attempts,
            tries: { $add: ['$tries', 1] },
            state: { $cond: [isOpen, state, '$state'] },
            dueAt: { $cond: [isOpen, dueAt, '$dueAt'] },
          },
        },
      ]);
    },
    /** What was pending has been missed. */
    giveUp: async (session: ClientSession, endpointId: string) => {
      await messages.updateMany(
        { endpointId, state: 'pending' },
        { $set: { state: 'missed' }, $unset: { dueAt: '' } },
        { session },
      );
    },
    /** The latest first. */
    latest: async (
      endpointId: string,
      atMost: number,
      { state, before }: { readonly state?: MessageState; readonly before?: Place } = {},
    ): Promise<readonly Message[]> => {
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
    find: async (endpointId: string, _id: string) => {
      const found = await messages.findOne({ _id, endpointId });
      return found === null ? undefined : messageOf(found);
    },
    /** Due at once, with ten new attempts. Undefined if the endpoint has no such message. */
    resend: async (endpointId: string, _id: string) => {
      const again = await messages.findOneAndUpdate({ _id, endpointId }, dueAgain(), {
        returnDocument: 'after',
      });
      return again === null ? undefined : messageOf(again);
    },
    /** The oldest first. `next`: when the first one was made that is left. */
    resendSince: async (
      endpointId: string,
      o: { readonly since: Date; readonly states: readonly MessageState[]; readonly atMost: number },
    ) => {
      const states = { $in: [...o.states] };
      const found = await messages
        .find({ endpointId, state: states, createdAt: { $gte: o.since } })
        .sort({ createdAt: 1, _id: 1 })
        .limit(o.atMost + 1)
        .project<Pick<MessageDocument, '_id' | 'createdAt'>>({ createdAt: 1 })
        .toArray();
      const _ids = found.slice(0, o.atMost).map(({ _id }) => _id);
      const { modifiedCount } = await messages.updateMany({ _id: { $in: _ids }, state: states }, dueAgain());
      return { resent: modifiedCount, next: found[o.atMost]?.createdAt };
    },
    /** Removes all messages of a type but the latest ones. */
    keepLatest: async (endpointId: string, type: string, kept: number) => {
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
