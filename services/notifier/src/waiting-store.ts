/** Occurrences that wait until a recipient is known; stored beside the notifications. */
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import type { ClientSession } from 'mongoose';
import type { Occurrence } from './domain/announcement.ts';

export type WaitingStore = {
  readonly holdBack: (session: ClientSession, occurrence: Occurrence, now: Date) => Promise<void>;
  /** A page of the occurrences that wait for the organisation, always in the same order; `after`: the last of the previous page. */
  readonly heldBack: (
    session: ClientSession,
    o: { readonly organisationId: number; readonly after: Occurrence | undefined; readonly atMost: number },
  ) => Promise<readonly Occurrence[]>;
  readonly letGo: (session: ClientSession, occurrences: readonly Occurrence[]) => Promise<void>;
};

type Waiting = {
  _id: string;
  state: 'waiting';
  occurrence: Occurrence;
  createdAt: Date;
};

export function waitingStore(mongo: Mongo): WaitingStore {
  const waiting = mongo.connection.collection<Waiting>('notifications');
  return {
    holdBack: async (session, occurrence, now) => {
      await waiting.updateOne(
        { _id: waitingId(occurrence) },
        { $setOnInsert: { state: 'waiting', occurrence, createdAt: now } },
        { upsert: true, session },
      );
    },
    heldBack: async (session, { organisationId, after, atMost }) => {
      const found = await waiting
        .find(
          {
            state: 'waiting',
            'occurrence.organisationId': organisationId,
            ...(after === undefined ? {} : { _id: { $gt: waitingId(after) } }),
          },
          { session, sort: { _id: 1 }, limit: atMost },
        )
        .toArray();
      return found.map(({ occurrence }) => occurrence);
    },
    letGo: async (session, occurrences) => {
      if (occurrences.length === 0) return;
      await waiting.deleteMany({ _id: { $in: occurrences.map(waitingId) } }, { session });
    },
  };
}

function waitingId({ eventName, eventId }: Occurrence): string {
  return `${eventName}/${eventId}`;
}
