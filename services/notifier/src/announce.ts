/** Turns an event into stored notifications, in one transaction with the inbox, so that each cause is announced once. */
import type { OrganisationFacts } from '@offer-ads/contracts/events/gateway';
import type { ReceivedEvent } from '@offer-ads/platform/messaging/events';
import { recordInMongoInbox } from '@offer-ads/platform/messaging/mongo-inbox';
import type { ContactsStore } from './contacts-store.ts';
import { type Addressed, type Announcement, noOrganisation, type Occurrence } from './domain/announcement.ts';
import { announcementOf } from './domain/announcements.ts';
import { departures } from './domain/contact.ts';
import type { Notifier } from './notifier.ts';

type Session = Parameters<ContactsStore['save']>[0];

/** If no recipient is known yet, the occurrence is stored until the organisation is known; its message counts as handled. */
export async function announce(
  notifier: Notifier,
  announcement: Announcement,
  event: ReceivedEvent<Announcement['declaration']>,
): Promise<void> {
  const { mongo, contacts, notifications, waiting, clock } = notifier;
  const organisationId = 'organisationId' in event.data ? event.data.organisationId : noOrganisation;
  const occurrence: Occurrence = {
    eventName: announcement.declaration.name,
    eventId: event.id,
    organisationId,
    happenedAt: event.time.toISOString(),
    data: event.data,
  };
  await mongo.transaction(async (session) => {
    if (!(await recordInMongoInbox(mongo, session, event.id))) return;
    const addressed = await address(notifier, session, announcement, occurrence);
    if (addressed !== 'nobody-known') return notifications.add(session, addressed, clock.now());
    await contacts.await(session, organisationId);
    await waiting.holdBack(session, occurrence, clock.now());
  });
  notifier.wakeDelivery();
}

/**
 * Stores a new state of an organisation. Occurrences that waited for it are sent. Unsent mails follow people to their new address, and are
 * withdrawn from people who left.
 */
export async function learnContact(
  notifier: Notifier,
  event: Pick<ReceivedEvent, 'id' | 'subjectVersion'> & { readonly data: OrganisationFacts },
): Promise<void> {
  const { mongo, contacts, unsent, clock } = notifier;
  const { organisationId } = event.data;
  await mongo.transaction(async (session) => {
    if (!(await recordInMongoInbox(mongo, session, event.id))) return;
    const before = await contacts.find(organisationId, session);
    if (!(await contacts.save(session, event.data, event.subjectVersion))) return;
    for (const departure of departures(before, event.data))
      await unsent.redirect(session, { organisationId, ...departure, now: clock.now() });
  });
  // Also for an event that was seen before, because the process may have died between the two steps.
  await sendWhatWaited(notifier, organisationId);
}

/** Thousands may wait, and a transaction must end within seconds. */
const atOnce = 50;

async function sendWhatWaited(notifier: Notifier, organisationId: number): Promise<void> {
  const { mongo, waiting, notifications, clock } = notifier;
  let after: Occurrence | undefined;
  do {
    const last = after;
    after = await mongo.transaction(async (session) => {
      const page = await waiting.heldBack(session, { organisationId, after: last, atMost: atOnce });
      const announced: Occurrence[] = [];
      for (const occurrence of page) {
        const addressed = await addressWaiting(notifier, session, occurrence);
        if (addressed === 'nobody-known') continue;
        await notifications.add(session, addressed, clock.now());
        announced.push(occurrence);
      }
      await waiting.letGo(session, announced);
      return page.at(-1);
    });
    notifier.wakeDelivery();
  } while (after !== undefined);
}

/** An unreadable occurrence, written by a later version, stays and does not block the others. */
async function addressWaiting(
  notifier: Notifier,
  session: Session,
  occurrence: Occurrence,
): Promise<Addressed> {
  const announcement = announcementOf(occurrence.eventName);
  if (announcement === undefined || !announcement.declaration.schema.safeParse(occurrence.data).success) {
    const { eventName, eventId } = occurrence;
    notifier.logger.error(
      { eventName, eventId },
      'a waiting occurrence cannot be read and stays in the store',
    );
    return 'nobody-known';
  }
  return address(notifier, session, announcement, occurrence);
}

async function address(
  notifier: Notifier,
  session: Session,
  announcement: Announcement,
  occurrence: Occurrence,
): Promise<Addressed> {
  const { contacts, preferences, unsubscribing, portalUrl } = notifier;
  const { organisationId } = occurrence;
  const contact = await contacts.find(organisationId, session);
  const people = announcement.optional === undefined ? [] : (contact?.people ?? []);
  const switchedOff =
    people.length === 0
      ? undefined
      : await preferences.ofAll(
          session,
          people.map(({ personId }) => personId),
        );
  return announcement.address(occurrence, {
    contact,
    wants: ({ personId }, mail) => switchedOff?.get(personId)?.has(mail) !== true,
    portalUrl,
    unsubscribeUrl: ({ personId }, mail) => unsubscribing.urlFor({ organisationId, personId, mail }),
  });
}
