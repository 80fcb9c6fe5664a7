/** Erases what the notifier has stored of an address (decision 256, erasure of a person). */
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import type { ClientSession, mongo as driver } from 'mongoose';
import { anyCase } from './notifications-store.ts';

export type ErasureStore = ReturnType<typeof erasureStore>;

type Contacts = { _id: number; contact?: { people: { email: string }[] } };
type Stored = { _id: number | string; recipient?: string };

export function erasureStore(mongo: Mongo) {
  const contacts = mongo.connection.collection<Contacts>('contacts');
  const stored = (name: string) => mongo.connection.collection<Stored>(name);
  return {
    /**
     * A mail that is being sent at this moment may still arrive. An older event of the gateway may bring the contact back for a moment;
     * then the event of the erasure removes it, and `eraseDeparted` what was addressed meanwhile.
     * @returns how much of each was erased, or would be in a dry run
     */
    erase: async ({
      email,
      personIds,
      dryRun,
    }: {
      readonly email: string;
      readonly personIds: readonly number[];
      readonly dryRun: boolean;
    }) => {
      const address = email.toLowerCase();
      const erase = async (name: string, filter: driver.Filter<Stored>, options = {}) =>
        dryRun
          ? stored(name).countDocuments(filter, options)
          : (await stored(name).deleteMany(filter, options)).deletedCount;
      const erasePeople = async () => {
        const known = { 'contact.people.email': email };
        if (dryRun) return contacts.countDocuments(known, { collation: anyCase });
        const isOther = { $ne: [{ $toLower: '$$person.email' }, { $literal: address }] };
        const others = { $filter: { input: '$contact.people', as: 'person', cond: isOther } };
        const update = [{ $set: { 'contact.people': others } }];
        return (await contacts.updateMany(known, update, { collation: anyCase })).modifiedCount;
      };
      return {
        // First the contacts, so that no mail is added after the others were erased.
        contacts: await erasePeople(),
        notifications: await erase('notifications', { recipient: email }, { collation: anyCase }),
        bounces: await erase('bounces', { _id: address }),
        preferences: await erase('preferences', { _id: { $in: [...personIds] } }),
      };
    },
    /** For a person whom the gateway no longer lists in an organisation: unsent and earlier mails, and the person's choices. */
    eraseDeparted: async (
      session: ClientSession,
      { organisationId, personId, email }: { organisationId: number; personId: number; email: string },
    ) => {
      const mails = { organisationId, recipient: email };
      await stored('notifications').deleteMany(mails, { session, collation: anyCase });
      await stored('preferences').deleteOne({ _id: personId }, { session });
    },
  };
}
