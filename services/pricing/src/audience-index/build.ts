/** Builds an index from many members: collects them in columns, sorts them along the Hilbert curve, packs them. */
import { setImmediate } from 'node:timers/promises';
import { type Collected, collect, createCollected } from './collected-members.ts';
import { createDraft, draftBit, draftMember, emptyDraft, slotOf } from './draft.ts';
import {
  type AudienceIndex,
  type AudienceOptions,
  emptyParts,
  entryFor,
  type IndexedMember,
  indexOn,
  type Parts,
} from './index-parts.ts';
import { increase, reserve } from './memory/heap.ts';
import { addReference, expectIds } from './memory/id-map.ts';
import { INTEREST_COLUMN, state } from './memory/layout.ts';
import { sortedAlongCurve } from './tree/sort-along-curve.ts';
import { idColumns } from './tree/superblock.ts';
import { idOf, newSuperblock, packNodes, referenceOf } from './tree/tree.ts';

export type AudienceBuild = {
  readonly add: (member: IndexedMember) => void;
  /** Takes seconds for ten million members; yields to the event loop every few dozen milliseconds. */
  readonly finish: () => Promise<AudienceIndex>;
};

/** Four fifths of a superblock, which leaves room for members who join or move in. */
const PACKED_MEMBERS = 820;
/** The longest time without yielding to the event loop. */
const TURN_MS = 25;

const { ceil, clz32, floor, imul, max } = Math;

/** If a member is added several times, the last one counts. @param expected approximate number of members */
export function startAudienceBuild(expected = 0, options: AudienceOptions = {}): AudienceBuild {
  const parts = emptyParts(options);
  const collected = createCollected(max(1024, expected));
  return {
    add: (member) => collect(collected, entryFor(parts, member, false)),
    finish: async () => {
      const rest = restAfter(TURN_MS);
      const ids = collected.ids.subarray(0, collected.members);
      const keys = collected.keys.subarray(0, collected.members);
      const earlier = await earlierOnes(ids, rest);
      expectIds(parts.heap, ids, (words) => reserve(parts.heap, words));
      const order = await sortedAlongCurve(keys, earlier, rest);
      await pack(parts, collected, order, rest);
      return indexOn(parts);
    },
  };
}

type Rest = () => Promise<void> | undefined;

/** Yields to the event loop when `turnMs` have passed. */
function restAfter(turnMs: number): Rest {
  let since = performance.now();
  return () => (performance.now() - since < turnMs ? undefined : pause());

  async function pause(): Promise<void> {
    await setImmediate();
    since = performance.now();
  }
}

/** Positions of entries that are replaced by a later entry of the same member. */
async function earlierOnes(ids: Float64Array, rest: Rest): Promise<ReadonlySet<number>> {
  const earlier = new Set<number>();
  const bits = 33 - clz32(max(16, ids.length));
  // A position in `ids` plus 1; 0 marks an empty place.
  const table = new Uint32Array(2 ** bits);
  for (let at = 0; at < ids.length; at += 1) {
    const id = ids[at] as number;
    let place = imul((id | 0) ^ imul(floor(id / 2 ** 32), 0x85ebca6b), 0x9e3779b1) >>> (32 - bits);
    for (;;) {
      const other = table[place] as number;
      if (other === 0) break;
      if (ids[other - 1] === id) {
        earlier.add(other - 1);
        break;
      }
      place = (place + 1) & (table.length - 1);
    }
    table[place] = at + 1;
    if (at % 65_536 === 0) await rest();
  }
  return earlier;
}

const draft = createDraft();

async function pack(parts: Parts, collected: Collected, order: Float64Array, rest: Rest): Promise<void> {
  const { heap, tree } = parts;
  const idAt = (reference: number) => idOf(tree, reference);
  const superblocks = ceil(order.length / PACKED_MEMBERS);
  const packed: { address: number; key: number }[] = [];
  for (let each = 0; each < superblocks; each += 1) {
    const from = floor((each * order.length) / superblocks);
    const members = order.subarray(from, floor(((each + 1) * order.length) / superblocks));
    reserve(heap);
    draftAll(collected, members);
    const address = newSuperblock(tree, draft);
    packed.push({ address, key: collected.keys[members[0] as number] as number });
    members.forEach((at, place) => {
      const reference = referenceOf(heap, address, slotOf(place, members.length));
      addReference(heap, idAt, collected.ids[at] as number, reference);
    });
    increase(heap, state.members, members.length);
    await rest();
  }
  packNodes(tree, packed, () => reserve(heap));
}

function draftAll(collected: Collected, members: Float64Array): void {
  const { ids, latitudes, longitudes, genders, interests, interestEnds } = collected;
  emptyDraft(draft);
  for (let place = 0; place < members.length; place += 1) {
    const at = members[place] as number;
    const slot = slotOf(place, members.length);
    const id = ids[at] as number;
    draftMember(draft, slot, {
      latitude: latitudes[at] as number,
      longitude: longitudes[at] as number,
      lowerId: id % 2 ** 32,
    });
    draftBit(draft, genders[at] as number, slot);
    if (id >= 2 ** 32) for (const column of idColumns(id)) draftBit(draft, column, slot);
    const end = interestEnds[at] as number;
    for (let from = at === 0 ? 0 : (interestEnds[at - 1] as number); from < end; from += 1) {
      draftBit(draft, INTEREST_COLUMN + (interests[from] as number), slot);
    }
  }
}
