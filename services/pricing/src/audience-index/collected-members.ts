/** Members collected for a new index. */
import { hilbertKey } from './tree/hilbert.ts';
import type { Entry } from './tree/superblock.ts';

const { max } = Math;

/** One array per fact, so that ten million members take 400 MB during the build. */
export type Collected = {
  members: number;
  ids: Float64Array;
  keys: Float64Array;
  latitudes: Int32Array;
  longitudes: Int32Array;
  genders: Uint8Array;
  /** The index where each member's interests end. */
  interestEnds: Uint32Array;
  interests: Uint16Array;
};

export function createCollected(expected: number): Collected {
  return {
    members: 0,
    ids: new Float64Array(expected),
    keys: new Float64Array(expected),
    latitudes: new Int32Array(expected),
    longitudes: new Int32Array(expected),
    genders: new Uint8Array(expected),
    interestEnds: new Uint32Array(expected),
    interests: new Uint16Array(expected),
  };
}

export function collect(collected: Collected, { id, latitude, longitude, gender, interests }: Entry): void {
  const at = collected.members;
  if (at === collected.ids.length) growMembers(collected);
  collected.ids[at] = id;
  collected.keys[at] = hilbertKey(latitude, longitude);
  collected.latitudes[at] = latitude;
  collected.longitudes[at] = longitude;
  collected.genders[at] = gender;
  let end = at === 0 ? 0 : (collected.interestEnds[at - 1] as number);
  if (end + interests.length > collected.interests.length) growInterests(collected, end + interests.length);
  for (const interest of interests) {
    collected.interests[end] = interest;
    end += 1;
  }
  collected.interestEnds[at] = end;
  collected.members = at + 1;
}

function growMembers(collected: Collected): void {
  const capacity = collected.ids.length * 2;
  collected.ids = copied(new Float64Array(capacity), collected.ids);
  collected.keys = copied(new Float64Array(capacity), collected.keys);
  collected.latitudes = copied(new Int32Array(capacity), collected.latitudes);
  collected.longitudes = copied(new Int32Array(capacity), collected.longitudes);
  collected.genders = copied(new Uint8Array(capacity), collected.genders);
  collected.interestEnds = copied(new Uint32Array(capacity), collected.interestEnds);
}

function growInterests(collected: Collected, needed: number): void {
  const capacity = max(needed, collected.interests.length * 2);
  collected.interests = copied(new Uint16Array(capacity), collected.interests);
}

function copied<T extends { set(from: T): void }>(larger: T, from: T): T {
  larger.set(from);
  return larger;
}
