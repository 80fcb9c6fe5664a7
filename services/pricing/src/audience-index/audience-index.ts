/**
 * An in-memory index of the members who count, so that an audience is counted exactly and in microseconds: a packed Hilbert tree with
 * bit-sliced columns. The rest of the service imports only this file.
 */
import { type AudienceIndex, type AudienceOptions, emptyParts, indexOn } from './index-parts.ts';

/** An empty index. */
export function createAudienceIndex(options: AudienceOptions = {}): AudienceIndex {
  return indexOn(emptyParts(options));
}

export { startAudienceBuild } from './build.ts';
export type { AudienceIndex, AudienceOptions, IndexedMember } from './index-parts.ts';
export { loadAudienceIndex } from './load.ts';
export { AudienceFullError } from './memory/heap.ts';
export { AudienceBytesError } from './memory/saved-bytes.ts';
