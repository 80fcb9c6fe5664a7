/** Ordering without locks: a document contains a version, and an older version never replaces a newer one. */

/** Versions are never negative, so any version replaces a missing document. */
const storedVersion = { $ifNull: ['$version', -1] };

/** One upsert by `_id`, decided inside MongoDB, so that repeats and any order of the same changes have the same result. */
export function replaceIfNewer<T extends { readonly _id: unknown }>(
  document: T,
  version: number,
): { filter: { _id: T['_id'] }; update: Record<string, unknown>[]; upsert: true } {
  const replacement = { $mergeObjects: [{ $literal: document }, { version }] };
  return {
    filter: { _id: document._id },
    update: [{ $replaceWith: { $cond: [{ $lt: [storedVersion, version] }, replacement, '$$ROOT'] } }],
    upsert: true,
  };
}
