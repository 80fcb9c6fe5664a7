/** Small copies of refused pictures, so that a person can look at what they decide about; for a while, and not too many. */
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import { orUnavailable, withinBudget } from '@offer-ads/platform/mongo/mongo-faults';

export type CopiesStore = {
  /** Whether there was one, which then is kept until the new time. */
  readonly keepLonger: (contentHash: string, until: Date) => Promise<boolean>;
  readonly keep: (contentHash: string, jpeg: Buffer, until: Date) => Promise<void>;
  readonly find: (contentHash: string) => Promise<Buffer | undefined>;
};

type CopyDocument = { readonly _id: string; readonly jpeg: Buffer; readonly until: Date };

/** Most have some 100 KB and none a whole megabyte: room for 150 refusals a day. */
const defaultMost = 5_000;

/** @param most the rest go before their time, those first whose time would come first */
export async function openCopiesStore(mongo: Mongo, most = defaultMost): Promise<CopiesStore> {
  const copies = mongo.connection.collection<CopyDocument>('copies');
  // MongoDB itself deletes what is over, within a minute.
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
    keepLonger: async (contentHash, until) => {
      const change = copies.updateOne({ _id: contentHash }, { $set: { until } }, withinBudget());
      return (await orUnavailable(change)).matchedCount === 1;
    },
    keep: async (contentHash, jpeg, until) => {
      await orUnavailable(
        copies.updateOne(
          { _id: contentHash },
          { $set: { jpeg, until } },
          { upsert: true, ...withinBudget() },
        ),
      );
      await makeRoom();
    },
    find: async (contentHash) => {
      const found = copies.findOne({ _id: contentHash }, { ...withinBudget(), promoteBuffers: true });
      return (await orUnavailable(found))?.jpeg;
    },
  };
}
