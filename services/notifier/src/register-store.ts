/**
 * People's queries about notifications, and orders to send them again. It never returns the mails' content, because that contains links.
 */
import type { NotificationState, NotificationsQuery } from '@offer-ads/contracts/admin/notifier-api';
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import { type Clock, systemClock } from '@offer-ads/platform/process/clock';
import type { mongo as driver } from 'mongoose';
import { contactsStore } from './contacts-store.ts';
import { isReachedAt } from './domain/contact.ts';
import { type ResendRefusal, resendRefusal } from './domain/delivery/delivery.ts';
import { databaseClock } from './due-work.ts';
import { type Addressed, anyCase } from './notifications-store.ts';

export type Registered = ReturnType<typeof registered>;
export type RegisterStore = ReturnType<typeof registerStore>;

/** As stored: notifications, and waiting occurrences (waiting-store.ts), which have only the first of these. */
type Kept = Pick<Addressed, '_id' | 'eventName' | 'organisationId' | 'createdAt'> &
  Partial<Omit<Addressed, 'state'>> & { state: NotificationState };

const maxResends = 20;

export function registerStore(mongo: Mongo, clock: Clock = systemClock) {
  const kept = mongo.connection.collection<Kept>('notifications');
  const contacts = contactsStore(mongo);
  const now = databaseClock(clock);
  // Of the message, only the subject and whether it exists are read.
  const projection = { 'message.text': 0, 'message.html': 0, 'message.headers': 0, data: 0 };

  return {
    /** The latest first. */
    list: async ({ state, organisationId, recipient, since, limit }: NotificationsQuery) => {
      const filter: driver.Filter<Kept> = {
        ...(state && { state }),
        ...(organisationId !== undefined && { organisationId }),
        ...(recipient !== undefined && { recipient }),
        ...(since && { createdAt: { $gte: since } }),
        // With the priorities, the index of due notifications can be used.
        ...((state === 'pending' || state === 'sending') && { priority: { $in: [0, 1] } }),
      };
      const options = { projection, ...(recipient !== undefined && { collation: anyCase }) };
      const found = kept.find(filter, options).sort({ createdAt: -1 }).limit(limit);
      return (await found.toArray()).map(registered);
    },
    find: async (id: string) => {
      const document = await kept.findOne({ _id: id }, { projection });
      return document === null ? undefined : registered(document);
    },
    /** Due at once, even if the address has bounced; earlier attempts do not count. */
    resend: async (
      id: string,
      by: string,
    ): Promise<
      | { readonly ok: true; readonly notification: Registered }
      | { readonly ok: false; readonly reason: ResendRefusal | 'unknown' }
    > => {
      const document = await kept.findOne({ _id: id }, { projection });
      if (document === null) return { ok: false, reason: 'unknown' };
      const { state, expiresAt, organisationId, recipient = '' } = document;
      const contact = await contacts.find(organisationId);
      const hasLeft = contact !== undefined && !isReachedAt(contact, recipient);
      const hasMessage = document.message !== undefined;
      const reason = resendRefusal({ state, hasMessage, expiresAt, hasLeft }, clock.now());
      if (reason !== undefined) return { ok: false, reason };
      const resend = { at: now(), by: { $literal: by } };
      const resends = { $concatArrays: [{ $ifNull: ['$resends', []] }, [resend]] };
      // If its state has changed meanwhile, nothing is updated.
      const again = await kept.findOneAndUpdate(
        { _id: id, state, message: { $exists: true } },
        [
          {
            $set: {
              state: 'pending',
              attempts: 0,
              queuedAt: now(),
              dueAt: now(),
              insisted: true,
              resends: { $slice: [resends, -maxResends] },
            },
          },
          { $unset: ['settledAt', 'problem'] },
        ],
        { projection, returnDocument: 'after' },
      );
      return again === null
        ? { ok: false, reason: 'under-way' }
        : { ok: true, notification: registered(again) };
    },
    /** `oldest`: since when the oldest pending one has been to be sent. `oldestDue`: since when the longest due one could have been sent. */
    unsent: async () => {
      const pending = { state: { $in: ['pending', 'sending'] }, priority: { $in: [0, 1] } };
      // For one that is being sent, this is the end of its lease.
      const isDue = { $lte: ['$dueAt', now()] };
      const oldestDue = { $min: { $cond: [isDue, '$dueAt', null] } };
      const [sums] = await kept
        .aggregate<{ count: number; oldest: Date; oldestDue: Date | null }>([
          { $match: pending },
          { $group: { _id: null, count: { $sum: 1 }, oldest: { $min: '$queuedAt' }, oldestDue } },
        ])
        .toArray();
      const waiting = await kept.countDocuments({ state: 'waiting' });
      return {
        waiting,
        pending: sums?.count ?? 0,
        oldest: sums?.oldest,
        oldestDue: sums?.oldestDue ?? undefined,
      };
    },
  };
}

function registered({ _id: id, message, ...document }: Kept) {
  return { id, attempts: 0, history: [], resends: [], ...document, subject: message?.subject };
}
