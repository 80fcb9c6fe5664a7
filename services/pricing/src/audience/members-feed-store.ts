/** The members as an audience index reads them from MongoDB: all of them at once, and then every change as it is written. */

import { orUnavailable, withinBudget } from '@offer-ads/platform/mongo/mongo-faults';
import type { Metrics } from '@offer-ads/platform/telemetry/metrics';
import mongoose, { type Connection } from 'mongoose';
import type { IndexedMember } from '../audience-index/audience-index.ts';
import { FINEST_DECIMALS } from '../domain/members/coarse-position.ts';
import {
  eligible,
  indexedFields,
  indexedMemberOf,
  isEligible,
  type MemberDocument,
} from '../members/member-document.ts';
import { MEMBERS } from '../members/members-store.ts';
import { readRawMember } from './read-raw-member.ts';

/** A place in the stream of changes: a resume token as text, good for as long as MongoDB's oplog goes back to it. */
export type Position = string;

/** Written by a replica to learn, when it meets it in the stream, that it knows everything that was written before. */
export type Mark = { readonly of: string; readonly number: number };

export type Change =
  /** Null: this member does not count, or no longer. */
  { readonly memberId: number; readonly member: IndexedMember | null } | { readonly mark: Mark };

/** The changes since a position can no longer be had one by one. */
export class HistoryLostError extends Error {
  override readonly name = 'HistoryLostError';
}

export type Following = {
  /**
   * Waits half a second at most, and then gives null.
   * @throws {HistoryLostError} when only a rebuild can tell what has changed
   */
  readonly next: () => Promise<Change | null>;
  /** Behind what `next` gave last. */
  readonly position: () => Position;
  /** Ends a `next` that waits, which then throws. */
  readonly close: () => Promise<void>;
};

export type MembersFeed = {
  /** Makes what is missing; safe to repeat. */
  readonly prepare: () => Promise<void>;
  /** Names the collection: another one has another name, also when it is made anew in the same place. */
  readonly identity: () => Promise<string>;
  readonly position: () => Promise<Position>;
  readonly follow: (after: Position) => Following;
  /** About how many `everybody` will give, or more. */
  readonly expected: () => Promise<number>;
  /** All who count, in batches. */
  readonly everybody: () => AsyncIterable<readonly IndexedMember[]>;
  /** Those of them who count. */
  readonly those: (ids: readonly number[]) => Promise<ReadonlyMap<number, IndexedMember>>;
  readonly setMark: (mark: Mark) => Promise<void>;
  /** Whether this mark, or a later one of the same replica, was set in this database. */
  readonly knowsMark: (mark: Mark) => Promise<boolean>;
};

const { EJSON, deserialize } = mongoose.mongo.BSON;

type MarkDocument = { _id: string; number: number; at: Date };
const MARKS = 'audience_marks';
/** A replica that has been away longer than any oplog reaches back builds anew anyway. */
const MARKS_KEPT_SECONDS = 30 * 86_400;

/** As much as is applied in some ten milliseconds, because nothing else runs meanwhile. */
const CHANGES_AT_ONCE = 500;
const LONGEST_WAIT_MS = 500;
/** Half a megabyte: large enough that round trips do not count, small enough for a slow disk to answer in time. */
const MEMBERS_AT_ONCE = 5_000;

/** @param decimals to which positions are rounded, whatever MongoDB holds */
export function openMembersFeed(
  connection: Connection,
  metrics: Metrics,
  decimals = FINEST_DECIMALS,
): MembersFeed {
  const members = connection.collection<MemberDocument>(MEMBERS);
  const marks = connection.collection<MarkDocument>(MARKS);
  const unreadable = metrics.counter({
    name: 'audience_unreadable_members_total',
    help: 'Members that MongoDB holds in a form which this service never writes; they count for nothing',
  });

  function read(document: Partial<MemberDocument>): IndexedMember | null {
    const member = indexedMemberOf(document, decimals);
    if (member === null) unreadable.inc();
    return member;
  }

  function watch(after?: Position) {
    return database(connection).watch<MemberDocument | MarkDocument>(ofMembersAndMarks, {
      // Our own writes are whole documents; this is for those of a person who repairs something by hand.
      fullDocument: 'updateLookup',
      batchSize: CHANGES_AT_ONCE,
      maxAwaitTimeMS: LONGEST_WAIT_MS,
      ...(after !== undefined && { resumeAfter: EJSON.parse(after) }),
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
    // Without a document: it was deleted, or will be told to be.
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
      return uuid.toString('hex');
    },
    position: async () => {
      await using stream = watch();
      await orUnavailable(stream.tryNext());
      return positionOf(stream);
    },
    follow: (after) => {
      const stream = watch(after);
      return {
        next: async () => {
          const event = await orUnavailable(stream.tryNext()).catch(throwAsLost);
          return event && changeOf(event);
        },
        position: () => positionOf(stream),
        close: () => stream.close(),
      };
    },
    expected: () => orUnavailable(members.estimatedDocumentCount(withinBudget())),
    async *everybody() {
      const options = {
        raw: true,
        batchSize: MEMBERS_AT_ONCE,
        // What a failover could still undo is not told by the stream either.
        readConcern: 'majority',
      } as const;
      await using cursor = members.find<Buffer>(eligible, options);
      let more = orUnavailable(cursor.hasNext());
      while (await more) {
        const documents = cursor.readBufferedDocuments();
        // MongoDB fetches the next ones while these are dealt with.
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
  };
}

/** Whatever happens to the two collections themselves, too: after that, changes alone no longer tell who is there. */
const ofMembersAndMarks = [
  {
    $match: {
      $or: [
        { 'ns.coll': { $in: [MEMBERS, MARKS] } },
        { 'to.coll': MEMBERS },
        { operationType: { $in: ['dropDatabase', 'invalidate'] } },
      ],
    },
  },
  { $project: { operationType: 1, ns: 1, documentKey: 1, fullDocument: 1 } },
];

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
