/** Occurrences that wait until a recipient is known; stored beside the notifications. */
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import type { ClientSession } from 'mongoose';
import type { Occurrence } from './domain/announcement.ts';

type Waiting = {
  _id: string;
  state: 'waiting';
  occurrence: Occurrence;
  createdAt: Date;
};

export function waitingStore(mongo: Mongo) {
  const waiting = mongo.connection.collection<Waiting>('notifications');
  return {
    holdBack: async (session: ClientSession, occurrence: Occurrence, now: Date) => {
      await waiting.updateOne(
        { _id: waitingId(occurrence) },
        { $setOnInsert: { state: 'waiting', occurrence, createdAt: now } },
        { upsert: true, session },
      );
    },
    /** A page of the occurrences that wait for the organisation, always in the same order; `after`: the last of the previous page. */
    heldBack: async (
      session: ClientSession,
      {
        organisationId,
        after,
        atMost,
      }: { readonly organisationId: number; readonly after: Occurrence | undefined; readonly atMost: number },
    ) => {
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
    letGo: async (session: ClientSession, occurrences: readonly Occurrence[]) => {
      if (occurrences.length === 0) return;
      await waiting.deleteMany({ _id: { $in: occurrences.map(waitingId) } }, { session });
    },
  };
}

function waitingId({ eventName, eventId }: Occurrence): string {
  return `${eventName}/${eventId}`;
}
