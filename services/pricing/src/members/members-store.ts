/** Writes members to MongoDB: changes may arrive in any order and repeatedly, and the newest version stays. */
import type { MemberFacts } from '@offer-ads/contracts/events/community';
import { orUnavailable, withinBudget } from '@offer-ads/platform/mongo/mongo-faults';
import mongoose, { type Connection } from 'mongoose';
import { newerVersion, type Version } from '../domain/members/member-version.ts';
import { documentOf, type MemberDocument, tombstoneOf } from './member-document.ts';

/** A change of a member; a removal leaves only a tombstone. */
export type MemberChange =
  | { readonly facts: MemberFacts; readonly version: Version }
  | { readonly removed: number; readonly version: Version };

export type MembersStore = {
  /**
   * Up to some thousand at once. Of several changes of one member, the newest version wins; changes without a version apply in their order.
   * Safe to repeat.
   * @returns how many members changed; the others were stored already, in this or a newer version
   */
  readonly write: (changes: readonly MemberChange[]) => Promise<number>;
};

export const MEMBERS = 'members';

export function openMembersStore(connection: Connection): MembersStore {
  const members = connection.collection<MemberDocument>(MEMBERS);

  async function storedVersions(ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const cursor = members.find(
      { _id: { $in: [...ids] } },
      { projection: { version: 1 }, batchSize: ids.length, ...withinBudget() },
    );
    const stored = await orUnavailable(cursor.toArray());
    return new Map(stored.map(({ _id, version }) => [_id, version]));
  }

  /** @returns the ids of members that another writer inserted first */
  async function insert(documents: readonly MemberDocument[]): Promise<ReadonlySet<number>> {
    if (documents.length === 0) return new Set();
    try {
      await orUnavailable(members.insertMany([...documents], { ordered: false }));
      return new Set();
    } catch (error) {
      return new Set(indexesOfDuplicates(error).flatMap((index) => documents[index]?._id ?? []));
    }
  }

  /** Does not replace a member that another writer has just replaced with a newer version. */
  async function replace(documents: readonly MemberDocument[]): Promise<number> {
    if (documents.length === 0) return 0;
    // Whole documents, so that readers of the change stream need no look-up.
    const replacements = documents.map((replacement) => ({
      replaceOne: {
        filter: { _id: replacement._id, version: { $not: { $gte: replacement.version } } },
        replacement,
      },
    }));
    const result = await orUnavailable(members.bulkWrite(replacements, { ordered: false }));
    return result.matchedCount;
  }

  return {
    write: async (changes) => {
      let open = changes;
      let changed = 0;
      // Retries members that a concurrent writer inserted first; documents are never deleted at once, so one retry is enough.
      while (open.length > 0) {
        const stored = await storedVersions([...new Set(open.map(memberIdOf))]);
        const newest = newestOf(open, stored);
        const unknown = newest.filter(({ _id }) => !stored.has(_id));
        const known = newest.filter(({ _id }) => stored.has(_id));
        // Inserting is several times faster than replacing, and imported members are mostly new.
        const [late, replaced] = await Promise.all([insert(unknown), replace(known)]);
        changed += unknown.length - late.size + replaced;
        open = open.filter((change) => late.has(memberIdOf(change)));
      }
      return changed;
    },
  };
}

/**
 * A change that arrives after its member's removal comes within moments; after an outage, within days; from a parked message, when a person
 * replays it, which an alert demands at once. After 90 days none is expected; the call log is kept as long.
 */
const TOMBSTONES_KEPT_DAYS = 90;

/** Safe to repeat. The first time it reads every member, which may take minutes. */
export async function expireTombstones(connection: Connection): Promise<void> {
  const members = connection.collection<MemberDocument>(MEMBERS);
  await orUnavailable(
    members.createIndex(
      { removedAt: 1 },
      {
        name: 'tombstones',
        expireAfterSeconds: TOMBSTONES_KEPT_DAYS * 86_400,
        partialFilterExpression: { removedAt: { $exists: true } },
      },
    ),
  );
}

function memberIdOf(change: MemberChange): number {
  return 'facts' in change ? change.facts.memberId : change.removed;
}

/** One document for each member with a newer change. */
function newestOf(
  changes: readonly MemberChange[],
  stored: ReadonlyMap<number, number>,
): readonly MemberDocument[] {
  const newest = new Map<number, MemberDocument>();
  for (const change of changes) {
    const id = memberIdOf(change);
    const version = newerVersion(newest.get(id)?.version ?? stored.get(id), change.version);
    if (version === null) continue;
    newest.set(
      id,
      'facts' in change ? documentOf(change.facts, version) : tombstoneOf(id, version, new Date()),
    );
  }
  return [...newest.values()];
}

const DUPLICATE_KEY = 11_000;

/** Throws any other error. */
function indexesOfDuplicates(error: unknown): readonly number[] {
  if (!(error instanceof mongoose.mongo.MongoBulkWriteError)) throw error;
  const failures = [error.writeErrors].flat();
  if (failures.some((failure) => failure.code !== DUPLICATE_KEY)) throw error;
  return failures.map((failure) => failure.index);
}
