/** Reads members from MongoDB for an audience index: first all of them, then every change. */

import { FINEST_DECIMALS } from '@offer-ads/contracts/audience/coarse-position';
import { orUnavailable, withinBudget } from '@offer-ads/platform/mongo/mongo-faults';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import mongoose, { type Connection } from 'mongoose';
import type { IndexedMember } from '../audience-index/audience-index.ts';
import { ALL_MEMBERS, PARTITION_HASH, type Partition } from '../domain/members/partition.ts';
import {
  eligible as everyEligible,
  indexedFields,
  indexedMemberOf,
  isEligible,
  type MemberDocument,
} from '../members/member-document.ts';
import { MEMBERS } from '../members/members-store.ts';
import { readRawMember } from './read-raw-member.ts';

/** A place in the change stream: a resume token as text, valid while MongoDB's oplog reaches back to it. */
export type Position = string;

/** A mark that a replica writes. When it appears in the stream, the replica has seen everything that was written before it. */
export type Mark = { readonly of: string; readonly number: number };

export type Change =
  /** Null: the member does not count (any more). */
  { readonly memberId: number; readonly member: IndexedMember | null } | { readonly mark: Mark };

/** The changes since a position are no longer available. */
export class HistoryLostError extends Error {
  override readonly name = 'HistoryLostError';
}

export type Following = {
  /**
   * Waits at most half a second and then returns null.
   * @throws {HistoryLostError} if only a rebuild can find out what has changed
   */
  readonly next: () => Promise<Change | null>;
  /** The position after the last result of `next`. */
  readonly position: () => Position;
  /** A waiting `next` throws at once. */
  readonly close: () => Promise<void>;
};

export type MembersFeed = {
  /** Creates collections and indexes that are missing; safe to repeat. */
  readonly prepare: () => Promise<void>;
  /** The identity of the collection: a collection that is created again has another one. */
  readonly identity: () => Promise<string>;
  readonly position: () => Promise<Position>;
  readonly follow: (after: Position) => Following;
  /** Approximately how many members `everybody` returns. */
  readonly expected: () => Promise<number>;
  /** All members who count, in batches. */
  readonly everybody: () => AsyncIterable<readonly IndexedMember[]>;
  /** The members with these ids who count. */
  readonly those: (ids: readonly number[]) => Promise<ReadonlyMap<number, IndexedMember>>;
  readonly setMark: (mark: Mark) => Promise<void>;
  /** Whether this mark, or a later one of the same replica, was set in this database. */
  readonly knowsMark: (mark: Mark) => Promise<boolean>;
  /**
   * Takes the turn to build an index anew, or keeps it for longer. One replica at a time has the turn of its partition; it ends by itself
   * two minutes after it was last taken.
   * @returns false while another replica has it
   */
  readonly takeTurn: (replica: string) => Promise<boolean>;
  readonly giveTurnBack: (replica: string) => Promise<void>;
};

const { EJSON, deserialize } = mongoose.mongo.BSON;

type MarkDocument = { _id: string; number: number; at: Date };
const MARKS = 'audience_marks';
type TurnDocument = { _id: string; replica: string; until: Date };
const TURNS = 'audience_turns';
/** A build renews it every ten seconds, so a replica that was killed delays the next one for this long. */
const TURN_MS = 120_000;
/** A replica that was stopped for longer than any oplog reaches back rebuilds its index anyway. */
const MARKS_KEPT_SECONDS = 30 * 86_400;

/** Applying this many takes some ten milliseconds, during which nothing else runs. */
const CHANGES_AT_ONCE = 500;
const LONGEST_WAIT_MS = 500;
/** Half a megabyte: large enough that round trips do not matter, small enough for a slow disk to answer in time. */
const MEMBERS_AT_ONCE = 5_000;

/**
 * @param decimals the number of decimals to which positions are rounded, whatever MongoDB holds
 * @param partition only its members and their changes are read
 */
