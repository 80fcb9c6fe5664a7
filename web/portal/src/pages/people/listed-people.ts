/** People as the list shows them, and what their roles let them do. */
import type { PortalPerson } from '@offer-ads/contracts/portal/organisation-api';

export type Role = PortalPerson['role'];

/** As the server decides it; the texts say it to people. */
export const roles = {
  admin: { title: 'Admin', may: 'Everything: people, terms, balance, and all that follows.' },
  developer: { title: 'Developer', may: 'API keys and the call log.' },
  marketer: { title: 'Marketer', may: 'Offers: create, pause, resume, delete, and see how they do.' },
} as const satisfies Record<Role, { readonly title: string; readonly may: string }>;

/** What can be asked about a person before it is done. */
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

/** "3 API keys", for what happens to them. */
export function keysText(count: number): string {
  return count === 1 ? '1 API key' : `${count} API keys`;
}
