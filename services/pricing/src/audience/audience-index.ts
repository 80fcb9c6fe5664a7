/** The members who count, held in memory so that an audience is counted exactly and in microseconds. */
import type { MemberFacts } from '@offer-ads/contracts/community-events';
import { fromMicrodegrees, isWithin, toMicrodegrees } from '../domain/great-circle.ts';
import type { Target } from '../domain/target.ts';

/** Only members who count (active, not banned) are in the index: a ban is a `remove`, its end a `put`. */
export type IndexedMember = Pick<MemberFacts, 'memberId' | 'latitude' | 'longitude' | 'gender' | 'interests'>;

export type AudienceIndex = {
  /** Exact; synchronous; microseconds. */
  readonly count: (target: Target) => number;
  /** Puts a member in, or in the place of what was known of them. Positions are kept to a microdegree. */
  readonly put: (member: IndexedMember) => void;
  /** Of a member who is not there: nothing. */
  readonly remove: (memberId: number) => void;
  /** What is held of a member (interests in ascending order); for the check against MongoDB. */
  readonly get: (memberId: number) => IndexedMember | undefined;
  readonly memberIds: () => Iterable<number>;
  /** For metrics, logs and the bound of memory. */
  readonly size: () => { readonly members: number; readonly bytes: number };
  /** The whole index as bytes, in chunks; nothing may be put or removed until the last one is taken. */
  readonly save: () => Iterable<Uint8Array>;
};

export type AudienceBuild = {
  readonly add: (member: IndexedMember) => void;
  /** Seconds for ten million members; lets others run every few dozen milliseconds. */
  readonly finish: () => Promise<AudienceIndex>;
};

/** Bytes that are no index, not a whole one, or one of another format. */
export class AudienceBytesError extends Error {
  override readonly name = 'AudienceBytesError';
}

/** The member does not fit: memory, or the number of different interests or genders. Nothing was changed. */
export class AudienceFullError extends Error {
  override readonly name = 'AudienceFullError';
}

export function createAudienceIndex(): AudienceIndex {
  const members = new Map<number, IndexedMember>();
  return {
    count: (target) => [...members.values()].filter((member) => matches(target, member)).length,
    put: (member) => {
      members.set(member.memberId, {
        memberId: member.memberId,
        latitude: fromMicrodegrees(toMicrodegrees(member.latitude)),
        longitude: fromMicrodegrees(toMicrodegrees(member.longitude)),
        gender: member.gender,
        interests: [...new Set(member.interests)].toSorted((a, b) => a - b),
      });
    },
    remove: (memberId) => void members.delete(memberId),
    get: (memberId) => members.get(memberId),
    memberIds: () => members.keys(),
    size: () => ({ members: members.size, bytes: members.size * 200 }),
    save: () => [Buffer.from(JSON.stringify([...members.values()]))],
  };
}

/** Many at once: sorted once and packed. Of several for one member the last one counts. */
export function startAudienceBuild(_expected?: number): AudienceBuild {
  const index = createAudienceIndex();
  return { add: index.put, finish: () => Promise.resolve(index) };
}

/** @throws {AudienceBytesError} for another format version, or bytes that do not add up */
export async function loadAudienceIndex(chunks: AsyncIterable<Uint8Array>): Promise<AudienceIndex> {
  const bytes: Uint8Array[] = [];
  for await (const chunk of chunks) bytes.push(chunk);
  const index = createAudienceIndex();
  try {
    for (const member of JSON.parse(Buffer.concat(bytes).toString()) as IndexedMember[]) index.put(member);
  } catch (cause) {
    throw new AudienceBytesError('These bytes are no audience index.', { cause });
  }
  return index;
}

function matches(target: Target, member: IndexedMember): boolean {
  return (
    isWithin(target, member) &&
    (target.gender.length === 0 || target.gender.includes(member.gender)) &&
    (target.interests.length === 0 ||
      target.interests.some((interest) => member.interests.includes(interest)))
  );
}
