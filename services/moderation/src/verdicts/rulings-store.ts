/** Decisions of people on pictures: a list that only ever grows, and that every replica follows by its numbers. */

import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import { orUnavailable, withinBudget } from '@offer-ads/platform/mongo/mongo-faults';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import type { Recognised, Ruling } from '../domain/ruling.ts';
import { packed, unpacked } from './packed-fingerprints.ts';

/** With what copies of the picture are recognised by. */
export type RulingOnPicture = Ruling & Recognised;

export type RulingsStore = {
  /** Numbered after all that there are. */
  readonly append: (ruling: Omit<RulingOnPicture, 'number'>) => Promise<RulingOnPicture>;
  /** In their order, so many at once. */
  readonly after: (number: number, limit: number) => Promise<readonly RulingOnPicture[]>;
  /** Latest first. */
  readonly latest: (filter: RulingsFilter) => Promise<readonly RulingOnPicture[]>;
};

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

/** Each time it was somebody else's turn, so that this many in a row are no chance. */
const mostAttempts = 50;

export async function openRulingsStore(mongo: Mongo): Promise<RulingsStore> {
  const rulings = mongo.connection.collection<RulingDocument>('rulings');
  await orUnavailable(
    Promise.all([
      rulings.createIndex({ contentHash: 1, _id: -1 }),
      rulings.createIndex({ cleanHash: 1, _id: -1 }),
    ]),
  );

  async function append(ruling: Omit<RulingOnPicture, 'number'>): Promise<RulingOnPicture> {
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      const last = rulings.find({}, withinBudget()).sort({ _id: -1 }).limit(1);
      const [latest] = await orUnavailable(last.project<{ _id: number }>({ _id: 1 }).toArray());
      const number = (latest?._id ?? 0) + 1;
      const document = { _id: number, ...ruling, fingerprints: packed(ruling.fingerprints) };
      try {
        // Answered when no election can take it back.
        await orUnavailable(
          rulings.insertOne(document, { ...withinBudget(), writeConcern: { w: 'majority' } }),
        );
        return { ...ruling, number };
      } catch (error) {
        // Somebody else took the number at the same moment: the next one is ours.
        if (!isTaken(error)) throw error;
      }
    }
    throw serviceUnavailable('rulings: others were faster each time');
  }

  return {
    append,
    after: async (number, limit) => {
      const found = rulings.find({ _id: { $gt: number } }, reading());
      return (await orUnavailable(found.sort({ _id: 1 }).limit(limit).toArray())).map(rulingOf);
    },
    latest: async ({ names, before, limit }) => {
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

/** What an election could still take back is not followed: its number would be given again. */
function reading() {
  return { ...withinBudget(), promoteBuffers: true, readConcern: { level: 'majority' } } as const;
}

function rulingOf({ _id, fingerprints, ...ruling }: RulingDocument): RulingOnPicture {
  return { ...ruling, number: _id, fingerprints: unpacked(fingerprints) };
}

/** MongoDB's code for a key that exists. */
function isTaken(error: unknown): boolean {
  return (error as { code?: unknown }).code === 11_000;
}
