/** Members in MongoDB, and the audience counted there: exact, on a 2dsphere index. */
import type { MemberFacts } from '@offer-ads/contracts/community-events';
import type { MemberGender } from '@offer-ads/contracts/primitives';
import { orUnavailable, withinBudget } from '@offer-ads/platform/mongo-faults';
import mongoose, { type Connection } from 'mongoose';
import type { AudienceEngine } from './audience-engine.ts';
import { radiusRadians, type Target } from './domain/target.ts';
import { replaceIfNewer, type Version } from './replace-if-newer.ts';

export type MemberChange = { readonly facts: MemberFacts; readonly version: Version };

export type MembersStore = AudienceEngine & {
  /** A change that is older than what is stored changes nothing. */
  readonly change: (change: MemberChange) => Promise<void>;
  /** Keeps nothing of the member but a tombstone. */
  readonly remove: (memberId: number, version: number) => Promise<void>;
  /** Many changes at once; of two for one member the later wins, or the one with the higher version. */
  readonly load: (changes: readonly MemberChange[]) => Promise<void>;
  /** Builds the index where it is missing. */
  readonly prepare: () => Promise<void>;
};

/**
 * A member; or the tombstone of one who left, with nothing but id and version, so that a change which the removal
 * overtook brings nobody back.
 */
type MemberDocument = {
  _id: number;
  version: number;
  /** GeoJSON: longitude first. */
  position?: { type: 'Point'; coordinates: [longitude: number, latitude: number] };
  gender?: MemberGender;
  interests?: number[];
  active?: boolean;
  banned?: boolean;
};

/** "Only active, non-banned accounts count": nobody else is in the index. */
const eligible = { active: true, banned: false };

export function openMembersStore(connection: Connection): MembersStore {
  const members = connection.collection<MemberDocument>('members');

  async function replace(
    upserts: readonly ReturnType<typeof replaceIfNewer<{ _id: number }>>[],
  ): Promise<void> {
    if (upserts.length === 0) return;
    await orUnavailable(members.bulkWrite(upserts.map((updateOne) => ({ updateOne }))));
  }

  /** @returns those that are known already, which is not an error here */
  async function insertNew(changes: readonly MemberChange[]): Promise<readonly MemberChange[]> {
    const documents = changes.map(({ facts, version }) => ({
      ...documentOf(facts),
      version: firstVersion(version),
    }));
    try {
      await orUnavailable(members.insertMany(documents, { ordered: false }));
      return [];
    } catch (error) {
      const known = new Set(indexesOfDuplicates(error));
      return changes.filter((_, index) => known.has(index));
    }
  }

  return {
    count: (target, deadline) =>
      orUnavailable(members.countDocuments(matching(target), withinBudget(deadline))),
    change: ({ facts, version }) => replace([replaceIfNewer(documentOf(facts), version)]),
    remove: (memberId, version) => replace([replaceIfNewer({ _id: memberId }, version)]),
    load: async (changes) => {
      if (changes.length === 0) return;
      // Inserting is four times as fast as upserting, and a bulk is mostly new members.
      const known = await insertNew(changes);
      await replace(known.map(({ facts, version }) => replaceIfNewer(documentOf(facts), version)));
    },
    prepare: async () => {
      // Gender narrows within the index; interests would multiply its entries and gain nothing (measured).
      await members.createIndex(
        { position: '2dsphere', gender: 1 },
        { name: 'audience', partialFilterExpression: eligible },
      );
    },
  };
}

function matching({ latitude, longitude, radiusMiles, gender, interests }: Target) {
  const circle: [[number, number], number] = [[longitude, latitude], radiusRadians(radiusMiles)];
  return {
    ...eligible,
    position: { $geoWithin: { $centerSphere: circle } },
    ...(gender.length > 0 && { gender: { $in: [...gender] } }),
    ...(interests.length > 0 && { interests: { $in: [...interests] } }),
  };
}

function documentOf({
  memberId,
  latitude,
  longitude,
  ...facts
}: MemberFacts): Omit<MemberDocument, 'version'> {
  return { _id: memberId, position: { type: 'Point', coordinates: [longitude, latitude] }, ...facts };
}

function firstVersion(version: Version): number {
  return typeof version === 'number' ? version : version.atLeast;
}

const DUPLICATE_KEY = 11_000;

/** Throws what is anything else. */
function indexesOfDuplicates(error: unknown): readonly number[] {
  if (!(error instanceof mongoose.mongo.MongoBulkWriteError)) throw error;
  const failures = [error.writeErrors].flat();
  if (failures.some((failure) => failure.code !== DUPLICATE_KEY)) throw error;
  return failures.map((failure) => failure.index);
}
