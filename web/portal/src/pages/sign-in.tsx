/** `/portal/sign-in#token`: the link of a mail. */
import type { SignInLinkReply } from '@offer-ads/contracts/portal/session-api';
import { useEffect, useState } from 'preact/hooks';
import { BusyButton } from '../../../ui/busy-button.tsx';
import { call, type Reply } from '../../../ui/calls/call.ts';
import { Notice } from '../../../ui/notice.tsx';
import { Loading } from '../../../ui/states.tsx';
import { useMailedLink, useOneTimeToken } from '../mailed-link.ts';
import { PortalPage } from '../portal-page.tsx';
import { SignedOut } from '../signed-out.tsx';

const final = [400, 401];

export function SignIn() {
  const token = useOneTimeToken();
  const { open, problem } = useMailedLink(token, { path: '/sign-in/complete', final });
  const link = useDescription(token);
  const refused =
    problem ?? (link?.ok === false && final.includes(link.status) ? { ...link, final: true } : null);

  return (
    <SignedOut>
      <PortalPage title="Sign in">
        {token === '' && (
          <Notice kind="problem">
            There is no sign-in link here. Open the whole link from the mail, or ask for a new one.
          </Notice>
        )}
        {refused !== null && <Notice kind="problem">{refused.message}</Notice>}
        {token !== '' &&
          refused?.final !== true &&
          (link === null ? (
            <Loading what="the link" />
          ) : (
            <div>
              <BusyButton work={open}>
                {link.ok ? `Sign in to ${link.body.organisation} as ${link.body.email}` : 'Sign in'}
              </BusyButton>
            </div>
          ))}
        <p>
          <a href="/portal">Ask for a new link</a>
        </p>
      </PortalPage>
    </SignedOut>
  );
}

/** Whose link it is; null until it is known. Where nobody knows at the moment, the button is still there. */
function useDescription(token: string): Reply<SignInLinkReply> | null {
  const [described, setDescribed] = useState<{ token: string; reply: Reply<SignInLinkReply> } | null>(null);
  useEffect(() => {
    if (token === '') return;
    void call<SignInLinkReply>('/portal/api/sign-in/link', { method: 'POST', json: { token } }).then(
      (reply) => setDescribed({ token, reply }),
    );
  }, [token]);
  return described?.token === token ? described.reply : null;
}
