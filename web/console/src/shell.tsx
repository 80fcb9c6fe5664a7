/** The frame of every page: the sections, the signed-in person, and the sign-out. */
import { useQueryClient } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { BusyButton } from '../../ui/busy-button.tsx';
import { Frame, SectionsMenu } from '../../ui/frame.tsx';
import { Notice } from '../../ui/notice.tsx';
import { changeSession, useConsole } from './session.ts';

const sections = [
  { path: '', title: 'Overview' },
  { path: 'organisations', title: 'Organisations' },
  { path: 'offers', title: 'Offers' },
  { path: 'pictures', title: 'Pictures' },
  { path: 'placements', title: 'Placements' },
  { path: 'parked', title: 'Parked events' },
  { path: 'rates', title: 'Rates' },
  { path: 'cards', title: 'Card problems' },
] as const;

export function Shell({ children }: { readonly children: ComponentChildren }) {
  return (
    <Frame
      header={
        <header class="bar">
          <a class="brand" href="/">
            Staff console
          </a>
          <Account />
        </header>
      }
      menu={<Navigation />}
    >
      {children}
    </Frame>
  );
}

function Navigation() {
  const here = useLocation().path.split('/')[1] ?? '';
  return (
    <SectionsMenu
      sections={sections.map(({ path, title }) => ({ address: `/${path}`, title, isHere: path === here }))}
    />
  );
}

function Account() {
  const { name, send } = useConsole();
  const queries = useQueryClient();
  const [problem, setProblem] = useState<string | null>(null);
  const signOut = async () => {
    const reply = await send('/sign-out');
    if (!reply.ok && reply.status !== 401) return setProblem(reply.message);
    changeSession(queries, null);
  };
  return (
    <div class="account">
      <span class="small person">
        <span class="hidden">Signed in as </span>
        {name}
      </span>
      <BusyButton class="link" work={signOut}>
        Sign out
      </BusyButton>
      {problem !== null && <Notice kind="problem">{problem}</Notice>}
    </div>
  );
}
