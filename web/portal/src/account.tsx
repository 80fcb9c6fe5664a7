/** The signed-in person: a switch between their organisations, and the sign-out. */
import type { SessionReply } from '@offer-ads/contracts/portal/session-api';
import { useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { BusyButton } from '../../ui/busy-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { sessionKey, usePortal } from './session.ts';
import { leave } from './tab-storage.ts';

export function Account() {
  const { session, api } = usePortal();
  const queries = useQueryClient();
  const [problem, setProblem] = useState<string | null>(null);

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
      {session.otherOrganisations.length === 0 ? (
        <span class="organisation">{session.organisation.tradingName}</span>
      ) : (
        <label>
          <span class="hidden">Organisation</span>
          <select
            value={session.organisation.id}
            onChange={(event) => void switchTo(Number(event.currentTarget.value))}
          >
            {[session.organisation, ...session.otherOrganisations].map(({ id, tradingName }) => (
              <option key={id} value={id}>
                {tradingName}
              </option>
            ))}
          </select>
        </label>
      )}
      <span class="muted small person">
        {session.person.email}, {session.role}
      </span>
      <BusyButton class="link" work={signOut}>
        Sign out
      </BusyButton>
      {problem !== null && <Notice kind="problem">{problem}</Notice>}
    </div>
  );
}
