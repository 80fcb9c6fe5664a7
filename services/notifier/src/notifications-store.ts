/** Notifications and their delivery: one document per cause and recipient, and one per occurrence that waits for contacts. */
import { randomUUID } from 'node:crypto';
import type { Mongo } from '@offer-ads/platform/mongo';
import type { ClientSession } from 'mongoose';
import type { Notification, Occurrence } from './domain/announcements.ts';
import type { Fate } from './domain/delivery.ts';
import type { Message } from './domain/letter.ts';

/** A notification that this process alone may deliver until its lease ends. */
export type Claimed = {
  readonly id: string;
  readonly lease: string;
  readonly eventName: string;
  readonly recipient: string;
  readonly message: Message;
  /** The one that begins now included. */
  readonly attempts: number;
  readonly createdAt: Date;
  readonly expiresAt: Date | undefined;
};

export type NotificationsStore = {
  /** Those that exist already stay as they are. */
  readonly add: (session: ClientSession, notifications: readonly Notification[], now: Date) => Promise<void>;
  readonly holdBack: (session: ClientSession, occurrence: Occurrence, now: Date) => Promise<void>;
  readonly heldBack: (session: ClientSession, organisationId: number) => Promise<readonly Occurrence[]>;
  readonly letGo: (session: ClientSession, occurrence: Occurrence) => Promise<void>;
  /** The notification that is due longest; also one whose bearer died, once its lease has ended. */
  readonly claim: (now: Date) => Promise<Claimed | undefined>;
  readonly record: (claimed: Claimed, fate: Fate, now: Date) => Promise<void>;
};

type Waiting = { _id: string; state: 'waiting'; occurrence: Occurrence; createdAt: Date };
type Addressed = {
  _id: string;
  state: Fate['state'] | 'sending';
  eventName: string;
  organisationId: number;
  recipient: string;
  /** Removed from messages that expire, once they are sent or have expired: they hold credentials. */
  message?: Message;
  attempts: number;
  createdAt: Date;
  expiresAt?: Date;
  /** While pending: when to try (again). While sending: when the lease ends, so that one query finds both. */
  dueAt: Date;
  lease?: string;
  problem?: string;
  settledAt?: Date;
};

/** Twice what a delivery may take (`sendTimeoutMs`). */
const leaseMs = 120_000;

export async function openNotificationsStore(mongo: Mongo): Promise<NotificationsStore> {
  const addressed = mongo.connection.collection<Addressed>('notifications');
  const waiting = mongo.connection.collection<Waiting>('notifications');
  await addressed.createIndex(
    { dueAt: 1 },
    { name: 'due', partialFilterExpression: { state: { $in: ['pending', 'sending'] } } },
  );
  await waiting.createIndex(
    { 'occurrence.organisationId': 1 },
    { name: 'waiting_for_organisation', partialFilterExpression: { state: 'waiting' } },
  );

  return {
    add: async (session, notifications, now) => {
      for (const { id, expiresAt, ...facts } of notifications) {
        const fresh: Omit<Addressed, '_id'> = {
          state: 'pending',
          ...facts,
          ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt) }),
          attempts: 0,
          createdAt: now,
          dueAt: now,
        };
        await addressed.updateOne({ _id: id }, { $setOnInsert: fresh }, { upsert: true, session });
      }
    },
    holdBack: async (session, occurrence, now) => {
      await waiting.updateOne(
        { _id: waitingId(occurrence) },
        { $setOnInsert: { state: 'waiting', occurrence, createdAt: now } },
        { upsert: true, session },
      );
    },
    heldBack: async (session, organisationId) => {
      const found = await waiting
        .find({ state: 'waiting', 'occurrence.organisationId': organisationId }, { session })
        .toArray();
      return found.map(({ occurrence }) => occurrence);
    },
    letGo: async (session, occurrence) => {
      await waiting.deleteOne({ _id: waitingId(occurrence) }, { session });
    },
    claim: async (now) => {
      const lease = randomUUID();
      const claimed = await addressed.findOneAndUpdate(
        { state: { $in: ['pending', 'sending'] }, dueAt: { $lte: now } },
        {
          $set: { state: 'sending', lease, dueAt: new Date(now.getTime() + leaseMs) },
          $inc: { attempts: 1 },
        },
        { sort: { dueAt: 1 }, returnDocument: 'after' },
      );
      if (claimed === null) return undefined;
      const { _id, message, eventName, recipient, attempts, createdAt, expiresAt } = claimed;
      if (message === undefined) throw new Error('a notification to be sent has lost its message');
      return { id: _id, lease, eventName, recipient, message, attempts, createdAt, expiresAt };
    },
    record: async (claimed, fate, now) => {
      const settled = fate.state === 'pending' ? { dueAt: fate.nextAttemptAt } : { settledAt: now };
      const forgotten: Record<string, ''> = { lease: '' };
      if (fate.state === 'sent') forgotten.problem = '';
      if (fate.state !== 'pending' && claimed.expiresAt !== undefined) forgotten.message = '';
      // Only under the lease that was taken: whoever overslept must not undo what another has recorded since.
      await addressed.updateOne(
        { _id: claimed.id, lease: claimed.lease },
        {
          $set: { state: fate.state, ...settled, ...('problem' in fate ? { problem: fate.problem } : {}) },
          $unset: forgotten,
        },
      );
    },
  };
}

function waitingId({ eventName, eventId }: Occurrence): string {
  return `${eventName}/${eventId}`;
}
