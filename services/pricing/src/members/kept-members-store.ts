/** Brings stored members up to date with today's rules: rounds finer positions once, and lets tombstones expire. */
import { orUnavailable, withinBudget } from '@offer-ads/platform/mongo/mongo-faults';
import type { Connection } from 'mongoose';
import type { MemberDocument } from './member-document.ts';
import { MEMBERS } from './members-store.ts';

const AT_ONCE = 1_000;
const DECIMALS = 2;

/**
 * Reads every position and rewrites those with more than two decimals; once it has read all of them, never again. Safe to run in several
 * replicas at once; versions stay, so a concurrent change wins.
 * @returns how many were rounded
 */
export async function roundKeptPositions(connection: Connection, signal: AbortSignal): Promise<number> {
  const done = connection.collection<{ _id: string; at: Date }>('migrations');
  const isDone = await orUnavailable(done.findOne({ _id: 'positions-rounded' }, withinBudget()));
  if (isDone !== null) return 0;
  const members = connection.collection<MemberDocument>(MEMBERS);
  const coordinate = (index: number) => ({
    $round: [{ $arrayElemAt: ['$position.coordinates', index] }, DECIMALS],
  });
  const rounded = [coordinate(0), coordinate(1)];
  const tooFine = {
    'position.coordinates.1': { $type: 'number' as const },
    $expr: { $ne: ['$position.coordinates', rounded] },
  };
  let changed = 0;
  const write = async (ids: readonly number[]) => {
    const filter = { _id: { $in: [...ids] }, ...tooFine };
    const update = [{ $set: { 'position.coordinates': rounded } }];
    changed += (await orUnavailable(members.updateMany(filter, update))).modifiedCount;
  };
  await using cursor = members.find(tooFine, { projection: { _id: 1 }, batchSize: AT_ONCE });
  let ids: number[] = [];
  while (await orUnavailable(cursor.hasNext())) {
    signal.throwIfAborted();
    ids.push(...cursor.readBufferedDocuments().map(({ _id }) => _id));
    if (ids.length < AT_ONCE) continue;
    await write(ids);
    ids = [];
  }
  await write(ids);
  const mark = { $set: { at: new Date() } };
  await orUnavailable(done.updateOne({ _id: 'positions-rounded' }, mark, { upsert: true }));
  return changed;
}

/**
 * A change that arrives after its member's removal comes within moments; after an outage, within days; from a parked message, when a person
 * replays it, which an alert demands at once. After 90 days none is expected; the call log is kept as long.
 */
export const TOMBSTONES_KEPT_DAYS = 90;

/** Safe to repeat. */
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
