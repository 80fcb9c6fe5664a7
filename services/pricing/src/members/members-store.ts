/** Members as they are written to MongoDB: in any order and as often as they come, the newest version stays. */
import type { MemberFacts } from '@offer-ads/contracts/events/community';
import { orUnavailable, withinBudget } from '@offer-ads/platform/mongo/mongo-faults';
import mongoose, { type Connection } from 'mongoose';
import { FINEST_DECIMALS } from '../domain/members/coarse-position.ts';
import { newerVersion, type Version } from '../domain/members/member-version.ts';
import { documentOf, type MemberDocument, tombstoneOf } from './member-document.ts';

/** What is heard of a member; a removal keeps nothing of them but a tombstone. */
export type MemberChange =
  | { readonly facts: MemberFacts; readonly version: Version }
  | { readonly removed: number; readonly version: Version };

export type MembersStore = {
  /**
   * Up to some thousand at once. Of several changes for one member the newest version wins; those without a version of their
   * own in the order in which they stand. Safe to repeat.
   * @returns how many members changed; the others were known as they are, or newer
   */
  readonly write: (changes: readonly MemberChange[]) => Promise<number>;
};

export const MEMBERS = 'members';

/** @param decimals to which positions are rounded before they are written */
export function openMembersStore(connection: Connection, decimals = FINEST_DECIMALS): MembersStore {
  const members = connection.collection<MemberDocument>(MEMBERS);

  async function storedVersions(ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
    const cursor = members.find(
      { _id: { $in: [...ids] } },
      { projection: { version: 1 }, batchSize: ids.length, ...withinBudget() },
    );
    const stored = await orUnavailable(cursor.toArray());
    return new Map(stored.map(({ _id, version }) => [_id, version]));
  }

  /** @returns ids of those whom another writer brought in first */
  async function insert(documents: readonly MemberDocument[]): Promise<ReadonlySet<number>> {
    if (documents.length === 0) return new Set();
    try {
      await orUnavailable(members.insertMany([...documents], { ordered: false }));
      return new Set();
    } catch (error) {
      return new Set(indexesOfDuplicates(error).flatMap((index) => documents[index]?._id ?? []));
    }
  }

  /** What another writer replaced by something newer meanwhile stays. */
  async function replace(documents: readonly MemberDocument[]): Promise<number> {
    if (documents.length === 0) return 0;
    // Whole documents, so that whoever follows the changes need not look up what they amount to.
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
      // Once more for those whom another writer brought in just now; nobody ever goes again.
      while (open.length > 0) {
        const stored = await storedVersions([...new Set(open.map(memberIdOf))]);
        const newest = newestOf(open, stored, decimals);
        const unknown = newest.filter(({ _id }) => !stored.has(_id));
        const known = newest.filter(({ _id }) => stored.has(_id));
        // Inserting is several times as fast as replacing, and a bulk is mostly new members.
        const [late, replaced] = await Promise.all([insert(unknown), replace(known)]);
        changed += unknown.length - late.size + replaced;
        open = open.filter((change) => late.has(memberIdOf(change)));
      }
      return changed;
    },
  };
}

function memberIdOf(change: MemberChange): number {
  return 'facts' in change ? change.facts.memberId : change.removed;
}

/** One document for each member of whom there is anything new. */
function newestOf(
  changes: readonly MemberChange[],
  stored: ReadonlyMap<number, number>,
  decimals: number,
): readonly MemberDocument[] {
  const newest = new Map<number, MemberDocument>();
  for (const change of changes) {
    const id = memberIdOf(change);
    const version = newerVersion(newest.get(id)?.version ?? stored.get(id), change.version);
    if (version === null) continue;
    newest.set(
      id,
      'facts' in change ? documentOf(change.facts, version, decimals) : tombstoneOf(id, version, new Date()),
    );
  }
  return [...newest.values()];
}

const DUPLICATE_KEY = 11_000;

/** Throws what is anything else. */
function indexesOfDuplicates(error: unknown): readonly number[] {
  if (!(error instanceof mongoose.mongo.MongoBulkWriteError)) throw error;
  const failures = [error.writeErrors].flat();
  if (failures.some((failure) => failure.code !== DUPLICATE_KEY)) throw error;
  return failures.map((failure) => failure.index);
}
