/** Contacts: what the gateway last told of each organisation, whatever order its events come in. */
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import type { ClientSession } from 'mongoose';
import type { Contact } from './domain/contact.ts';

export type ContactsStore = {
  readonly find: (organisationId: number, session?: ClientSession) => Promise<Contact | undefined>;
  /** By the number of the organisation; of those that nothing has been heard of: nothing. */
  readonly findAll: (organisationIds: readonly number[]) => Promise<ReadonlyMap<number, Contact>>;
  /** False: a newer version is known already. */
  readonly save: (session: ClientSession, contact: Contact, subjectVersion: number) => Promise<boolean>;
  /**
   * Tells a transaction that saves this contact at the same moment that somebody waits for it: one of the two is
   * repeated and sees the other. Without it a message could start to wait just after the waiting ones were looked for.
   */
  readonly await: (session: ClientSession, organisationId: number) => Promise<void>;
};

type ContactDocument = {
  /** The organisation's id. */
  _id: number;
  /** Both absent while messages wait for an organisation of which nothing has been heard. */
  contact?: Contact;
  subjectVersion?: number;
  /** Only written to, see `await`. */
  awaited?: number;
};

export function contactsStore(mongo: Mongo): ContactsStore {
  const contacts = mongo.connection.collection<ContactDocument>('contacts');
  return {
    find: async (organisationId, session) => {
      const known = await contacts.findOne({ _id: organisationId }, session === undefined ? {} : { session });
      return known?.contact;
    },
    findAll: async (organisationIds) => {
      const found = await contacts.find({ _id: { $in: [...new Set(organisationIds)] } }).toArray();
      return new Map(found.flatMap(({ _id, contact }) => (contact === undefined ? [] : [[_id, contact]])));
    },
    save: async (session, contact, subjectVersion) => {
      const _id = contact.organisationId;
      const known = await contacts.findOne({ _id }, { session });
      if (known?.subjectVersion !== undefined && known.subjectVersion >= subjectVersion) return false;
      await contacts.updateOne({ _id }, { $set: { contact, subjectVersion } }, { upsert: true, session });
      return true;
    },
    await: async (session, organisationId) => {
      await contacts.updateOne({ _id: organisationId }, { $inc: { awaited: 1 } }, { upsert: true, session });
    },
  };
}
