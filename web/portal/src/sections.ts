/** The sections of the portal in the order of the navigation, with the permission that each needs. */
import type { Permission } from '@offer-ads/contracts/portal/session-api';

export type Section = {
  /** The first part of its addresses; '' for home. */
  readonly path: string;
  readonly title: string;
  /** Null: every signed-in person. */
  readonly permission: Permission | null;
};

export const sections = [
  { path: '', title: 'Home', permission: null },
  { path: 'offers', title: 'Offers', permission: 'offers' },
  { path: 'money', title: 'Balance', permission: 'billing' },
  { path: 'keys', title: 'API keys', permission: 'keys' },
  { path: 'webhooks', title: 'Webhooks', permission: 'webhooks' },
  { path: 'calls', title: 'Call log', permission: 'calls' },
  { path: 'people', title: 'People', permission: 'people' },
  { path: 'terms', title: 'Terms', permission: null },
  { path: 'settings', title: 'Settings', permission: null },
] as const satisfies readonly Section[];

/** The section of an address; '' for home. */
export function sectionOf(path: string): string {
  return path.split('/')[3] ?? '';
}
