/**
 * `/portal/sign-in#token`: the link of a mail. Only the button uses the link up, because mail scanners open links, and some run the
 * scripts of the page.
 */
import type { SessionReply } from '@offer-ads/contracts/portal/session-api';
import { useState } from 'preact/hooks';
import { BusyButton } from '../../../ui/busy-button.tsx';
import { call } from '../../../ui/calls/call.ts';
import { Notice } from '../../../ui/notice.tsx';
import { useOneTimeToken } from '../one-time-token.ts';
import { PortalPage } from '../portal-page.tsx';

export function SignIn() {
  const token = useOneTimeToken();
  // Belongs to one link: opening another link in this tab resets it.
  const [refused, setRefused] = useState({ token: '', message: '', final: false });
  const problem = refused.token === token ? refused : null;

  const signIn = async () => {
    const reply = await call<SessionReply>('/portal/api/sign-in/complete', {
      method: 'POST',
      json: { token },
    });
    // A full load, without the token in the address and without data of an earlier session.
    if (reply.ok) return location.replace('/portal');
    // Only after these two statuses the link cannot be used any more.
    setRefused({ token, message: reply.message, final: reply.status === 400 || reply.status === 401 });
  };

  return (
    <main class="alone stack">
      <PortalPage title="Sign in to the advertiser portal">
        {token === '' && (
          <Notice kind="problem">
            There is no sign-in link here. Open the whole link from the mail, or ask for a new one.
          </Notice>
        )}
        {problem !== null && problem.message !== '' && <Notice kind="problem">{problem.message}</Notice>}
        {token !== '' && problem?.final !== true && (
          <>
            <p>The link works once: it is used up when you press the button.</p>
            <div>
              <BusyButton work={signIn}>Sign in</BusyButton>
            </div>
          </>
        )}
        <p>
          <a href="/portal">Ask for a new link</a>
        </p>
      </PortalPage>
    </main>
  );
}
