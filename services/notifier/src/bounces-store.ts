/** Addresses for which a server said that the mailbox does not exist. */
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import type { Bounce } from './domain/delivery/bounce.ts';

export type BouncesStore = Awaited<ReturnType<typeof openBouncesStore>>;

type BounceDocument = Omit<Bounce, 'address'> & { _id: string };

/** Further bounces within this time count as the same one, because the mails were sent at about the same time. */
const oneOccasionMs = 3_600_000;
/** Deleted long after it has stopped having an effect. */
const keptDays = 180;

export async function openBouncesStore(mongo: Mongo) {
  const bounces = mongo.connection.collection<BounceDocument>('bounces');
  await bounces.createIndex({ lastRefusedAt: 1 }, { expireAfterSeconds: keptDays * 86_400 });
  return {
    /** By address in lower case. */
    find: async (addresses: readonly string[]) => {
      const found = await bounces.find({ _id: { $in: addresses.map(keyOf) } }).toArray();
      return new Map(found.map((document) => [document._id, bounceOf(document)]));
    },
    add: async (address: string, problem: string, now: Date) => {
      const earlier = { $lt: ['$lastRefusedAt', new Date(now.getTime() - oneOccasionMs)] };
      const refusals = { $add: [{ $ifNull: ['$refusals', 0] }, { $cond: [earlier, 1, 0] }] };
      await bounces.updateOne(
        { _id: keyOf(address) },
        [{ $set: { lastRefusedAt: now, problem: { $literal: problem }, refusals } }],
        { upsert: true },
      );
    },
    /** True if it was on the list. */
    forget: async (address: string) => {
      const { deletedCount } = await bounces.deleteOne({ _id: keyOf(address) });
      return deletedCount === 1;
    },
    list: async (limit: number) => {
      const found = await bounces.find().sort({ lastRefusedAt: -1 }).limit(limit).toArray();
      return found.map(bounceOf);
    },
  };
}

function bounceOf({ _id, ...bounce }: BounceDocument): Bounce {
  return { address: _id, ...bounce };
}

/** Ignores case. RFC 5321 allows two mailboxes that differ only in case, but in practice there are none. */
function keyOf(address: string): string {
  return address.toLowerCase();
}
