/** Small copies of refused pictures for the review by the platform team, the only people who see them; limited in time and number. */
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import { orUnavailable, withinBudget } from '@offer-ads/platform/mongo/mongo-faults';

export type CopiesStore = Awaited<ReturnType<typeof openCopiesStore>>;

type CopyDocument = { readonly _id: string; readonly jpeg: Buffer; readonly until: Date };

/** Most have about 100 KB and none a whole megabyte: room for 150 refusals a day. */
const defaultMax = 5_000;

/** @param most above it, the copies that would expire first are deleted early */
export async function openCopiesStore(mongo: Mongo, most = defaultMax) {
  const copies = mongo.connection.collection<CopyDocument>('copies');
  // MongoDB deletes expired copies within a minute.
  await orUnavailable(copies.createIndex({ until: 1 }, { expireAfterSeconds: 0 }));

  async function makeRoom(): Promise<void> {
    const tooMany = (await orUnavailable(copies.estimatedDocumentCount(withinBudget()))) - most;
    if (tooMany <= 0) return;
    const oldest = copies.find({}, withinBudget()).sort({ until: 1 }).limit(tooMany);
    const ids = (await orUnavailable(oldest.project<{ _id: string }>({ _id: 1 }).toArray())).map(
      ({ _id }) => _id,
    );
    await orUnavailable(copies.deleteMany({ _id: { $in: ids } }, withinBudget()));
  }

  return {
    /** Extends the time of an existing copy; false if there is none. */
    keepLonger: async (contentHash: string, until: Date) => {
      const change = copies.updateOne({ _id: contentHash }, { $set: { until } }, withinBudget());
      return (await orUnavailable(change)).matchedCount === 1;
    },
    keep: async (contentHash: string, jpeg: Buffer, until: Date) => {
      await orUnavailable(
        copies.updateOne(
          { _id: contentHash },
          { $set: { jpeg, until } },
          { upsert: true, ...withinBudget() },
        ),
      );
      await makeRoom();
    },
    find: async (contentHash: string) => {
      const found = copies.findOne({ _id: contentHash }, { ...withinBudget(), promoteBuffers: true });
      return (await orUnavailable(found))?.jpeg;
    },
  };
}
