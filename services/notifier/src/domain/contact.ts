/** Who hears of what: the people of an organisation as the gateway last told of them. */
import type { OrganisationFacts } from '@offer-ads/contracts/events/gateway';

export type Contact = OrganisationFacts;
export type Person = Contact['people'][number];

/** The specification's "organisation admins"; an admin who was disabled hears nothing more. */
export function adminsOf(contact: Contact): readonly Person[] {
  return contact.people.filter((person) => hears(person) && person.role === 'admin');
}

/** The admins and one more person, for example the one who created an offer. */
export function adminsAnd(contact: Contact, personId: number | null): readonly Person[] {
  return contact.people.filter(
    (person) => hears(person) && (person.role === 'admin' || person.personId === personId),
  );
}

/** Whoever is still awaited may be a stranger, whom somebody named who wants them to have mails. */
function hears({ enabled, awaited }: Person): boolean {
  return enabled && awaited !== true;
}

/** Whether a mail that was for this address may still go there. */
export function isReachedAt(contact: Contact, address: string): boolean {
  return enabledIn(contact).some((person) => mailboxOf(person) === address.toLowerCase());
}

/** One mail for each mailbox, however often it is listed: for the person who is listed first. */
export function onePerMailbox(people: readonly Person[]): readonly Person[] {
  return [...Map.groupBy(people, mailboxOf).values()].flatMap((sharing) => sharing.slice(0, 1));
}

/** A mailbox that nobody in the organisation has any longer, and where its person is to be written to now, if anywhere. */
export type Departure = { readonly from: string; readonly to: string | undefined };

/** Between two states of an organisation: who was disabled, removed, or has another address. */
export function departures(before: Contact | undefined, after: Contact): readonly Departure[] {
  const known = new Set(enabledIn(before).map(mailboxOf));
  const staying = new Set(enabledIn(after).map(mailboxOf));
  return onePerMailbox(enabledIn(before).filter((person) => !staying.has(mailboxOf(person)))).map(
    (person) => {
      const now = enabledIn(after).find(({ personId }) => personId === person.personId);
      // A mailbox that was known before has mails of its own.
      return {
        from: person.email,
        to: now === undefined || known.has(mailboxOf(now)) ? undefined : now.email,
      };
    },
  );
}

function enabledIn(contact: Contact | undefined): readonly Person[] {
  return (contact?.people ?? []).filter(({ enabled }) => enabled);
}

/** Local parts differ by case nowhere in practice. */
function mailboxOf({ email }: Person): string {
  return email.toLowerCase();
}
