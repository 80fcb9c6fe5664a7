/** The sections of the portal in the order of the navigation, with the permission that each needs. */
import type { Permission } from '@offer-ads/contracts/portal/session-api';
import {
  FileText,
  House,
  type IconNode,
  KeyRound,
  ScrollText,
  Settings,
  Tag,
  Users,
  Wallet,
  Webhook,
} from 'lucide';

export type Section = {
  /** The first part of its addresses; '' for home. */
  readonly path: string;
  readonly title: string;
  readonly icon: IconNode;
  /** Null: every signed-in person. */
  readonly permission: Permission | null;
};

export const sections = [
  { path: '', title: 'Home', icon: House, permission: null },
  { path: 'offers', title: 'Offers', icon: Tag, permission: 'view-offers' },
  { path: 'money', title: 'Balance', icon: Wallet, permission: 'billing' },
  { path: 'keys', title: 'API keys', icon: KeyRound, permission: 'keys' },
  { path: 'webhooks', title: 'Webhooks', icon: Webhook, permission: 'webhooks' },
  { path: 'calls', title: 'Call log', icon: ScrollText, permission: 'calls' },
  { path: 'people', title: 'People', icon: Users, permission: 'people' },
  { path: 'terms', title: 'Terms', icon: FileText, permission: null },
  { path: 'settings', title: 'Settings', icon: Settings, permission: null },
] as const satisfies readonly Section[];

/** The section of an address; '' for home. */
export function sectionOf(path: string): string {
  return path.split('/')[3] ?? '';
}