export function openMembersFeed(
  connection: Connection,
  metrics: Metrics,
  decimals = FINEST_DECIMALS,
  partition = ALL_MEMBERS,
): MembersFeed {
  const members = connection.collection<MemberDocument>(MEMBERS);
  const marks = connection.collection<MarkDocument>(MARKS);
  const turns = connection.collection<TurnDocument>(TURNS);
  const turn = `${partition.number}/${partition.of}`;
  const eligible = { ...everyEligible, ...belonging('$_id', partition) };
  const unreadable = metrics.counter({
    name: 'audience_unreadable_members_total',
    help: 'Members that MongoDB holds in a form which this service never writes; they count for nothing',
  });

  function read(document: Partial<MemberDocument>): IndexedMember | null {
    const member = indexedMemberOf(document, decimals);
    if (member === null) unreadable.inc();
    return member;
  }

  function watch(o: { readonly after?: Position; readonly maxAwaitTimeMS: number }) {
    return database(connection).watch<MemberDocument | MarkDocument>(ofMembersAndMarks(partition), {
      // This service writes whole documents; this option is for repairs that a person makes by hand.
      fullDocument: 'updateLookup',
      batchSize: CHANGES_AT_ONCE,
      maxAwaitTimeMS: o.maxAwaitTimeMS,
      ...(o.after !== undefined && { resumeAfter: EJSON.parse(o.after) }),
    });
  }

  function changeOf(
    event: mongoose.mongo.ChangeStreamDocument<MemberDocument | MarkDocument>,
  ): Change | null {
    const isMark = 'ns' in event && 'coll' in event.ns && event.ns.coll === MARKS;
    if (!('documentKey' in event)) {
      if (isMark) return null;
      throw new HistoryLostError(`the collection of members is another one now: ${event.operationType}`);
    }
    const document = 'fullDocument' in event ? event.fullDocument : undefined;
    if (isMark) return document === undefined ? null : { mark: markOf(document as MarkDocument) };
    const memberId = event.documentKey._id as number;
    // Without a document, the member was deleted, or the deletion follows in the stream.
    const counts = document !== undefined && document !== null && isEligible(document as MemberDocument);
    return { memberId, member: counts ? read(document as MemberDocument) : null };
  }

  return {
    prepare: async () => {
      await orUnavailable(marks.createIndex({ at: 1 }, { expireAfterSeconds: MARKS_KEPT_SECONDS }));
      await orUnavailable(database(connection).createCollection(MEMBERS)).catch(unlessItExists);
    },
    identity: async () => {
      const list = database(connection).listCollections({ name: MEMBERS }, withinBudget());
      const [found] = await orUnavailable(list.toArray());
      const uuid = found !== undefined && 'info' in found ? found.info?.uuid : undefined;
      if (uuid === undefined) throw new Error('the collection of members has no identity');
      // So that no snapshot of another partition is loaded.
      return uuid.toString('hex') + (partition.of === 1 ? '' : ` ${partition.number}/${partition.of}`);
    },
    position: async () => {
      // Only the position is wanted, so the first reply must not wait for a change.
      await using stream = watch({ maxAwaitTimeMS: 1 });
      await orUnavailable(stream.tryNext());
      return positionOf(stream);
    },
    follow: (after) => {
      const stream = watch({ after, maxAwaitTimeMS: LONGEST_WAIT_MS });
      const closed = Promise.withResolvers<never>();
      closed.promise.catch(() => {});
      // The stream's own token may already be that of a change which `next` did not return because of `close`.
      let token = EJSON.parse(after);
      return {
        next: async () => {
          const event = await Promise.race([orUnavailable(stream.tryNext()), closed.promise]).catch(
            throwAsLost,
          );
          token = stream.resumeToken;
          return event && changeOf(event);
        },
        position: () => positionOf({ resumeToken: token }),
        close: () => {
          // MongoDB answers a waiting request only at the end of its wait, also when its cursor is closed.
          closed.reject(new Error('following the changes of members was ended'));
          return stream.close();
        },
      };
    },
    expected: async () => {
      const all = await orUnavailable(members.estimatedDocumentCount(withinBudget()));
      return Math.ceil(all / partition.of);
    },
    async *everybody() {
      const options = {
        raw: true,
        batchSize: MEMBERS_AT_ONCE,
        // The stream, too, contains only what a failover cannot undo.
        readConcern: 'majority',
      } as const;
      await using cursor = members.find<Buffer>(eligible, options);
      let more = orUnavailable(cursor.hasNext());
      while (await more) {
        const documents = cursor.readBufferedDocuments();
        // MongoDB reads the next members while these are processed.
        more = orUnavailable(cursor.hasNext());
        more.catch(() => {});
        yield documents.flatMap((bytes) => read(readRawMember(bytes) ?? deserialize(bytes)) ?? []);
      }
    },
    those: async (ids) => {
      const filter = { ...eligible, _id: { $in: [...ids] } };
      const options = { projection: indexedFields, batchSize: ids.length, ...withinBudget() };
      const documents = await orUnavailable(members.find(filter, options).toArray());
      return new Map(
        documents.flatMap((document) => {
          const member = read(document);
          return member === null ? [] : [[member.memberId, member] as const];
        }),
      );
    },
    setMark: async ({ of, number }) => {
      await orUnavailable(marks.replaceOne({ _id: of }, { number, at: new Date() }, { upsert: true }));
    },
    knowsMark: async ({ of, number }) => {
      const known = await orUnavailable(marks.findOne({ _id: of }, withinBudget()));
      return known !== null && known.number >= number;
    },
    takeTurn: async (replica) => {
      const free = { replica: '', until: new Date(0) };
      await orUnavailable(turns.updateOne({ _id: turn }, { $setOnInsert: free }, { upsert: true }));
      const mayTake = { $or: [{ $eq: ['$replica', replica] }, { $lt: ['$until', '$$NOW'] }] };
      const { matchedCount } = await orUnavailable(
        turns.updateOne({ _id: turn, $expr: mayTake }, [
          { $set: { replica, until: { $add: ['$$NOW', TURN_MS] } } },
        ]),
      );
      return matchedCount === 1;
    },
    giveTurnBack: async (replica) => {
      await orUnavailable(turns.deleteOne({ _id: turn, replica }));
    },
  };
}

