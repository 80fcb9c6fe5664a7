/** The mail provider's rate limit, shared by all replicas: each mail gets its own time slot. */

import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import { type Clock, systemClock } from '@offer-ads/platform/process/clock';

export type Pace = {
  /** Few enough that none of them waits long. */
  readonly atOnce: number;
  /** Reserves slots for so many mails, in milliseconds from now; unused slots are lost. */
  readonly reserve: (count: number) => Promise<{ readonly firstInMs: number; readonly everyMs: number }>;
};

/** A link requested meanwhile is sent next. */
const longestBatchSeconds = 2;

/** @param perSecond undefined for no limit */
export function openPace(mongo: Mongo, perSecond: number | undefined, clock: Clock = systemClock): Pace {
  if (perSecond === undefined)
    return { atOnce: Number.POSITIVE_INFINITY, reserve: async () => ({ firstInMs: 0, everyMs: 0 }) };
  const paces = mongo.connection.collection<{ _id: string; now: Date; nextAt: Date }>('pace');
  const everyMs = 1_000 / perSecond;
  return {
    atOnce: Math.max(1, Math.floor(perSecond * longestBatchSeconds)),
    reserve: async (count) => {
      const now = clock === systemClock ? '$$NOW' : clock.now();
      // Dates have whole milliseconds; rounding up keeps the limit.
      const takenMs = Math.ceil(count * everyMs);
      const reserved = await paces.findOneAndUpdate(
        { _id: 'smtp' },
        [
          { $set: { now, nextAt: { $max: [{ $ifNull: ['$nextAt', now] }, now] } } },
          { $set: { nextAt: { $add: ['$nextAt', takenMs] } } },
        ],
        { upsert: true, returnDocument: 'after' },
      );
      if (reserved === null) throw new Error('no time slot for mails could be reserved');
      return { firstInMs: reserved.nextAt.getTime() - takenMs - reserved.now.getTime(), everyMs };
    },
  };
}
