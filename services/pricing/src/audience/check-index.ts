/**
 * Compares an index with MongoDB, member by member, while both keep changing: members that differ are compared again after the index has
 * caught up. Only numbers are returned, because member ids are personal data.
 */
import type { MembersCheck } from '@offer-ads/contracts/admin/pricing-api';
import { toMicrodegrees } from '@offer-ads/contracts/audience/great-circle';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import type { AudienceIndex, IndexedMember } from '../audience-index/audience-index.ts';
import type { MembersFeed } from './members-feed-store.ts';
import type { ReplicaMarks } from './replica-marks.ts';

/** Above this number, the exact number does not matter, because something is badly wrong. */
const MAX_SUSPECTS = 100_000;
const LOOKED_UP_AT_ONCE = 1_000;
/** A member who still differs after this many comparisons was not just being changed. */
const LOOKS = 3;
const CAUGHT_UP_WITHIN_MS = 60_000;

type Difference = 'missing' | 'surplus' | 'different';

type Checked = {
  readonly index: AudienceIndex;
  readonly feed: Pick<MembersFeed, 'everybody' | 'those'>;
  readonly marks: Pick<ReplicaMarks, 'set' | 'awaited'>;
};

type Repaired = Checked & {
  /** Runs work that changes the index, at a time when the index is not being saved. */
  readonly change: (work: () => Promise<void>) => Promise<void>;
};

export async function checkIndex(o: Repaired & { readonly repair: boolean }): Promise<MembersCheck> {
  const { suspects, members } = await compareAll(o);
  const complete = suspects.size < MAX_SUSPECTS;
  let found = new Map<number, Difference>();
  let differing: Iterable<number> = suspects;
  for (let look = 0; look < LOOKS; look += 1) {
    found = await lookAgain(o, differing);
    differing = found.keys();
  }
  const repaired = o.repair ? await repair(o, [...found.keys()]) : 0;
  const counts = { missing: 0, surplus: 0, different: 0 };
  for (const difference of found.values()) counts[difference] += 1;
  return {
    ok: complete && found.size === repaired,
    members,
    indexed: o.index.size().members,
    ...counts,
    repaired,
    complete,
  };
}

/** Compares MongoDB's members with the index, then the index's members with MongoDB. */
async function compareAll({ index, feed }: Checked) {
  const suspects = new Set<number>();
  let members = 0;
  for await (const batch of feed.everybody()) {
    members += batch.length;
    for (const member of batch)
      if (differenceOf(index.get(member.memberId), member) !== null) suspects.add(member.memberId);
    if (suspects.size >= MAX_SUSPECTS) return { suspects, members };
  }
  for (const ids of batchesOf(index.memberIds(), LOOKED_UP_AT_ONCE)) {
    const counting = await feed.those(ids);
    for (const id of ids) if (!counting.has(id)) suspects.add(id);
    if (suspects.size >= MAX_SUSPECTS) break;
  }
  return { suspects, members };
}

async function lookAgain({ index, feed, marks }: Checked, ids: Iterable<number>) {
  const found = new Map<number, Difference>();
  await catchUp(marks);
  for (const batch of batchesOf(ids, LOOKED_UP_AT_ONCE)) {
    const counting = await feed.those(batch);
    for (const id of batch) {
      const difference = differenceOf(index.get(id), counting.get(id));
      if (difference !== null) found.set(id, difference);
    }
  }
  return found;
}

/** @returns how many no longer differ; a change between reading and writing is repaired in another round */
async function repair(o: Repaired, ids: readonly number[]): Promise<number> {
  let open = ids;
  for (let round = 0; round < LOOKS && open.length > 0; round += 1) {
    for (const batch of batchesOf(open, LOOKED_UP_AT_ONCE)) {
      await o.change(async () => {
        const counting = await o.feed.those(batch);
        for (const id of batch) putRight(o.index, id, counting.get(id));
      });
    }
    open = [...(await lookAgain(o, open)).keys()];
  }
  return ids.length - open.length;
}

function putRight(index: AudienceIndex, id: number, member: IndexedMember | undefined): void {
  if (member === undefined) return index.remove(id);
  index.put(member);
}

async function catchUp(marks: Pick<ReplicaMarks, 'set' | 'awaited'>): Promise<void> {
  if (await marks.awaited(await marks.set(), CAUGHT_UP_WITHIN_MS)) return;
  throw serviceUnavailable('the audience index does not catch up with MongoDB');
}

function differenceOf(
  indexed: IndexedMember | undefined,
  stored: IndexedMember | undefined,
): Difference | null {
  if (indexed === undefined) return stored === undefined ? null : 'missing';
  if (stored === undefined) return 'surplus';
  return comparable(indexed) === comparable(stored) ? null : 'different';
}

function comparable({ latitude, longitude, gender, interests }: IndexedMember): string {
  const ids = [...new Set(interests)].toSorted((a, b) => a - b);
  // Longitudes 180 and -180 are the same place.
  const east = toMicrodegrees(longitude === 180 ? -180 : longitude);
  return `${toMicrodegrees(latitude)} ${east} ${gender} ${ids.join()}`;
}

function* batchesOf(ids: Iterable<number>, size: number): Generator<readonly number[]> {
  let batch: number[] = [];
  for (const id of ids) {
    batch.push(id);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
