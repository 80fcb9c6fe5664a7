/** Processor time of the pictures of each organisation in each hour, over all replicas. */
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import { orUnavailable, withinBudget } from '@offer-ads/platform/mongo/mongo-faults';

export type ProcessorTimeStore = {
  /** @returns the milliseconds of that hour so far, these included */
  readonly add: (organisationId: number, hour: Date, ms: number) => Promise<number>;
};

type HourDocument = { readonly _id: string; readonly ms: number; readonly until: Date };

export const hourMs = 3_600_000;

export async function openProcessorTimeStore(mongo: Mongo): Promise<ProcessorTimeStore> {
  const hours = mongo.connection.collection<HourDocument>('processor_time');
  // MongoDB deletes hours that are over within a minute.
  await orUnavailable(hours.createIndex({ until: 1 }, { expireAfterSeconds: 0 }));
  return {
    add: async (organisationId, hour, ms) => {
      const until = new Date(hour.getTime() + 2 * hourMs);
      const change = { $inc: { ms }, $setOnInsert: { until } };
      const options = { upsert: true, returnDocument: 'after', ...withinBudget() } as const;
      const id = `${organisationId} ${hour.toISOString()}`;
      const counted = await orUnavailable(hours.findOneAndUpdate({ _id: id }, change, options));
      return counted?.ms ?? ms;
    },
  };
}
