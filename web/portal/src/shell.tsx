/** The frame of every page: organisation, mode, navigation and sign-out. */

import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { Frame, SectionsMenu } from '../../ui/frame.tsx';
import { momentText } from '../../ui/time-text.ts';
import { Account } from './account.tsx';
import { Offline } from './offline.tsx';
import { sectionOf, sections } from './sections.ts';
import { usePortal } from './session.ts';
import { useAheadSeconds, useOfferNow } from './test-clock.ts';

export function Shell({ children }: { readonly children: ComponentChildren }) {
  const { mode, session } = usePortal();
  return (
    <Frame
      header={
        <header>
          <div class="bar">
            <a class="brand" href={`/portal/${mode}`}>
              Advertiser portal
            </a>
            <ModeSwitch />
            <Account />
          </div>
          {mode === 'test' && (
            <p class="mode-note">
              TEST mode: play money and test cards. Nothing here is shown to members or costs anything.
              <TestTime />
            </p>
          )}
          {!session.organisation.approved && (
            <p class="waiting-note">
              Your organisation is waiting for approval. Until then there is no LIVE mode, and numbers and
              prices are based on made-up members. You get a mail when the platform team has approved it.
            </p>
          )}
          <Offline />
        </header>
      }
      menu={<Navigation />}
    >
      {children}
    </Frame>
  );
}

/** Where the test clock stands, once it was moved. */
function TestTime() {
  const { at } = usePortal();
  const aheadSeconds = useAheadSeconds();
  const now = useOfferNow();
  if (aheadSeconds === 0) return null;
  return (
    <>
      {' '}
      By the <a href={at('offers')}>test clock</a> it is {momentText(now().toISOString())}.
    </>
  );
}

/** Links to the same section in the other mode, not to the same item: items belong to one mode. */
function ModeSwitch() {
  const { mode } = usePortal();
  const section = sectionOf(useLocation().path);
  return (
    <nav class="modes" aria-label="Mode">
      {(['test', 'live'] as const).map((other) => (
        <a
          key={other}
          href={`/portal/${other}${section === '' ? '' : `/${section}`}`}
          aria-current={other === mode ? 'true' : undefined}
        >
          {other.toUpperCase()}
        </a>
      ))}
    </nav>
  );
}

function Navigation() {
  const { may, at } = usePortal();
  const here = sectionOf(useLocation().path);
  const shown = sections.filter(({ permission }) => permission === null || may(permission));
  return (
    <SectionsMenu
      sections={shown.map(({ path, title }) => ({ address: at(path), title, isHere: path === here }))}
    >
      <ul class="elsewhere">
        <li>
          <a href="/docs">Guides</a>
        </li>
        <li>
          <a href="/docs/reference">API reference</a>
        </li>
        <li>
          <a href="/status">Status</a>
        </li>
      </ul>
    </SectionsMenu>
  );
}
