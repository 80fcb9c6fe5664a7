/** The frame of every page: organisation, mode, navigation and sign-out. */

import type { SessionReply } from '@offer-ads/contracts/portal/session-api';
import { Activity, BookOpen, CircleQuestionMark, CodeXml, Mail } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { Brand } from '../../ui/brand.tsx';
import { Frame } from '../../ui/frame.tsx';
import { Icon } from '../../ui/icon.tsx';
import { momentText } from '../../ui/time-text.ts';
import { Account } from './account.tsx';
import { Offline } from './offline.tsx';
import { sectionOf, sections } from './sections.ts';
import { usePortal } from './session.ts';
import { useAheadSeconds, useOfferNow } from './test-clock.ts';

export function Shell({ children }: { readonly children: ComponentChildren }) {
  const { mode, session, may, at } = usePortal();
  const here = sectionOf(useLocation().path);
  const shown = sections.filter(({ permission }) => permission === null || may(permission));
  return (
    <Frame
      brand={<Brand address={`/portal/${mode}`} />}
      bar={
        <>
          <ModeSwitch />
          <Account />
        </>
      }
      notes={
        <>
          {mode === 'test' && (
            <p class="mode-note">
              <strong>TEST mode:</strong> play money and test cards.{' '}
              <span class="longer">Nothing here is shown to members or costs anything.</span>
              <TestTime />
            </p>
          )}
          <ApprovalNote {...session.organisation} />
          <Offline />
        </>
      }
      sections={shown.map(({ path, title, icon }) => ({
        address: at(path),
        title,
        icon,
        isHere: path === here,
      }))}
      below={<Elsewhere />}
    >
      {children}
    </Frame>
  );
}

function ApprovalNote({
  approved,
  withdrawal,
}: Pick<SessionReply['organisation'], 'approved' | 'withdrawal'>) {
  if (approved) return null;
  return (
    <p class="waiting-note">
      {withdrawal === null ? (
        <>
          Your organisation is waiting for approval. Until then there is no LIVE mode, and numbers and prices
          are based on made-up members. You get a mail when the platform team has approved it.
        </>
      ) : (
        <>
          The platform team has withdrawn the approval of your organisation: {withdrawal.reason} Your LIVE
          offers go on, and you can read, pause, resume and delete them and fetch your invoices. Nothing new
          can be bought in LIVE mode, and prices are based on made-up members.
        </>
      )}
    </p>
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

const elsewhere = [
  { address: '/docs/portal', title: 'Help', icon: CircleQuestionMark },
  { address: '/docs', title: 'Guides', icon: BookOpen },
  { address: '/docs/reference', title: 'API reference', icon: CodeXml },
  { address: '/status', title: 'Status', icon: Activity },
  { address: '/contact', title: 'Contact and legal', icon: Mail },
] as const;

function Elsewhere() {
  return (
    <ul>
      {elsewhere.map(({ address, title, icon }) => (
        <li key={address}>
          <a href={address}>
            <Icon of={icon} />
            {title}
          </a>
        </li>
      ))}
    </ul>
  );
}