/**
 * Includes events about the two collections themselves, for example a drop: after such an event, changes alone do not say which members
 * exist.
 */
function ofMembersAndMarks(partition: Partition) {
  return [
    {
      $match: {
        $or: [
          { 'ns.coll': { $in: [MEMBERS, MARKS] } },
          { 'to.coll': MEMBERS },
          { operationType: { $in: ['dropDatabase', 'invalidate'] } },
        ],
        ...belonging('$documentKey._id', partition),
      },
    },
    { $project: { operationType: 1, ns: 1, documentKey: 1, fullDocument: 1 } },
  ];
}

/** Computes `partitionOf` in MongoDB. Everything without a member's id, such as marks, belongs to every partition. */
function belonging(id: string, { number, of }: Partition) {
  if (of === 1) return {};
  const { multiplier, modulus } = PARTITION_HASH;
  const hash = { $mod: [{ $multiply: [{ $mod: [id, modulus] }, multiplier] }, modulus] };
  return { $expr: { $cond: [{ $isNumber: id }, { $eq: [{ $mod: [hash, of] }, number] }, true] } };
}

function markOf({ _id, number }: MarkDocument): Mark {
  return { of: _id, number };
}

function positionOf(stream: { readonly resumeToken: unknown }): Position {
  return EJSON.stringify(stream.resumeToken);
}

function database({ db }: Connection): mongoose.mongo.Db {
  if (db === undefined) throw new Error('mongo: not connected');
  return db;
}

/** Server codes: capped position lost, invalid token, fatal change stream error, history lost. */
const LOST_CODES: ReadonlySet<unknown> = new Set([136, 260, 280, 286]);

function throwAsLost(error: unknown): never {
  if (error instanceof mongoose.mongo.MongoServerError && LOST_CODES.has(error.code))
    throw new HistoryLostError(`changes are told no further: ${error.message}`, { cause: error });
  throw error;
}

const NAMESPACE_EXISTS = 48;

function unlessItExists(error: unknown): void {
  if (error instanceof mongoose.mongo.MongoServerError && error.code === NAMESPACE_EXISTS) return;
  throw error;
}
