/**
 * The members who count, held in memory so that an audience is counted exactly and in microseconds: a packed Hilbert tree
 * with bit-sliced columns. This is all that the rest of the service sees of it.
 */
import { type AudienceIndex, type AudienceOptions, emptyParts, indexOn } from './index-parts.ts';

/** Without anybody. */
export function createAudienceIndex(options: AudienceOptions = {}): AudienceIndex {
  return indexOn(emptyParts(options));
}

export { startAudienceBuild } from './build.ts';
export type { AudienceIndex, AudienceOptions, IndexedMember } from './index-parts.ts';
export { loadAudienceIndex } from './load.ts';
export { AudienceFullError } from './memory/heap.ts';
export { AudienceBytesError } from './memory/saved-bytes.ts';
