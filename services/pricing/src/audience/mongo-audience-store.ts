/** The audience counted by MongoDB itself, with a 2dsphere index: for audiences too large for one machine (docs/scaling.md). */
import { radiusRadians, type Target } from '@offer-ads/contracts/audience/target';
import { orUnavailable, withinBudget } from '@offer-ads/platform/mongo/mongo-faults';
import type { Connection } from 'mongoose';
import { eligible, type MemberDocument } from '../members/member-document.ts';
import { MEMBERS } from '../members/members-store.ts';
import type { AudienceEngine } from './audience.ts';

export type MongoAudience = AudienceEngine & {
  /** Builds the index if it is missing, which may take minutes. */
  readonly prepare: () => Promise<void>;
};

export function openMongoAudience(connection: Connection): MongoAudience {
  const members = connection.collection<MemberDocument>(MEMBERS);
  return {
    count: (target, deadline) =>
      orUnavailable(members.countDocuments(matching(target), withinBudget(deadline))),
    prepare: async () => {
      // Gender narrows the search within the index; interests would multiply its entries without a gain (measured).
      const keys = { position: '2dsphere', gender: 1 } as const;
      const options = { name: 'audience', partialFilterExpression: eligible };
      await orUnavailable(members.createIndex(keys, options));
    },
  };
}

function matching({ latitude, longitude, radiusMiles, gender, interests }: Target) {
  const circle: [[number, number], number] = [[longitude, latitude], radiusRadians(radiusMiles)];
  return {
    ...eligible,
    position: { $geoWithin: { $centerSphere: circle } },
    ...(gender.length > 0 && { gender: { $in: [...gender] } }),
    ...(interests.length > 0 && { interests: { $in: [...interests] } }),
  };
}
