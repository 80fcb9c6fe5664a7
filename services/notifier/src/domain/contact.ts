/** Recipients: the people of an organisation according to the gateway. */
import type { OrganisationFacts } from '@offer-ads/contracts/events/gateway';

/** Without what mails never need. */
export type Contact = Omit<OrganisationFacts, 'billingDetails'>;
export type Person = Contact['people'][number];

/** The specification's "organisation admins", without disabled ones. */
export function adminsOf(contact: Contact): readonly Person[] {
  return contact.people.filter((person) => receivesMails(person) && person.role === 'admin');
}

/** Those who may see the balance in the portal. */
export function adminsAndFinance(contact: Contact): readonly Person[] {
  return contact.people.filter(
    (person) => receivesMails(person) && (person.role === 'admin' || person.role === 'finance'),
  );
}

/** The admins and one more person, for example the creator of an offer. */
export function adminsAnd(contact: Contact, personId: number | null): readonly Person[] {
  return contact.people.filter(
    (person) => receivesMails(person) && (person.role === 'admin' || person.personId === personId),
  );
}

/** An invited person who has never signed in gets no mails: the address may belong to a stranger. */
function receivesMails({ enabled, awaited }: Person): boolean {
  return enabled && awaited !== true;
}

/** Whether a mail for this address may still be sent there. */
export function isReachedAt(contact: Contact, address: string): boolean {
  return enabledIn(contact).some((person) => mailboxOf(person) === address.toLowerCase());
}

/** One mail per mailbox, however often it is listed: for the first listed person. */
export function onePerMailbox(people: readonly Person[]): readonly Person[] {
  return [...Map.groupBy(people, mailboxOf).values()].flatMap((sharing) => sharing.slice(0, 1));
}

/** A mailbox that no person of the organisation uses any longer, and the person's new mailbox, if any. */
export type Departure = { readonly from: string; readonly to: string | undefined };

/** The people who were disabled, removed, or changed their address between two states of an organisation. */
export function departures(before: Contact | undefined, after: Contact): readonly Departure[] {
  const known = new Set(enabledIn(before).map(mailboxOf));
  const staying = new Set(enabledIn(after).map(mailboxOf));
  return onePerMailbox(enabledIn(before).filter((person) => !staying.has(mailboxOf(person)))).map(
    (person) => {
      const now = enabledIn(after).find(({ personId }) => personId === person.personId);
      // If the organisation already used that mailbox before, it has its own mails.
      return {
        from: person.email,
        to: now === undefined || known.has(mailboxOf(now)) ? undefined : now.email,
      };
    },
  );
}

/**
 * The people who are no longer listed, and whose mailbox nobody else of the organisation has. A disabled person stays in the list, so these
 * were erased (decision 256, erasure of a person).
 */
export function erased(before: Contact | undefined, after: Contact): readonly Person[] {
  const ids = new Set(after.people.map(({ personId }) => personId));
  const mailboxes = new Set(after.people.map(mailboxOf));
  return (before?.people ?? []).filter(
    (person) => !ids.has(person.personId) && !mailboxes.has(mailboxOf(person)),
  );
}

function enabledIn(contact: Contact | undefined): readonly Person[] {
  return (contact?.people ?? []).filter(({ enabled }) => enabled);
}

/** Ignores case, which distinguishes no mailboxes in practice. */
function mailboxOf({ email }: Person): string {
  return email.toLowerCase();
}
