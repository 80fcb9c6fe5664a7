/** Turns events into stored notifications, in one transaction with the inbox, so that each cause is announced once. */
import type { OrganisationFacts } from '@offer-ads/contracts/events/gateway';
import type { ReceivedEvent } from '@offer-ads/platform/messaging/events';
import { recordInMongoInbox } from '@offer-ads/platform/messaging/mongo-inbox';
import { type RestingTrace, restingTrace } from '@offer-ads/platform/telemetry/traces';
import type { ContactsStore } from './contacts-store.ts';
import {
  type Addressed,
  type Announcement,
  isOfTestMode,
  noOrganisation,
  type Occurrence,
} from './domain/announcement.ts';
import { announcementOf } from './domain/announcements.ts';
import { departures, erased } from './domain/contact.ts';
import { asUsual } from './domain/preferences.ts';
import { groupWrites } from './group-writes.ts';
import type { QueuedNotification } from './notifications-store.ts';
import type { Notifier } from './notifier.ts';

/** A transaction, and the claim of its mails, take several round trips however many events they are for. Nobody notices that a mail leaves this much later. */
const usualGatherMs = 200;
/** Thousands may wait, and a transaction must end within seconds. */
const atOnce = 50;

type Session = Parameters<ContactsStore['save']>[0];

export type Announce = (announcement: Announcement, event: ReceivedEvent) => Promise<void>;

/** Events that come within a moment are stored together, in one transaction. */
export function announcer(notifier: Notifier, gatherMs = usualGatherMs): Announce {
  const write = (group: readonly Heard[]) => storeAnnounced(notifier, group);
  const store = groupWrites<Heard>({ atMost: atOnce, lingerMs: gatherMs, write });
  return async (announcement, event) => {
    const { organisationId = noOrganisation } = event.data as { readonly organisationId?: number };
    const occurrence: Occurrence = {
      eventName: announcement.declaration.name,
      eventId: event.id,
      organisationId,
      happenedAt: event.time.toISOString(),
      data: event.data,
    };
    await store({ announcement, occurrence, trace: restingTrace() });
  };
}

/** `trace`: of the event, because the mails of a group have different causes. */
type Heard = {
  readonly announcement: Announcement;
  readonly occurrence: Occurrence;
  readonly trace: RestingTrace;
};

/** If no recipient is known yet, the occurrence is stored until the organisation is known; its message counts as handled. */
async function storeAnnounced(notifier: Notifier, group: readonly Heard[]): Promise<void> {
  const { mongo, contacts, notifications, waiting, clock } = notifier;
  await mongo.transaction(async (session) => {
    const ids = group.map(({ occurrence }) => occurrence.eventId);
    const unseen = await recordInMongoInbox(mongo, session, ids);
    const fresh = group.filter(({ occurrence }) => unseen.has(occurrence.eventId));
    if (fresh.length === 0) return;
    const address = await addressing(notifier, session, fresh);
    const added: QueuedNotification[] = [];
    for (const heard of fresh) {
      const { occurrence, trace } = heard;
      const addressed = address(heard);
      if (addressed === 'nobody-known') {
        await contacts.await(session, occurrence.organisationId);
        await waiting.holdBack(session, occurrence, clock.now());
      } else for (const notification of addressed) added.push({ ...notification, trace });
    }
    await notifications.add(session, added, clock.now());
  });
  notifier.wakeDelivery();
}

/**
 * Stores a new state of an organisation. Occurrences that waited for it are sent. Unsent mails follow people to their new address, and are
 * withdrawn from people who left. Of people who were erased, nothing is kept.
 */
export async function learnContact(
  notifier: Notifier,
  event: Pick<ReceivedEvent, 'id' | 'subjectVersion'> & { readonly data: OrganisationFacts },
): Promise<void> {
  const { mongo, contacts, unsent, erasure, clock } = notifier;
  const { billingDetails: _, ...contact } = event.data;
  const { organisationId } = contact;
  await mongo.transaction(async (session) => {
    if (!(await recordInMongoInbox(mongo, session, [event.id])).has(event.id)) return;
    const before = await contacts.find(organisationId, session);
    if (!(await contacts.save(session, contact, event.subjectVersion))) return;
    for (const departure of departures(before, contact))
      await unsent.redirect(session, { organisationId, ...departure, now: clock.now() });
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
      const page = await waiting.heldBack(session, { organisationId, after: last, atMost: atOnce });
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

/** An unreadable occurrence, written by a later version, stays and does not block the others. */
function readWaiting({ logger }: Notifier, occurrence: Occurrence): readonly Announced[] {
  const announcement = announcementOf(occurrence.eventName);
  if (announcement?.declaration.schema.safeParse(occurrence.data).success === true)
    return [{ announcement, occurrence }];
  const { eventName, eventId } = occurrence;
  logger.error({ eventName, eventId }, 'a waiting occurrence cannot be read and stays in the store');
  return [];
}

type Announced = Pick<Heard, 'announcement' | 'occurrence'>;

/** Reads what is needed to address all of them. */
async function addressing(
  { contacts, preferences, unsubscribing, portalUrl }: Notifier,
  session: Session,
  all: readonly Announced[],
): Promise<(one: Announced) => Addressed> {
  const contactsByOrganisation = await contacts.findAll(
    all.map(({ occurrence }) => occurrence.organisationId),
    session,
  );
  const asked = all.flatMap(({ announcement, occurrence }) =>
    announcement.optional === undefined && !isOfTestMode(occurrence.data)
      ? []
      : (contactsByOrganisation.get(occurrence.organisationId)?.people ?? []),
  );
  const chosen =
    asked.length === 0
      ? undefined
      : await preferences.ofAll(
          session,
          asked.map(({ personId }) => personId),
        );
  return ({ announcement, occurrence }) => {
    const { organisationId } = occurrence;
    return announcement.address(occurrence, {
      contact: contactsByOrganisation.get(organisationId),
      wants: ({ personId }, mail) => {
        const { switchedOff, testMode } = chosen?.get(personId) ?? asUsual;
        return mail === 'testMode' ? testMode : !switchedOff.has(mail);
      },
      portalUrl,
      unsubscribeUrl: ({ personId }, mail) => unsubscribing.urlFor({ organisationId, personId, mail }),
    });
  };
}
