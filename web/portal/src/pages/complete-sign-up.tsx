/** Opened by the link of the mail. Only the button uses the link up, because mail scanners open links. */
import type { SessionReply } from '@offer-ads/contracts/portal/session-api';
import { useState } from 'preact/hooks';
import { BusyButton } from '../../../ui/busy-button.tsx';
import { call } from '../../../ui/calls/call.ts';
import { Notice } from '../../../ui/notice.tsx';
import { PortalPage } from '../portal-page.tsx';

export function CompleteSignUp({ token }: { readonly token: string }) {
  // Belongs to one link: opening another link in this tab resets it.
  const [refused, setRefused] = useState({ token: '', message: '', final: false });
  const problem = refused.token === token ? refused : null;
  const register = async () => {
    const reply = await call<SessionReply>('/portal/api/sign-up/complete', {
      method: 'POST',
      json: { token },
    });
    // A full load, without the token in the address and without data of an earlier session.
    if (reply.ok) return location.replace('/portal');
    const final = reply.status === 400 || reply.status === 401 || reply.status === 403;
    setRefused({ token, message: reply.message, final });
  };
  return (
    <PortalPage title="Finish your registration">
      {problem !== null && <Notice kind="problem">{problem.message}</Notice>}
      {problem?.final !== true && (
        <>
          <p>One more click: your organisation is registered, and you are signed in as its first admin.</p>
          <div>
            <BusyButton work={register}>Register and sign in</BusyButton>
          </div>
        </>
      )}
      <p>
        <a href="/portal/sign-up">Register again</a> or <a href="/portal">sign in</a>
      </p>
    </PortalPage>
  );
}
