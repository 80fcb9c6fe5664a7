/** Erases what the notifier has stored of an address (decision 256, erasure of a person). */
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import type { ClientSession } from 'mongoose';
import { anyCase } from './notifications-store.ts';

export type Mailbox = { readonly email: string; readonly personIds: readonly number[] };
export type ErasureStore = ReturnType<typeof erasureStore>;

type Contacts = { _id: number; contact?: { people: { email: string }[] } };
type Numbered = { _id: number };
type Named = { _id: string };

export function erasureStore(mongo: Mongo) {
  const contacts = mongo.connection.collection<Contacts>('contacts');
  const notifications = mongo.connection.collection('notifications');
  const bounces = mongo.connection.collection<Named>('bounces');
  const preferences = mongo.connection.collection<Numbered>('preferences');
  const filters = ({ email, personIds }: Mailbox) => ({
    contact: { 'contact.people.email': email },
    notification: { recipient: email },
    bounce: { _id: email.toLowerCase() },
    preference: { _id: { $in: [...personIds] } },
  });
  return {
    count: async (mailbox: Mailbox) => {
      const { contact, notification, bounce, preference } = filters(mailbox);
      return {
        contacts: await contacts.countDocuments(contact, { collation: anyCase }),
        notifications: await notifications.countDocuments(notification, { collation: anyCase }),
        bounces: await bounces.countDocuments(bounce),
        preferences: await preferences.countDocuments(preference),
      };
    },
    /**
     * A mail that is being sent at this moment may still arrive. An older event of the gateway may bring the contact back for a moment;
     * then the event of the erasure removes it, and `eraseDeparted` what was addressed meanwhile.
     */
    erase: async (mailbox: Mailbox) => {
      const { contact, notification, bounce, preference } = filters(mailbox);
      const address = mailbox.email.toLowerCase();
      const isOther = { $ne: [{ $toLower: '$$person.email' }, { $literal: address }] };
      const others = { $filter: { input: '$contact.people', as: 'person', cond: isOther } };
      // First the contacts, so that no mail is added after the others were erased.
      const { modifiedCount } = await contacts.updateMany(contact, [{ $set: { 'contact.people': others } }], {
        collation: anyCase,
      });
      const erased = await notifications.deleteMany(notification, { collation: anyCase });
      return {
        contacts: modifiedCount,
        notifications: erased.deletedCount,
        bounces: (await bounces.deleteMany(bounce)).deletedCount,
        preferences: (await preferences.deleteMany(preference)).deletedCount,
      };
    },
    /** For a person whom the gateway no longer lists in an organisation: unsent and earlier mails, and the person's choices. */
    eraseDeparted: async (
      session: ClientSession,
      { organisationId, personId, email }: { organisationId: number; personId: number; email: string },
    ) => {
      await notifications.deleteMany({ organisationId, recipient: email }, { session, collation: anyCase });
      await preferences.deleteOne({ _id: personId }, { session });
    },
  };
}
