/** Redirects unsent mails when the people of an organisation change. */
import type { Mongo } from '@offer-ads/platform/mongo/mongo';
import type { ClientSession } from 'mongoose';
import type { Departure } from './domain/contact.ts';
import { withdrawn } from './domain/delivery/delivery.ts';
import { anyCase } from './notifications-store.ts';

export type UnsentStore = {
  /**
   * Redirects to the person's new mailbox, or withdraws. Links are never redirected, because they are for the owner of the old mailbox. A
   * mail that is being sent cannot be stopped.
   */
  readonly redirect: (
    session: ClientSession,
    o: Departure & { readonly organisationId: number; readonly now: Date },
  ) => Promise<void>;
};

export function unsentStore(mongo: Mongo): UnsentStore {
  const notifications = mongo.connection.collection('notifications');
  return {
    redirect: async (session, { organisationId, from, to, now }) => {
      // Mails keep the spelling that the address had when they were written.
      const options = { session, collation: anyCase };
      const unsent = { state: 'pending', organisationId, recipient: from };
      if (to !== undefined) {
        const movable = { ...unsent, expiresAt: { $exists: false } };
        await notifications.updateMany(movable, { $set: { recipient: to } }, options);
      }
      const { state, problem } = withdrawn;
      const settled = { state, problem, settledAt: now };
      const links = { ...unsent, expiresAt: { $exists: true } };
      await notifications.updateMany(links, { $set: settled, $unset: { message: '' } }, options);
      await notifications.updateMany(unsent, { $set: settled }, options);
    },
  };
}
