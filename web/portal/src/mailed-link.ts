/** The token of a mailed link. It follows the `#` of the address, so that it does not appear in server logs or referrers. */
import type { SessionReply } from '@offer-ads/contracts/portal/session-api';
import { useEffect, useState } from 'preact/hooks';
import { call } from '../../ui/calls/call.ts';

/** '' when there is none. Removes the token from the address bar, so that it does not stay in the history, bookmarks or screenshots. */
export function useOneTimeToken(): string {
  const [token, setToken] = useState('');
  useEffect(() => {
    const take = () => {
      if (location.hash.length < 2) return;
      setToken(location.hash.slice(1));
      history.replaceState(null, '', location.pathname);
    };
    take();
    // Opening another link in this tab changes only the fragment.
    addEventListener('hashchange', take);
    return () => removeEventListener('hashchange', take);
  }, []);
  return token;
}

/** Why a mailed link was refused. `final`: it can never be used again. */
export type LinkProblem = { readonly message: string; readonly final: boolean };

/**
 * Uses a mailed link up, and opens the portal. Only a button calls this, because mail scanners open links, and some run the scripts of
 * the page.
 * @param o.final statuses after which the link cannot be used again
 */
export function useMailedLink(
  token: string,
  o: { readonly path: string; readonly final: readonly number[] },
) {
  // Belongs to one link: opening another link in this tab resets it.
  const [refused, setRefused] = useState<(LinkProblem & { readonly token: string }) | null>(null);
  const open = async () => {
    const reply = await call<SessionReply>(`/portal/api${o.path}`, { method: 'POST', json: { token } });
    // A full load, without the token in the address and without data of an earlier session.
    if (reply.ok) return location.replace('/portal');
    setRefused({ token, message: reply.message, final: o.final.includes(reply.status) });
  };
  const problem: LinkProblem | null = refused?.token === token ? refused : null;
  return { open, problem };
}
