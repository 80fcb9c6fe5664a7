/**
 * What people have switched off, by person. An address with a place in two organisations counts as two persons (decision 18b, owner of a
 * key).
 */
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import type { ClientSession } from 'mongoose';
import type { OptionalMail, SwitchedOff } from './domain/preferences.ts';

export type PreferencesStore = {
  readonly of: (personId: number) => Promise<SwitchedOff>;
  /** Only those who have switched anything off. */
  readonly ofAll: (
    session: ClientSession,
    personIds: readonly number[],
  ) => Promise<ReadonlyMap<number, SwitchedOff>>;
  readonly save: (personId: number, switchedOff: readonly OptionalMail[], now: Date) => Promise<void>;
  /** Does not change the others; repeating it changes nothing. */
  readonly switchOff: (personId: number, mail: OptionalMail, now: Date) => Promise<void>;
};

type PreferencesDocument = {
  /** The person's id. */
  _id: number;
  switchedOff: OptionalMail[];
  changedAt: Date;
};

export function preferencesStore(mongo: Mongo): PreferencesStore {
  const preferences = mongo.connection.collection<PreferencesDocument>('preferences');
  return {
    of: async (personId) => new Set((await preferences.findOne({ _id: personId }))?.switchedOff),
    ofAll: async (session, personIds) => {
      const found = await preferences.find({ _id: { $in: [...personIds] } }, { session }).toArray();
      return new Map(found.map(({ _id, switchedOff }) => [_id, new Set(switchedOff)]));
    },
    save: async (personId, switchedOff, now) => {
      await preferences.updateOne(
        { _id: personId },
        { $set: { switchedOff: [...switchedOff], changedAt: now } },
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
