/** From an event to notifications in the store, in one transaction with the inbox: each cause is announced once. */
import type { OrganisationFacts } from '@offer-ads/contracts/gateway-events';
import type { Clock } from '@offer-ads/platform/clock';
import type { ReceivedEvent } from '@offer-ads/platform/events';
import type { Mongo } from '@offer-ads/platform/mongo';
import { recordInMongoInbox } from '@offer-ads/platform/mongo-inbox';
import type { ContactsStore } from './contacts-store.ts';
import { type Announcement, announcementOf, type Occurrence } from './domain/announcements.ts';
import type { NotificationsStore } from './notifications-store.ts';

export type Notifier = {
  readonly mongo: Mongo;
  readonly contacts: ContactsStore;
  readonly notifications: NotificationsStore;
  readonly portalUrl: string;
  readonly clock: Clock;
  /** Called after notifications were added. */
  readonly wakeDelivery: () => void;
};

/** When nobody is known to whom it could go, the occurrence waits for the organisation and burns no attempt. */
export async function announce(
  notifier: Notifier,
  announcement: Announcement,
  event: ReceivedEvent<Announcement['declaration']>,
): Promise<void> {
  const { mongo, contacts, notifications, clock, portalUrl } = notifier;
  const { organisationId } = event.data;
  const eventName = announcement.declaration.name;
  const occurrence: Occurrence = { eventName, eventId: event.id, organisationId, data: event.data };
  await mongo.transaction(async (session) => {
    if (!(await recordInMongoInbox(mongo, session, event.id))) return;
    const contact = await contacts.find(session, organisationId);
    const addressed = announcement.address(occurrence, contact, portalUrl);
    if (addressed.length > 0) return notifications.add(session, addressed, clock.now());
    await contacts.await(session, organisationId);
    await notifications.holdBack(session, occurrence, clock.now());
  });
  notifier.wakeDelivery();
}

/** A new state of an organisation; what waited for it goes out. */
export async function learnContact(
  notifier: Notifier,
  event: Pick<ReceivedEvent, 'id' | 'subjectVersion'> & { readonly data: OrganisationFacts },
): Promise<void> {
  const { mongo, contacts, notifications, clock, portalUrl } = notifier;
  await mongo.transaction(async (session) => {
    if (!(await recordInMongoInbox(mongo, session, event.id))) return;
    if (!(await contacts.save(session, event.data, event.subjectVersion))) return;
    for (const occurrence of await notifications.heldBack(session, event.data.organisationId)) {
      const addressed =
        announcementOf(occurrence.eventName)?.address(occurrence, event.data, portalUrl) ?? [];
      if (addressed.length === 0) continue;
      await notifications.add(session, addressed, clock.now());
      await notifications.letGo(session, occurrence);
    }
  });
  notifier.wakeDelivery();
}
