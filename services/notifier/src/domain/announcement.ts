/** Turns an event into mails: recipients, texts, and the id that prevents duplicates. */
import type { EventData, EventDeclaration } from '@offer-ads/contracts/events/event-declaration';
import type { PersonInvited, SignInRequested, SignUpRequested } from '@offer-ads/contracts/events/gateway';
import { adminsOf, type Contact, onePerMailbox, type Person } from './contact.ts';
import type { Letter } from './letters/letter.ts';
import { type Message, render } from './letters/render-letter.ts';
import { asAdmin, type LetterToAdmins, type Setting, type Wording, wordingFor } from './letters/wording.ts';
import { mailSubjects, type OptionalMail } from './preferences.ts';

/** Used instead of an organisation's number if the recipient has no organisation yet. */
export const noOrganisation = 0;

/** An event for announcements. It is also stored as such while no recipient is known. */
export type Occurrence = {
  readonly eventName: string;
  readonly eventId: string;
  readonly organisationId: number;
  /** ISO 8601. */
  readonly happenedAt: string;
  readonly data: unknown;
};

export type Notification = {
  /** One per cause and recipient, so that repeated events send no second mail. */
  readonly id: string;
  readonly eventName: string;
  readonly organisationId: number;
  readonly recipient: string;
  readonly message: Message;
  /** ISO 8601; after this the message is useless and must be deleted, because it contains a credential. */
  readonly expiresAt?: string;
};

/** The data for announcing an occurrence. */
export type AnnouncementContext = {
  /** Undefined if the organisation is unknown. */
  readonly contact: Contact | undefined;
  readonly wants: (person: Person, mail: OptionalMail | 'testMode') => boolean;
  readonly portalUrl: string;
  /** The link with which a person ends these mails without signing in. */
  readonly unsubscribeUrl: (person: Person, mail: OptionalMail) => string;
};

/** `nobody-known`: it waits for the organisation's event. An empty list: all recipients have switched it off, or the event is worth no mail. */
export type Addressed = readonly Notification[] | 'nobody-known';

export type Announcement = {
  readonly declaration: EventDeclaration;
  /** Set if people can switch the mail off. */
  readonly optional?: OptionalMail;
  readonly address: (occurrence: Occurrence, context: AnnouncementContext) => Addressed;
};

/** A mail to several people of the organisation, when it is known. */
export function toPeopleOf<D extends EventDeclaration>(
  declaration: D,
  o: {
    /** What has one mail, however many events report it; by default each event is a cause of its own. */
    readonly cause?: (data: EventData<D>) => string | undefined;
    /** By default the enabled admins. */
    readonly recipients?: (contact: Contact, data: EventData<D>) => readonly Person[];
    readonly write: (data: EventData<D>, setting: Setting) => LetterToAdmins;
    readonly optional?: OptionalMail;
    /** By default every event is. */
    readonly isWorthAMail?: (data: EventData<D>) => boolean;
    /** Sent in TEST mode too to people who have not switched mails of TEST mode on. */
    readonly alwaysInTestMode?: boolean;
    /** Whether the mail has an unsubscribe link. */
    readonly oneClick?: boolean;
  },
): Announcement {
  const { optional } = o;
  return {
    declaration,
    ...(optional !== undefined && { optional }),
    address: ({ data: untyped, eventName, eventId, organisationId, happenedAt }, around) => {
      const { contact, portalUrl } = around;
      if (contact === undefined) return 'nobody-known';
      const data = declaration.schema.parse(untyped) as EventData<D>;
      if (o.isWorthAMail?.(data) === false) return [];
      const people = (o.recipients ?? adminsOf)(contact, data);
      if (people.length === 0) return 'nobody-known';
      const setting = { ...wordingFor(contact.country), contact, portalUrl, happenedAt };
      const letter = { reason: asAdmin(setting), ...o.write(data, setting) };
      const cause = o.cause?.(data) ?? `${eventName}/${eventId}`;
      const needsTestMode = isOfTestMode(data) && o.alwaysInTestMode !== true;
      const wanting = people.filter(
        (person) =>
          (optional === undefined || around.wants(person, optional)) &&
          (!needsTestMode || around.wants(person, 'testMode')),
      );
      const ends = o.oneClick === true ? optional : undefined;
      const sameForAll = ends === undefined ? render(letter) : undefined;
      const messageFor = (person: Person) =>
        sameForAll ?? render({ ...letter, ...(ends && { unsubscribe: ending(ends, person, around) }) });
      return onePerMailbox(wanting).map((person) => {
        const recipient = person.email;
        const message = messageFor(person);
        return { id: idOf(cause, recipient), eventName, organisationId, recipient, message };
      });
    },
  };
}

/** @param data of any event */
export function isOfTestMode(data: unknown): boolean {
  return (data as { readonly mode?: unknown }).mode === 'TEST';
}

function ending(
  mail: OptionalMail,
  person: Person,
  around: AnnouncementContext,
): Required<Letter>['unsubscribe'] {
  return { label: `No more mails about ${mailSubjects[mail]}`, url: around.unsubscribeUrl(person, mail) };
}

type WithLink = typeof SignInRequested | typeof PersonInvited | typeof SignUpRequested;

/** Needs no contact, because the event contains the address for the link. */
export function toOnePerson<D extends WithLink>(
  declaration: D,
  write: (data: EventData<D>, wording: Wording) => Letter,
): Announcement {
  return {
    declaration,
    address: ({ data: untyped, eventName, eventId, organisationId }, { contact }) => {
      const data = declaration.schema.parse(untyped) as EventData<D>;
      const { email: recipient, expiresAt } = data;
      const id = idOf(`${eventName}/${eventId}`, recipient);
      // For an organisation that does not exist yet, the event contains the country.
      const country = 'country' in data ? data.country : contact?.country;
      const message = render(write(data, wordingFor(country)));
      return [{ id, eventName, organisationId, recipient, message, expiresAt }];
    },
  };
}

function idOf(cause: string, recipient: string): string {
  return `${cause} to ${recipient.toLowerCase()}`;
}
