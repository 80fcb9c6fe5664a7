/**
 * Which mails people have chosen, by person. An address with a place in two organisations counts as two persons (decision 18b, owner of a
 * key).
 */
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import type { ClientSession } from 'mongoose';
import { type MailPreferences, type OptionalMail, usualPreferences } from './domain/preferences.ts';

/** `_id`: the person's id. */
type PreferencesDocument = Partial<MailPreferences> & { _id: number; changedAt: Date };

export function preferencesStore(mongo: Mongo) {
  const preferences = mongo.connection.collection<PreferencesDocument>('preferences');
  const set = async (_id: number, chosen: Partial<MailPreferences>, changedAt: Date) => {
    await preferences.updateOne({ _id }, { $set: { ...chosen, changedAt } }, { upsert: true });
  };
  return {
    of: async (personId: number) => preferencesOf(await preferences.findOne({ _id: personId })),
    /** Only those who have chosen anything. */
    ofAll: async (session: ClientSession, personIds: readonly number[]) => {
      const found = await preferences.find({ _id: { $in: [...personIds] } }, { session }).toArray();
      return new Map(found.map((one) => [one._id, preferencesOf(one)]));
    },
    save: (personId: number, chosen: MailPreferences, now: Date) => set(personId, chosen, now),
    /** Does not change the others; repeating it changes nothing. */
    switchOff: (personId: number, mail: OptionalMail, now: Date) => set(personId, { [mail]: false }, now),
  };
}

function preferencesOf(document: PreferencesDocument | null): MailPreferences {
  const { _id, changedAt: _changedAt, ...chosen } = document ?? { _id: 0, changedAt: 0 };
  return { ...usualPreferences, ...chosen };
}
