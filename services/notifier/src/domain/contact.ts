/** Who hears of what: the people of an organisation as the gateway last told of them. */
import type { OrganisationFacts } from '@offer-ads/contracts/gateway-events';

export type Contact = OrganisationFacts;

/** The specification's "organisation admins"; an admin who was disabled hears nothing more. */
export function adminsOf(contact: Contact): readonly string[] {
  return unique(contact.people.filter((person) => person.enabled && person.role === 'admin'));
}

/** The admins and one more person, for example the one who created an offer. */
export function adminsAnd(contact: Contact, personId: number | null): readonly string[] {
  return unique(
    contact.people.filter(
      (person) => person.enabled && (person.role === 'admin' || person.personId === personId),
    ),
  );
}

/** One mail for each mailbox, however often it is listed. */
function unique(people: Contact['people']): readonly string[] {
  return [...new Map(people.map(({ email }) => [email.toLowerCase(), email])).values()];
}
