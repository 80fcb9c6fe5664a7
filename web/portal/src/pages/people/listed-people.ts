/** People as the list shows them, and the rights of their roles. */
import type { PortalPerson } from '@offer-ads/contracts/portal/organisation-api';

export type Role = PortalPerson['role'];

/** Descriptions of the roles; the server enforces the rights. */
export const roles = {
  admin: { title: 'Admin', may: 'Everything: people, terms and balance, and the rights of the other roles.' },
  developer: { title: 'Developer', may: 'API keys and the call log.' },
  marketer: {
    title: 'Marketer',
    may: 'Offers: create, pause, resume and delete them, and see views and clicks.',
  },
  finance: {
    title: 'Finance',
    may: 'Balance, statement, top-ups, invoices and billing details. No offers.',
  },
  viewer: { title: 'Viewer', may: 'Sees offers with their views, clicks and spend, and changes nothing.' },
} as const satisfies Record<Role, { readonly title: string; readonly may: string }>;

/** The dialogs about a person. */
export type Step = 'role' | 'disable' | 'enable';

export const roleNames = Object.keys(roles) as readonly Role[];

export function findPeople(people: readonly PortalPerson[], text: string): readonly PortalPerson[] {
  const sought = text.trim().toLowerCase();
  return people.filter(
    ({ email, role }) => email.toLowerCase().includes(sought) || roles[role].title.toLowerCase() === sought,
  );
}

export type Standing = 'disabled' | 'invited' | 'active';

export function standingOf({ enabled, lastSignedInAt }: PortalPerson): Standing {
  if (!enabled) return 'disabled';
  return lastSignedInAt === null ? 'invited' : 'active';
}

/** An organisation keeps an admin who has signed in, so this person's role stays, and they cannot be disabled. */
export function isOnlyAdmin(person: PortalPerson, people: readonly PortalPerson[]): boolean {
  const admins = people.filter((each) => each.role === 'admin' && standingOf(each) === 'active');
  return admins.length === 1 && admins[0]?.id === person.id;
}

/** "1 API key", "3 API keys". */
export function keysText(count: number): string {
  return count === 1 ? '1 API key' : `${count} API keys`;
}
