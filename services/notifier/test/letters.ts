/** The notifications that the domain makes of an event, for tests of recipients and letters. */
import type { AnnouncementContext, Notification } from '../src/domain/announcement.ts';
import { announcementOf, announcements } from '../src/domain/announcements.ts';
import type { Contact } from '../src/domain/contact.ts';
import { cornerCafe, sampleOf } from './events.ts';

export const portalUrl = 'https://ads.example/portal';

type Sample = { readonly mode?: string; readonly email?: string };
/** Every announcement with a sample of its event: whoever adds a mail finds it tested by these. */
export const announced = announcements.map(
  ({ declaration, optional }) => [declaration.name, sampleOf(declaration) as Sample, optional] as const,
);

/** All people want all mails. */
export const around = (
  contact: Contact | undefined,
  changes: Partial<AnnouncementContext> = {},
): AnnouncementContext => ({
  contact,
  wants: () => true,
  portalUrl,
  unsubscribeUrl: ({ personId }, mail) => `${portalUrl}/unsubscribe/${personId}.${mail}`,
  ...changes,
});

/** @param facts of the event, where it differs from its sample */
export function addressed(
  eventName: string,
  facts: object = {},
  o: { eventId?: string; context?: AnnouncementContext } = {},
) {
  const announcement = announcementOf(eventName);
  if (announcement === undefined) throw new Error(`${eventName} becomes no mail`);
  const data = sampleOf(announcement.declaration, facts);
  const happenedAt = '2026-06-01T12:00:00.000Z';
  const occurrence = { eventName, eventId: o.eventId ?? 'event-1', organisationId: 1, happenedAt, data };
  return announcement.address(occurrence, o.context ?? around(cornerCafe));
}

/** @throws when no recipient is known */
export function notifications(
  eventName: string,
  facts: object = {},
  o: Parameters<typeof addressed>[2] = {},
): readonly Notification[] {
  const found = addressed(eventName, facts, o);
  if (found === 'nobody-known') throw new Error(`${eventName}: no recipient is known`);
  return found;
}

/** Replaces non-breaking spaces by spaces. */
export const plain = (text: string | undefined) => (text ?? '').replace(/[\u00a0\u202f]/g, ' ');
