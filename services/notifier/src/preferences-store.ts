/**
 * Which mails people have chosen, by person. An address with a place in two organisations counts as two persons (decision 18b, owner of a
 * key).
 */
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import type { ClientSession } from 'mongoose';
import { asUsual, type Chosen, type OptionalMail } from './domain/preferences.ts';

type PreferencesDocument = {
  /** The person's id. */
  _id: number;
  switchedOff: OptionalMail[];
  testMode?: boolean;
  changedAt: Date;
};

export function preferencesStore(mongo: Mongo) {
  const preferences = mongo.connection.collection<PreferencesDocument>('preferences');
  return {
    of: async (personId: number) => {
      const found = await preferences.findOne({ _id: personId });
      return found === null ? asUsual : chosenOf(found);
    },
    /** Only those who have chosen anything. */
    ofAll: async (session: ClientSession, personIds: readonly number[]) => {
      const found = await preferences.find({ _id: { $in: [...personIds] } }, { session }).toArray();
      return new Map(found.map((one) => [one._id, chosenOf(one)]));
    },
    save: async (personId: number, { switchedOff, testMode }: Chosen, now: Date) => {
      await preferences.updateOne(
        { _id: personId },
        { $set: { switchedOff: [...switchedOff], testMode, changedAt: now } },
        { upsert: true },
      );
    },
    /** Does not change the others; repeating it changes nothing. */
    switchOff: async (personId: number, mail: OptionalMail, now: Date) => {
      await preferences.updateOne(
        { _id: personId },
        { $addToSet: { switchedOff: mail }, $set: { changedAt: now } },
        { upsert: true },
      );
    },
  };
}

function chosenOf({ switchedOff, testMode = false }: PreferencesDocument): Chosen {
  return { switchedOff: new Set(switchedOff), testMode };
}
