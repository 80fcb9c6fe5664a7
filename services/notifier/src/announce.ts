/** Turns events into stored notifications, in one transaction with the inbox, so that each cause is announced once. */
import type { OrganisationFacts } from '@offer-ads/contracts/events/gateway';
import type { ReceivedEvent } from '@offer-ads/platform/messaging/events';
import { recordInMongoInbox } from '@offer-ads/platform/messaging/mongo-inbox';
import {
  type Addressed,
  type Announcement,
  isOfTestMode,
  noOrganisation,
  type Occurrence,
} from './domain/announcement.ts';
import { announcementOf } from './domain/announcements.ts';
import { departures, erased } from './domain/contact.ts';
import { usualPreferences } from './domain/preferences.ts';
import type { QueuedNotification } from './notifications-store.ts';
import type { Notifier } from './notifier.ts';
import type { Heard } from './webhooks/queue-messages.ts';

/** A transaction must end within seconds. */
const releasedAtOnce = 50;

/** If no recipient is known yet, the occurrence is stored until the organisation is known; its event counts as handled. */
export async function announce(notifier: Notifier, heard: readonly Heard[]): Promise<void> {
  const announced = heard.flatMap((event) => {
    const announcement = announcementOf(event.declaration.name);
    return announcement === undefined
      ? []
      : { announcement, trace: event.trace, occurrence: occurrenceOf(event) };
  });
  if (announced.length === 0) return;
  const { mongo, contacts, notifications, waiting, clock } = notifier;
  await mongo.transaction(async (session) => {
    const ids = announced.map(({ occurrence }) => occurrence.eventId);
    const unseen = await recordInMongoInbox(mongo, session, ids);
    const fresh = announced.filter(({ occurrence }) => unseen.has(occurrence.eventId));
    if (fresh.length === 0) return;
    const address = await addressing(notifier, session, fresh);
    const added: QueuedNotification[] = [];
    for (const one of fresh) {
      const addressed = address(one);
      if (addressed === 'nobody-known') {
        await contacts.await(session, one.occurrence.organisationId);
        await waiting.holdBack(session, one.occurrence, clock.now());
      } else for (const notification of addressed) added.push({ ...notification, trace: one.trace });
    }
    await notifications.add(session, added, clock.now());
  });
  notifier.wakeDelivery();
}

function occurrenceOf({ declaration, id, time, data }: Heard): Occurrence {
  const facts = data as { readonly organisationId?: number };
  return {
    eventName: declaration.name,
    eventId: id,
    organisationId: facts.organisationId ?? noOrganisation,
    happenedAt: time.toISOString(),
    data,
  };
}

/**
 * Stores a new state of an organisation. Occurrences that waited for it are sent. Unsent mails follow people to their new address, and are
 * withdrawn from people who left. Of people who were erased, nothing is kept.
 */
export async function learnContact(
  notifier: Notifier,
  event: Pick<ReceivedEvent, 'id' | 'subjectVersion'> & { readonly data: OrganisationFacts },
): Promise<void> {
  const { mongo, contacts, notifications, erasure, clock } = notifier;
  const { billingDetails: _, ...contact } = event.data;
  const { organisationId } = contact;
  await mongo.transaction(async (session) => {
    if (!(await recordInMongoInbox(mongo, session, [event.id])).has(event.id)) return;
    const before = await contacts.find(organisationId, session);
    if (!(await contacts.save(session, contact, event.subjectVersion))) return;
    for (const departure of departures(before, contact))
      await notifications.redirect(session, { organisationId, ...departure, now: clock.now() });
    for (const { personId, email } of erased(before, contact))
      await erasure.eraseDeparted(session, { organisationId, personId, email });
  });
  // Also for an event that was seen before, because the process may have died between the two steps.
  await sendWhatWaited(notifier, organisationId);
}

async function sendWhatWaited(notifier: Notifier, organisationId: number): Promise<void> {
  const { mongo, waiting, notifications, clock } = notifier;
  let after: Occurrence | undefined;
  do {
    const last = after;
    after = await mongo.transaction(async (session) => {
      const page = await waiting.heldBack(session, { organisationId, after: last, atMost: releasedAtOnce });
      const readable = page.flatMap((occurrence) => readWaiting(notifier, occurrence));
      const address = await addressing(notifier, session, readable);
      const added: QueuedNotification[] = [];
      const announced: Occurrence[] = [];
      for (const each of readable) {
        const addressed = address(each);
        if (addressed === 'nobody-known') continue;
        added.push(...addressed);
        announced.push(each.occurrence);
      }
      await notifications.add(session, added, clock.now());
      await waiting.letGo(session, announced);
      return page.at(-1);
    });
    notifier.wakeDelivery();
  } while (after !== undefined);
}

type Session = Parameters<Notifier['contacts']['save']>[0];
type Announced = { readonly announcement: Announcement; readonly occurrence: Occurrence };

/** An unreadable occurrence, written by a later version, stays and does not block the others. */
function readWaiting({ logger }: Notifier, occurrence: Occurrence): readonly Announced[] {
  const announcement = announcementOf(occurrence.eventName);
  if (announcement?.declaration.schema.safeParse(occurrence.data).success === true)
    return [{ announcement, occurrence }];
  const { eventName, eventId } = occurrence;
  logger.error({ eventName, eventId }, 'a waiting occurrence cannot be read and stays in the store');
  return [];
}

/** Reads what is needed to address all of them. */
async function addressing(
  { contacts, preferences, unsubscribing, portalUrl }: Notifier,
  session: Session,
  all: readonly Announced[],
): Promise<(one: Announced) => Addressed> {
  const known = await contacts.findAll(
    all.map(({ occurrence }) => occurrence.organisationId),
    session,
  );
  const asked = all.flatMap(({ announcement, occurrence }) =>
    announcement.optional === undefined && !isOfTestMode(occurrence.data)
      ? []
      : (known.get(occurrence.organisationId)?.people.map(({ personId }) => personId) ?? []),
  );
  const chosen = asked.length === 0 ? undefined : await preferences.ofAll(session, asked);
  return ({ announcement, occurrence }) => {
    const { organisationId } = occurrence;
    return announcement.address(occurrence, {
      contact: known.get(organisationId),
      wants: ({ personId }, mail) => (chosen?.get(personId) ?? usualPreferences)[mail],
      portalUrl,
      unsubscribeUrl: ({ personId }, mail) => unsubscribing.urlFor({ organisationId, personId, mail }),
    });
  };
}
