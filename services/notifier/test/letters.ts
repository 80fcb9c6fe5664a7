/** The notifications that the domain makes of an event, for tests of recipients and letters. */
import { readFileSync } from 'node:fs';
import { routingKey } from '@offer-ads/contracts/events/event-declaration';
import type { AnnouncementContext, Notification } from '../src/domain/announcement.ts';
import { announcementOf, announcements } from '../src/domain/announcements.ts';
import type { Contact } from '../src/domain/contact.ts';
import { cornerCafe, samples } from './events.ts';

export const portalUrl = 'https://ads.example/portal';

type Sample = { readonly mode?: string; readonly email?: string };
/** Every announcement with a sample of its event, from the contracts: whoever adds a mail finds it tested by these. */
export const announced = announcements.map(({ declaration, optional }) => {
  const file = new URL(
    `../../../packages/contracts/samples/${routingKey(declaration)}.json`,
    import.meta.url,
  );
  return [declaration.name, JSON.parse(readFileSync(file, 'utf8')) as Sample, optional] as const;
});

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

/** @param facts of the event, where it differs from its sample in `events.ts` */
export function addressed(
  eventName: string,
  facts: object = {},
  o: { eventId?: string; context?: AnnouncementContext } = {},
) {
  const data = { ...(samples as Record<string, object>)[eventName], ...facts };
  const happenedAt = '2026-06-01T12:00:00.000Z';
  const occurrence = { eventName, eventId: o.eventId ?? 'event-1', organisationId: 1, happenedAt, data };
  return announcementOf(eventName)?.address(occurrence, o.context ?? around(cornerCafe));
}

/** @throws when no recipient is known */
export function notifications(
  eventName: string,
  facts: object = {},
  o: Parameters<typeof addressed>[2] = {},
): readonly Notification[] {
  const found = addressed(eventName, facts, o);
  if (found === undefined || found === 'nobody-known') throw new Error(`${eventName}: no recipient is known`);
  return found;
}

/** Replaces non-breaking spaces by spaces. */
export const plain = (text: string | undefined) => (text ?? '').replace(/[\u00a0\u202f]/g, ' ');
