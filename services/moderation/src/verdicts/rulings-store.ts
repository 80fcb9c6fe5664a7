/** Rulings of people on pictures: an append-only list that every replica follows by number. */

import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import { orUnavailable, withinBudget } from '@offer-ads/platform/mongo/mongo-faults';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { packed, unpacked } from '../domain/fingerprint.ts';
import type { Recognised, Ruling } from '../domain/ruling.ts';

/** With the fingerprints that recognise copies of the picture. */
export type RulingOnPicture = Ruling & Recognised;

export type RulingsStore = Awaited<ReturnType<typeof openRulingsStore>>;

export type RulingsFilter = {
  /** Names of a picture. */
  readonly names?: readonly string[];
  readonly before?: number | undefined;
  readonly limit: number;
};

type RulingDocument = Omit<RulingOnPicture, 'number' | 'fingerprints'> & {
  readonly _id: number;
  readonly fingerprints: Buffer;
};

/** Each failed attempt means that another writer took the number; this many in a row cannot be chance. */
const maxAttempts = 50;

export async function openRulingsStore(mongo: Mongo) {
  const rulings = mongo.connection.collection<RulingDocument>('rulings');
  await orUnavailable(
    Promise.all([
      rulings.createIndex({ contentHash: 1, _id: -1 }),
      rulings.createIndex({ cleanHash: 1, _id: -1 }),
    ]),
  );

  /** Gets the next number. */
  async function append(ruling: Omit<RulingOnPicture, 'number'>): Promise<RulingOnPicture> {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const last = rulings.find({}, withinBudget()).sort({ _id: -1 }).limit(1);
      const [latest] = await orUnavailable(last.project<{ _id: number }>({ _id: 1 }).toArray());
      const number = (latest?._id ?? 0) + 1;
      const document = { _id: number, ...ruling, fingerprints: packed(ruling.fingerprints) };
      try {
        // Answered only when a failover can no longer undo the write.
        await orUnavailable(
          rulings.insertOne(document, { ...withinBudget(), writeConcern: { w: 'majority' } }),
        );
        return { ...ruling, number };
      } catch (error) {
        // Another writer took the number at the same moment; retry with the next one.
        if (!isTaken(error)) throw error;
      }
    }
    throw serviceUnavailable('rulings: other writers took the number each time');
  }

  return {
    append,
    /** In order, at most `limit`. */
    after: async (number: number, limit: number): Promise<readonly RulingOnPicture[]> => {
      const found = rulings.find({ _id: { $gt: number } }, reading());
      return (await orUnavailable(found.sort({ _id: 1 }).limit(limit).toArray())).map(rulingOf);
    },
    /** Latest first. */
    latest: async ({ names, before, limit }: RulingsFilter): Promise<readonly RulingOnPicture[]> => {
      const found = rulings.find(
        {
          ...(names !== undefined && {
            $or: [{ contentHash: { $in: [...names] } }, { cleanHash: { $in: [...names] } }],
          }),
          ...(before !== undefined && { _id: { $lt: before } }),
        },
        reading(),
      );
      return (await orUnavailable(found.sort({ _id: -1 }).limit(limit).toArray())).map(rulingOf);
    },
  };
}

/** Reads only what a failover cannot undo, because an undone number would be given again. */
function reading() {
  return { ...withinBudget(), promoteBuffers: true, readConcern: { level: 'majority' } } as const;
}

function rulingOf({ _id, fingerprints, ...ruling }: RulingDocument): RulingOnPicture {
  return { ...ruling, number: _id, fingerprints: unpacked(fingerprints) };
}

/** MongoDB's code for a duplicate key. */
function isTaken(error: unknown): boolean {
  return (error as { code?: unknown }).code === 11_000;
}
