/** The frame of every page: the sections, the signed-in person, and the sign-out. */
import type { SignOutReply } from '@offer-ads/contracts/admin/console-api';
import { useQueryClient } from '@tanstack/preact-query';
import {
  Building,
  ChartColumn,
  Coins,
  CreditCard,
  History,
  Image,
  Inbox,
  LayoutDashboard,
  ListChecks,
  ListTree,
  Megaphone,
  ScrollText,
  Tag,
} from 'lucide';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { Brand } from '../../ui/brand.tsx';
import { BusyButton } from '../../ui/busy-button.tsx';
import { Frame } from '../../ui/frame.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ThemeSwitch } from '../../ui/theme/theme-switch.tsx';
import { changeSession, useConsole } from './session.ts';

const sections = [
  { path: '', title: 'Overview', icon: LayoutDashboard },
  { path: 'organisations', title: 'Organisations', icon: Building },
  { path: 'offers', title: 'Offers', icon: Tag },
  { path: 'reviews', title: 'Reviews', icon: ListChecks },
  { path: 'pictures', title: 'Pictures', icon: Image },
  { path: 'placements', title: 'Placements', icon: Megaphone },
  { path: 'terms', title: 'Terms', icon: ScrollText },
  { path: 'catalogue', title: 'Catalogue', icon: ListTree },
  { path: 'parked', title: 'Parked events', icon: Inbox },
  { path: 'revenue', title: 'Revenue', icon: ChartColumn },
  { path: 'rates', title: 'Rates', icon: Coins },
  { path: 'cards', title: 'Card problems', icon: CreditCard },
  { path: 'audit', title: 'Audit log', icon: History },
] as const;

export function Shell({ children }: { readonly children: ComponentChildren }) {
  const here = useLocation().path.split('/')[1] ?? '';
  return (
    <Frame
      brand={<Brand address="/" site="Staff console" />}
      bar={<Account />}
      sections={sections.map(({ path, title, icon }) => ({
        address: `/${path}`,
        title,
        icon,
        isHere: path === here,
      }))}
      below={<ThemeSwitch />}
    >
      <Emergency />
      {children}
    </Frame>
  );
}

/** On every page, so that nobody works on with an emergency token because it is convenient. */
function Emergency() {
  if (!useConsole().isEmergency) return null;
  return (
    <Notice kind="warning">
      <strong>You are signed in with an emergency token.</strong> You may do everything, the platform team is
      alerted, and the audit log marks each action. Sign out as soon as your own sign-in works again.
    </Notice>
  );
}

function Account() {
  const { name, roles, send } = useConsole();
  const queries = useQueryClient();
  const [problem, setProblem] = useState<string | null>(null);
  const signOut = async () => {
    const reply = await send<SignOutReply>('/sign-out');
    if (!reply.ok && reply.status !== 401) return setProblem(reply.message);
    changeSession(queries, null);
    // Otherwise the next click on "Sign in" would sign the same person in again.
    if (reply.ok && reply.body.address !== null) location.assign(reply.body.address);
  };
  return (
    <div class="account">
      <span class="small person">
        <span class="hidden">Signed in as </span>
        {name} <span class="muted">({roles.join(', ')})</span>
      </span>
      <BusyButton class="link" work={signOut}>
        Sign out
      </BusyButton>
      {problem !== null && <Notice kind="problem">{problem}</Notice>}
    </div>
  );
}
