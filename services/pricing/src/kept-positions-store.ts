/** Rounds positions that MongoDB holds finer than the setting allows: written before the setting was lowered, or by an earlier version. */
import { orUnavailable } from '@offer-ads/platform/mongo-faults';
import type { Connection } from 'mongoose';
import type { MemberDocument } from './member-document.ts';
import { MEMBERS } from './members-store.ts';

const AT_ONCE = 1_000;

/**
 * Reads every position once and writes those that are too fine. Safe to repeat and to run in several replicas at once; versions stay, so
 * a change that comes meanwhile wins.
 * @returns how many were rounded
 */
export async function coarsenKeptPositions(
  connection: Connection,
  o: { readonly decimals: number; readonly signal: AbortSignal },
): Promise<number> {
  const members = connection.collection<MemberDocument>(MEMBERS);
  const coordinate = (index: number) => ({
    $round: [{ $arrayElemAt: ['$position.coordinates', index] }, o.decimals],
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
  while (!o.signal.aborted && (await orUnavailable(cursor.hasNext()))) {
    ids.push(...cursor.readBufferedDocuments().map(({ _id }) => _id));
    if (ids.length < AT_ONCE) continue;
    await write(ids);
    ids = [];
  }
  if (!o.signal.aborted) await write(ids);
  return changed;
}
