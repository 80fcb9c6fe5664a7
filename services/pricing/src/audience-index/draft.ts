/** A superblock under construction: dense and sorted, to be written in one go. Drafts are reused. */
import { BITMAP, BLOCKS, COLUMNS, SLOTS, SLOTS_OF_BLOCK } from './memory/layout.ts';

export type Draft = {
  members: number;
  readonly latitudes: Int32Array;
  readonly longitudes: Int32Array;
  /** The lower 32 bits. */
  readonly ids: Uint32Array;
  readonly taken: Uint32Array;
  /** A bitmap for each column, and how many bits it has. */
  readonly columns: Uint32Array;
  readonly bits: Uint16Array;
  /** One more than the highest column with a bit. */
  known: number;
};

const { ceil, floor } = Math;

export function createDraft(): Draft {
  return {
    members: 0,
    latitudes: new Int32Array(SLOTS),
    longitudes: new Int32Array(SLOTS),
    ids: new Uint32Array(SLOTS),
    taken: new Uint32Array(BITMAP),
    columns: new Uint32Array(COLUMNS * BITMAP),
    bits: new Uint16Array(COLUMNS),
    known: 0,
  };
}

export function emptyDraft(draft: Draft): void {
  draft.columns.fill(0, 0, draft.known * BITMAP);
  draft.bits.fill(0, 0, draft.known);
  draft.known = 0;
  draft.members = 0;
  draft.taken.fill(0);
  draft.latitudes.fill(0);
  draft.longitudes.fill(0);
  draft.ids.fill(0);
}

export function draftMember(
  draft: Draft,
  slot: number,
  member: { readonly latitude: number; readonly longitude: number; readonly lowerId: number },
): void {
  draft.members += 1;
  draft.latitudes[slot] = member.latitude;
  draft.longitudes[slot] = member.longitude;
  draft.ids[slot] = member.lowerId;
  draft.taken[slot >>> 5] = (draft.taken[slot >>> 5] as number) | (1 << (slot & 31));
}

/** The bit must be 0. */
export function draftBit(draft: Draft, column: number, slot: number): void {
  const at = column * BITMAP + (slot >>> 5);
  draft.columns[at] = (draft.columns[at] as number) | (1 << (slot & 31));
  draft.bits[column] = (draft.bits[column] as number) + 1;
  if (column >= draft.known) draft.known = column + 1;
}

/** Distributes members, in the order of the curve, evenly over all blocks, so that each has room for members who move in. */
export function slotOf(place: number, members: number): number {
  const block = floor((place * BLOCKS) / members);
  return block * SLOTS_OF_BLOCK + place - ceil((block * members) / BLOCKS);
}
