/** Reads members from MongoDB for an audience in memory: first all of them, then every change. */
import { setImmediate as afterOtherWork } from 'node:timers/promises';
import { openMongo } from '@offer-ads/platform/mongo/mongo';
import { orUnavailable, withinBudget } from '@offer-ads/platform/mongo/mongo-faults';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import mongoose, { type Connection } from 'mongoose';
import {
  type CountedMember,
  countedMemberOf,
  eligible,
  isEligible,
  type MemberDocument,
} from '../members/member-document.ts';
import { MEMBERS } from '../members/members-store.ts';

/** A position in the change stream: a resume token as text, valid while MongoDB's oplog reaches back to it. */
export type Position = string;

/** A mark that a replica writes. When it appears in the stream, the replica has seen everything that was written before it. */
export type Mark = { readonly of: string; readonly number: number };

/** Null: the member does not count (any more). */
export type Change =
  | { readonly memberId: number; readonly member: CountedMember | null }
  | { readonly mark: Mark };

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
  readonly position: () => Promise<Position>;
  readonly follow: (after: Position) => Following;
  readonly setMark: (mark: Mark) => Promise<void>;
};

const { BSONType, EJSON, onDemand } = mongoose.mongo.BSON;
const { parseToElements, NumberUtils, ByteUtils } = onDemand;

type MarkDocument = { _id: string; number: number; at: Date };
const MARKS = 'audience_marks';
/** A replica that was stopped for longer than any oplog reaches back rebuilds its index anyway. */
const MARKS_KEPT_SECONDS = 30 * 86_400;

/** Applying this many takes some ten milliseconds, during which nothing else runs. */
const CHANGES_AT_ONCE = 500;
const LONGEST_WAIT_MS = 500;
const ENDED = 'following the changes of members was ended';
const countedFields = { 'position.coordinates': 1, gender: 1, interests: 1 } as const;
/** A tenth of a megabyte. */
const MEMBERS_AT_ONCE = 1_000;

