/** Occurrences that wait until a recipient is known; stored beside the notifications. */
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import type { ClientSession } from 'mongoose';
import type { Occurrence } from './domain/announcement.ts';

type Waiting = Occurrence & { _id: string; state: 'waiting'; createdAt: Date };

export function waitingStore(mongo: Mongo) {
  const waiting = mongo.connection.collection<Waiting>('notifications');
  return {
    holdBack: async (session: ClientSession, occurrence: Occurrence, createdAt: Date) => {
      await waiting.updateOne(
        { _id: waitingId(occurrence) },
        { $setOnInsert: { ...occurrence, state: 'waiting', createdAt } },
        { upsert: true, session },
      );
    },
    /** A page of the occurrences that wait for the organisation, always in the same order; `after`: the last of the previous page. */
    heldBack: async (
      session: ClientSession,
      o: {
        readonly organisationId: number;
        readonly after: Occurrence | undefined;
        readonly atMost: number;
      },
    ): Promise<readonly Occurrence[]> => {
      const { organisationId, after } = o;
      const rest = after === undefined ? {} : { _id: { $gt: waitingId(after) } };
      return waiting
        .find({ state: 'waiting', organisationId, ...rest }, { session, sort: { _id: 1 }, limit: o.atMost })
        .toArray();
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
