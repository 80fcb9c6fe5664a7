/** Contacts: the latest state of each organisation from the gateway, in whatever order its events arrive. */
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import type { ClientSession } from 'mongoose';
import type { Contact } from './domain/contact.ts';

export type ContactsStore = ReturnType<typeof contactsStore>;

type ContactDocument = {
  /** The organisation's id. */
  _id: number;
  /** Both undefined while messages wait for an unknown organisation. */
  contact?: Contact;
  subjectVersion?: number;
  /** Written only to cause a conflict, see `await`. */
  awaited?: number;
};

export function contactsStore(mongo: Mongo) {
  const contacts = mongo.connection.collection<ContactDocument>('contacts');
  return {
    find: async (organisationId: number, session?: ClientSession) => {
      const known = await contacts.findOne({ _id: organisationId }, session === undefined ? {} : { session });
      return known?.contact;
    },
    /** By the organisation's id; unknown organisations are left out. */
    findAll: async (
      organisationIds: readonly number[],
      session?: ClientSession,
    ): Promise<ReadonlyMap<number, Contact>> => {
      const wanted = { _id: { $in: [...new Set(organisationIds)] } };
      const found = await contacts.find(wanted, session === undefined ? {} : { session }).toArray();
      return new Map(found.flatMap(({ _id, contact }) => (contact === undefined ? [] : [[_id, contact]])));
    },
    /** False if a newer version is stored already. */
    save: async (session: ClientSession, contact: Contact, subjectVersion: number) => {
      const _id = contact.organisationId;
      const known = await contacts.findOne({ _id }, { session });
      if (known?.subjectVersion !== undefined && known.subjectVersion >= subjectVersion) return false;
      await contacts.updateOne({ _id }, { $set: { contact, subjectVersion } }, { upsert: true, session });
      return true;
    },
    /**
     * Makes this transaction conflict with another one that does this, or saves the contact, at the same moment: one of the two is repeated
     * and sees the other's result. Otherwise a message could start to wait just after the waiting ones were read.
     */
    await: async (session: ClientSession, organisationId: number) => {
      await contacts.updateOne({ _id: organisationId }, { $inc: { awaited: 1 } }, { upsert: true, session });
    },
  };
}
