/** The mail provider's rate limit, kept by all replicas together: each mail has its moment, and no moment has two. */

import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import { type Clock, systemClock } from '@offer-ads/platform/process/clock';

export type Pace = {
  /** So many that none of them waits for long. */
  readonly atOnce: number;
  /** Moments for so many mails, in milliseconds from now; they are gone when they are not used. */
  readonly reserve: (count: number) => Promise<{ readonly firstInMs: number; readonly everyMs: number }>;
};

/** A link that is asked for meanwhile comes next. */
const longestBatchSeconds = 2;

/** @param perSecond no limit when it is left out */
export function openPace(mongo: Mongo, perSecond: number | undefined, clock: Clock = systemClock): Pace {
  if (perSecond === undefined)
    return { atOnce: Number.POSITIVE_INFINITY, reserve: async () => ({ firstInMs: 0, everyMs: 0 }) };
  const paces = mongo.connection.collection<{ _id: string; now: Date; nextAt: Date }>('pace');
  const everyMs = 1_000 / perSecond;
  return {
    atOnce: Math.max(1, Math.floor(perSecond * longestBatchSeconds)),
    reserve: async (count) => {
      const now = clock === systemClock ? '$$NOW' : clock.now();
      // Whole milliseconds is all that dates know; rounded up, the limit is kept.
      const takenMs = Math.ceil(count * everyMs);
      const reserved = await paces.findOneAndUpdate(
        { _id: 'smtp' },
        [
          { $set: { now, nextAt: { $max: [{ $ifNull: ['$nextAt', now] }, now] } } },
          { $set: { nextAt: { $add: ['$nextAt', takenMs] } } },
        ],
        { upsert: true, returnDocument: 'after' },
      );
      if (reserved === null) throw new Error('the pace of mails was not kept');
      return { firstInMs: reserved.nextAt.getTime() - takenMs - reserved.now.getTime(), everyMs };
    },
  };
}
