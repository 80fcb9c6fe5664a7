/** Rulings of people on pictures: an append-only list, which every replica follows by number and has in memory. */
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import { orUnavailable, withinBudget } from '@offer-ads/platform/mongo/mongo-faults';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { namesOf, type Outcome, type Recognised, type Ruling, rulingOn } from '../domain/decision.ts';
import {
  type Fingerprint,
  isDistinctive,
  latestLike,
  packed,
  unpacked,
  wholeLooks,
} from '../domain/fingerprint.ts';

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

export type CachedRulings = Awaited<ReturnType<typeof cacheRulings>>;

/** Rulings read at once: a few megabytes. */
const pageSize = 2_000;

/** Resolves when all existing rulings have been read. */
export async function cacheRulings(store: Pick<RulingsStore, 'after'>) {
  const byName = new Map<string, Ruling>();
  const blocks = new Map<number, Ruling>();
  /** Plain fingerprints are left out, because they match all other plain ones. */
  const blocked = new Map<number, readonly Fingerprint[]>();
  let seen = 0;

  /** One small read that rarely finds anything; with it, a block applies everywhere as soon as it is answered. */
  async function catchUp(): Promise<void> {
    for (let more = true; more; ) {
      const page = await store.after(seen, pageSize);
      for (const ruling of page) if (ruling.number > seen) follow(ruling);
      more = page.length === pageSize;
    }
  }

  function follow({ fingerprints, ...ruling }: RulingOnPicture): void {
    seen = ruling.number;
    for (const name of namesOf(ruling)) forget(byName.get(name));
    if (ruling.action === 'withdraw') return;
    for (const name of namesOf(ruling)) byName.set(name, ruling);
    if (ruling.action === 'allow') return;
    blocks.set(ruling.number, ruling);
    blocked.set(ruling.number, fingerprints.filter(isDistinctive));
  }

  /** Also under its other name, because both belong to one picture. */
  function forget(earlier: Ruling | undefined): void {
    if (earlier === undefined) return;
    for (const name of namesOf(earlier)) if (byName.get(name) === earlier) byName.delete(name);
    blocks.delete(earlier.number);
    blocked.delete(earlier.number);
  }

  /** A picture may be looked up several times; without a new ruling, the cached outcome is used. */
  const lookedUp = new WeakMap<Recognised, { readonly at: number; readonly outcome: Outcome | undefined }>();

  function lookUp(picture: Recognised): Outcome | undefined {
    const [onIt] = namesOf(picture)
      .flatMap((name) => byName.get(name) ?? [])
      .toSorted((one, other) => other.number - one.number);
    const number = latestLike(blocked, wholeLooks(picture.fingerprints));
    return rulingOn(onIt, number === undefined ? undefined : blocks.get(number));
  }

  await catchUp();
  return {
    /** The ruling about this picture, or the block of a picture of which it is a copy. */
    on: async (picture: Recognised) => {
      await catchUp();
      const before = lookedUp.get(picture);
      if (before?.at === seen) return before.outcome;
      const outcome = lookUp(picture);
      lookedUp.set(picture, { at: seen, outcome });
      return outcome;
    },
    /** The number of blocked pictures. */
    size: () => blocked.size,
  };
}
