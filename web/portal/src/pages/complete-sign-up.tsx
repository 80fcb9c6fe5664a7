/** Opened by the link of the mail. */
import { BusyButton } from '../../../ui/busy-button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { useMailedLink } from '../mailed-link.ts';
import { PortalPage } from '../portal-page.tsx';

export function CompleteSignUp({ token }: { readonly token: string }) {
  const { open, problem } = useMailedLink(token, { path: '/sign-up/complete', final: [400, 401, 403] });
  return (
    <PortalPage title="Finish your registration">
      {problem !== null && <Notice kind="problem">{problem.message}</Notice>}
      {problem?.final !== true && (
        <>
          <p>One more click: your organisation is registered, and you are signed in as its first admin.</p>
          <div>
            <BusyButton work={open}>Register and sign in</BusyButton>
          </div>
        </>
      )}
      <p>
        <a href="/portal/sign-up">Register again</a> or <a href="/portal">sign in</a>
      </p>
    </PortalPage>
  );
}
