/** The existing interests, as the offers service last published them: estimates and creations use the same ones. */
import { orUnavailable, withinBudget } from '@offer-ads/platform/mongo/mongo-faults';
import type { Connection } from 'mongoose';

export type InterestsStore = {
  /** The ids of the interests that can be targeted. */
  readonly active: () => Promise<ReadonlySet<number>>;
  /** Replaces the whole list; a version older than the stored one changes nothing. */
  readonly replace: (o: { readonly version: number; readonly active: readonly number[] }) => Promise<void>;
};

/** All in one document, because they always change together. */
type InterestsDocument = { _id: 'interests'; version: number; active: number[] };

export function openInterestsStore(connection: Connection): InterestsStore {
  const catalogue = connection.collection<InterestsDocument>('catalogue');
  return {
    active: async () => {
      const stored = await orUnavailable(catalogue.findOne({ _id: 'interests' }, withinBudget()));
      return new Set(stored?.active);
    },
    replace: async ({ version, active }) => {
      // MongoDB itself compares the versions, so that repeats and any order have the same result. Versions are never negative.
      const isNewer = { $lt: [{ $ifNull: ['$version', -1] }, version] };
      const replacement = { $literal: { _id: 'interests', version, active } };
      const update = [{ $replaceWith: { $cond: [isNewer, replacement, '$$ROOT'] } }];
      await orUnavailable(catalogue.updateOne({ _id: 'interests' }, update, { upsert: true }));
    },
  };
}
