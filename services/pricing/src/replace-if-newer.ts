/** Order without locks: a document carries the version of what it tells, and an older version never replaces a newer one. */

/** A number of the sender's, or `{ atLeast }`: this change is newer than whatever is stored and takes a version above it. */
export type Version = number | { readonly atLeast: number };

/** Versions are never negative, so that anything replaces what is not there. */
const storedVersion = { $ifNull: ['$version', -1] };

/** One upsert by `_id`, decided inside the database, so that repeats and any order of the same changes end the same. */
export function replaceIfNewer<T extends { readonly _id: unknown }>(
  document: T,
  version: Version,
): { filter: { _id: T['_id'] }; update: Record<string, unknown>[]; upsert: true } {
  const newVersion =
    typeof version === 'number' ? version : { $max: [version.atLeast, { $add: [storedVersion, 1] }] };
  const replacement = { $mergeObjects: [{ $literal: document }, { version: newVersion }] };
  return {
    filter: { _id: document._id },
    update: [{ $replaceWith: { $cond: [{ $lt: [storedVersion, newVersion] }, replacement, '$$ROOT'] } }],
    upsert: true,
  };
}