/** @param onUnreadable called for each document that this service never writes; it counts for nothing */
export function openMembersFeed(connection: Connection, onUnreadable: () => void): MembersFeed {
  const marks = connection.collection<MarkDocument>(MARKS);

  function watch(o: { readonly after?: Position; readonly maxAwaitTimeMS: number }) {
    return database(connection).watch<MemberDocument | MarkDocument>(ofMembersAndMarks, {
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
    if (isMark) {
      const mark = (document ?? null) as MarkDocument | null;
      return mark && { mark: { of: mark._id, number: mark.number } };
    }
    const memberId = event.documentKey._id as number;
    // Without a document, the member was deleted, or the deletion follows in the stream.
    const stored = (document ?? {}) as Partial<MemberDocument>;
    const member = isEligible(stored) ? readMember(stored, onUnreadable) : null;
    return { memberId, member };
  }

  return {
    prepare: async () => {
      await orUnavailable(marks.createIndex({ at: 1 }, { expireAfterSeconds: MARKS_KEPT_SECONDS }));
      await orUnavailable(database(connection).createCollection(MEMBERS)).catch(unlessItExists);
    },
    position: async () => {
      // Only the position is wanted, so the first reply must not wait for a change.
      await using stream = watch({ maxAwaitTimeMS: 1 });
      await orUnavailable(stream.tryNext());
      return positionOf(stream);
    },
    follow: (after) => {
      const stream = watch({ after, maxAwaitTimeMS: LONGEST_WAIT_MS });
      /** Of the `next` that waits; one for each, because a promise keeps all that ever waited for it. */
      let waiting: PromiseWithResolvers<never> | undefined;
      let isClosed = false;
      // The stream's own token may already be that of a change which `next` did not return because of `close`.
      let token = EJSON.parse(after);
      return {
        next: async () => {
          waiting = Promise.withResolvers<never>();
          waiting.promise.catch(() => {});
          if (isClosed) throw new Error(ENDED);
          const event = await Promise.race([orUnavailable(stream.tryNext()), waiting.promise]).catch(
            throwAsLost,
          );
          token = stream.resumeToken;
          return event && changeOf(event);
        },
        position: () => positionOf({ resumeToken: token }),
        close: () => {
          // MongoDB answers a waiting request only at the end of its wait, also when its cursor is closed.
          isClosed = true;
          waiting?.reject(new Error(ENDED));
          return stream.close();
        },
      };
    },
    setMark: async ({ of, number }) => {
      await orUnavailable(marks.replaceOne({ _id: of }, { number, at: new Date() }, { upsert: true }));
    },
  };
}

/**
 * All members who count, by a connection of its own: for a thread. Yields after each batch how many there are, about.
 * @param onUnreadable called for each document that this service never writes
 */
export async function* readEverybody(
  url: string,
  onMember: (member: CountedMember) => void,
  onUnreadable: () => void,
): AsyncGenerator<number> {
  // Failures are thrown, and reported by the service.
  const logger = createLogger({ service: 'pricing', level: 'silent' });
  // Reading everybody takes longer than calls usually may.
  await using mongo = await openMongo({ url, patient: true, logger, metrics: createMetrics('pricing') });
  const members = mongo.connection.collection<MemberDocument>(MEMBERS);
  const expected = await orUnavailable(members.estimatedDocumentCount(withinBudget()));
  await using cursor = members.find(eligible, {
    projection: countedFields,
    batchSize: MEMBERS_AT_ONCE,
    // The stream, too, contains only what a failover cannot undo.
    readConcern: 'majority',
    // The driver would parse a whole batch before it asks for the next one, and V8 would copy what lives so long.
    raw: true,
  });
  let more = orUnavailable(cursor.hasNext());
  while (await more) {
    const documents = cursor.readBufferedDocuments() as unknown as readonly Uint8Array[];
    more = orUnavailable(cursor.hasNext());
    more.catch(() => {});
    // Then the request is on its way: MongoDB reads the next members while these are parsed.
    await afterOtherWork();
    for (const document of documents) {
      const member = readMember(documentIn(document), onUnreadable);
      if (member !== null) onMember(member);
    }
    yield expected;
  }
}

function readMember(document: Partial<MemberDocument>, onUnreadable: () => void): CountedMember | null {
  const member = countedMemberOf(document);
  if (member === null) onUnreadable();
  return member;
}

/** No two projected fields begin with the same letter. To read whole names, as `deserialize` does, takes three times as long. */
const nameByLetter: string[] = [];
for (const name of ['_id', 'position', 'coordinates', 'gender', 'interests'])
  nameByLetter[name.charCodeAt(0)] = name;

/** A projected document, or what is inside of it, out of the bytes that MongoDB sends. */
function documentIn(bytes: Uint8Array, start = 0): Record<string, unknown> {
  const document: Record<string, unknown> = {};
  for (const element of parseToElements(bytes, start))
    document[nameByLetter[bytes[element[1]] as number] as string] = valueOf(bytes, element);
  return document;
}

function valuesIn(bytes: Uint8Array, start: number): readonly unknown[] {
  const values: unknown[] = [];
  for (const element of parseToElements(bytes, start)) values.push(valueOf(bytes, element));
  return values;
}

/** @returns undefined for a type that no counted field has */
function valueOf(bytes: Uint8Array, [type, , , offset, length]: mongoose.mongo.BSON.OnDemand['BSONElement']) {
  switch (type) {
    case BSONType.double:
      return NumberUtils.getFloat64LE(bytes, offset);
    case BSONType.int:
      return NumberUtils.getInt32LE(bytes, offset);
    case BSONType.long:
      return Number(NumberUtils.getBigInt64LE(bytes, offset));
    case BSONType.string:
      return ByteUtils.toUTF8(bytes, offset + 4, offset + length - 1, false);
    case BSONType.object:
      return documentIn(bytes, offset);
    case BSONType.array:
      return valuesIn(bytes, offset);
    default:
      return undefined;
  }
}

/**
 * Includes events about the two collections themselves, for example a drop: after such an event, changes alone do not say which members
 * exist.
 */
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
