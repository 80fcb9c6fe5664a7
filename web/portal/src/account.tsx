/** The menu of the signed-in person: a switch between their organisations, the theme, and the sign-out. */
import type { SessionReply } from '@offer-ads/contracts/portal/session-api';
import { useQueryClient } from '@tanstack/preact-query';
import { ChevronDown, LogOut } from 'lucide';
import { useState } from 'preact/hooks';
import { BusyButton } from '../../ui/busy-button.tsx';
import { Options } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Notice } from '../../ui/notice.tsx';
import { ThemeSwitch } from '../../ui/theme/theme-switch.tsx';
import { sessionKey, usePortal } from './session.ts';
import { leave } from './tab-storage.ts';

export function Account() {
  const { session, api } = usePortal();
  const queries = useQueryClient();
  const [problem, setProblem] = useState<string | null>(null);
  const { tradingName } = session.organisation;

  const switchTo = async (organisationId: number) => {
    const reply = await api.send<SessionReply>('POST', '/session/organisation', { json: { organisationId } });
    if (!reply.ok) return setProblem(reply.message);
    queries.clear();
    queries.setQueryData(sessionKey, reply.body);
    // Not the current page: its ids belong to the previous organisation.
    location.assign('/portal');
  };
  const signOut = async () => {
    const reply = await api.send('POST', '/sign-out');
    if (!reply.ok && reply.status !== 401) return setProblem(reply.message);
    leave();
  };

  return (
    <div class="account">
      <Menu
        button={
          <>
            <span class="initial" aria-hidden="true">
              {Array.from(tradingName)[0]?.toUpperCase()}
            </span>
            <span class="hidden">Account: </span>
            <span class="organisation">{tradingName}</span>
            <Icon of={ChevronDown} />
          </>
        }
      >
        <p>
          {session.person.email}
          <br />
          <span class="muted small">Role: {session.role}</span>
        </p>
        {session.otherOrganisations.length > 0 && (
          <label class="theme-switch">
            <span>Organisation</span>
            <select
              value={session.organisation.id}
              onChange={(event) => void switchTo(Number(event.currentTarget.value))}
            >
              <Options
                of={[session.organisation, ...session.otherOrganisations].map(({ id, tradingName: name }) => [
                  id,
                  name,
                ])}
              />
            </select>
          </label>
        )}
        <ThemeSwitch />
        <div class="link-list">
          <BusyButton work={signOut}>
            <Icon of={LogOut} />
            Sign out
          </BusyButton>
        </div>
        {problem !== null && <Notice kind="problem">{problem}</Notice>}
      </Menu>
    </div>
  );
}
