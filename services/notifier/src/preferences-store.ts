/**
 * Which mails people have chosen, by person. An address with a place in two organisations counts as two persons (decision 18b, owner of a
 * key).
 */
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import type { ClientSession } from 'mongoose';
import { asUsual, type Chosen, type OptionalMail } from './domain/preferences.ts';

export type PreferencesStore = {
  readonly of: (personId: number) => Promise<Chosen>;
  /** Only those who have chosen anything. */
  readonly ofAll: (
    session: ClientSession,
    personIds: readonly number[],
  ) => Promise<ReadonlyMap<number, Chosen>>;
  readonly save: (personId: number, chosen: Chosen, now: Date) => Promise<void>;
  /** Does not change the others; repeating it changes nothing. */
  readonly switchOff: (personId: number, mail: OptionalMail, now: Date) => Promise<void>;
};

type PreferencesDocument = {
  /** The person's id. */
  _id: number;
  switchedOff: OptionalMail[];
  testMode?: boolean;
  changedAt: Date;
};

export function preferencesStore(mongo: Mongo): PreferencesStore {
  const preferences = mongo.connection.collection<PreferencesDocument>('preferences');
  return {
    of: async (personId) => {
      const found = await preferences.findOne({ _id: personId });
      return found === null ? asUsual : chosenOf(found);
    },
    ofAll: async (session, personIds) => {
      const found = await preferences.find({ _id: { $in: [...personIds] } }, { session }).toArray();
      return new Map(found.map((one) => [one._id, chosenOf(one)]));
    },
    save: async (personId, { switchedOff, testMode }, now) => {
      await preferences.updateOne(
        { _id: personId },
        { $set: { switchedOff: [...switchedOff], testMode, changedAt: now } },
        { upsert: true },
      );
    },
    switchOff: async (personId, mail, now) => {
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
