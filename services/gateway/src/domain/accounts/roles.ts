/** What each role may do in the portal (decision 26, roles). */
import type { Role } from '@offer-ads/contracts/events/gateway';
import { type Permission, permission } from '@offer-ads/contracts/portal/session-api';

export type { Permission };

const granted: Record<Role, readonly Permission[]> = {
  admin: permission.options,
  developer: ['keys', 'calls', 'webhooks'],
  marketer: ['view-offers', 'offers'],
  finance: ['billing'],
  viewer: ['view-offers'],
};

export function may(role: Role, permission: Permission): boolean {
  return granted[role].includes(permission);
}

/** For pages that show only what the person may use. */
export function permissionsOf(role: Role): readonly Permission[] {
  return granted[role];
}
