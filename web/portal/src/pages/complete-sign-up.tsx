/** The link of the mail was opened. Nothing is used up before the button is pressed, because scanners of mails open links. */
import type { SessionReply } from '@offer-ads/contracts/portal/session-api';
import { useState } from 'preact/hooks';
import { BusyButton } from '../../../ui/busy-button.tsx';
import { call } from '../../../ui/call.ts';
import { Notice } from '../../../ui/notice.tsx';
import { PortalPage } from '../portal-page.tsx';

export function CompleteSignUp({ token }: { readonly token: string }) {
  // Of one link: another one that is opened in this tab begins anew.
  const [refused, setRefused] = useState({ token: '', message: '', final: false });
  const problem = refused.token === token ? refused : null;
  const register = async () => {
    const reply = await call<SessionReply>('/portal/api/sign-up/complete', {
      method: 'POST',
      json: { token },
    });
    // The address without the link, and with nothing of a session before.
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
        <a href="/portal/sign-up">Register anew</a> or <a href="/portal">sign in</a>
      </p>
    </PortalPage>
  );
}
