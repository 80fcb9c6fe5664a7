/** What each role may do in the portal (decision 26). */
import type { Role } from '@offer-ads/contracts/gateway-events';

/** Parts of the portal. `organisation`: its names and quotas; `terms`: accepting them; `calls`: the call log. */
export const permissions = ['offers', 'keys', 'calls', 'people', 'terms', 'billing', 'organisation'] as const;
export type Permission = (typeof permissions)[number];

const granted: Record<Role, readonly Permission[]> = {
  admin: permissions,
  developer: ['keys', 'calls'],
  marketer: ['offers'],
};

export function may(role: Role, permission: Permission): boolean {
  return granted[role].includes(permission);
}

/** For a page that shows only what its reader may use. */
export function permissionsOf(role: Role): readonly Permission[] {
  return granted[role];
}
