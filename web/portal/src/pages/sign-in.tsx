/** `/portal/sign-in#token`: the link of a mail. */
import { BusyButton } from '../../../ui/busy-button.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { useMailedLink, useOneTimeToken } from '../mailed-link.ts';
import { PortalPage } from '../portal-page.tsx';
import { SignedOut } from '../signed-out.tsx';

export function SignIn() {
  const token = useOneTimeToken();
  const { open, problem } = useMailedLink(token, { path: '/sign-in/complete', final: [400, 401] });

  return (
    <SignedOut>
      <PortalPage title="Continue to the advertiser portal">
        {token === '' && (
          <Notice kind="problem">
            There is no sign-in link here. Open the whole link from the mail, or ask for a new one.
          </Notice>
        )}
        {problem !== null && <Notice kind="problem">{problem.message}</Notice>}
        {token !== '' && problem?.final !== true && (
          <>
            <p>
              This button signs you in. The link works once: opening this page has not used it up, the button
              does.
            </p>
            <div>
              <BusyButton work={open}>Continue to the portal</BusyButton>
            </div>
          </>
        )}
        <p>
          <a href="/portal">Ask for a new link</a>
        </p>
      </PortalPage>
    </SignedOut>
  );
}
