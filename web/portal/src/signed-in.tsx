/** All pages that need a sign-in: loads the session and shows the page in the frame of the portal. */

import type { SessionReply } from '@offer-ads/contracts/portal/session-api';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { Failed, Loading } from '../../ui/states.tsx';
import { AskForLink } from './pages/ask-for-link.tsx';
import { NoLiveMode } from './pages/no-live-mode.tsx';
import { loadPage, Pages } from './pages.tsx';
import { type Mode, PortalContext, usePortalOf, useSession } from './session.ts';
import { Shell } from './shell.tsx';
import { SignedOut } from './signed-out.tsx';

export function SignedIn() {
  const session = useSession();
  const { path } = useLocation();
  const mode = path.split('/')[2];
  // Together with the session, not after it.
  useEffect(() => loadPage(path), []);
  if (session.isPending)
    return (
      <SignedOut>
        <Loading what="the portal" />
      </SignedOut>
    );
  if (session.isError)
    return (
      <SignedOut>
        <Failed error={session.error} retry={session.refetch} />
      </SignedOut>
    );
  if (session.data === null) return <AskForLink />;
  if (mode !== 'test' && mode !== 'live') return <Entry session={session.data} />;
  return <InMode session={session.data} mode={mode} />;
}

/** `/portal` without a mode: opens the last used mode; TEST at first, and while there is no LIVE mode. */
function Entry({ session }: { readonly session: SessionReply }) {
  const { route } = useLocation();
  const mode = session.organisation.approved ? lastMode() : 'test';
  useEffect(() => route(`/portal/${mode}`, true), []);
  return null;
}

function InMode({ session, mode }: { readonly session: SessionReply; readonly mode: Mode }) {
  const portal = usePortalOf(session, mode);
  useEffect(() => {
    document.documentElement.dataset['mode'] = mode;
    rememberMode(mode);
    return () => delete document.documentElement.dataset['mode'];
  }, [mode]);
  return (
    <PortalContext.Provider value={portal}>
      <Shell>
        {mode === 'live' && !session.organisation.approved ? (
          <NoLiveMode />
        ) : (
          // The key resets the pages: their state belongs to one organisation and mode.
          <Pages key={`${session.organisation.id} ${mode}`} />
        )}
      </Shell>
    </PortalContext.Provider>
  );
}

function lastMode(): Mode {
  try {
    return localStorage.getItem('mode') === 'live' ? 'live' : 'test';
  } catch {
    return 'test';
  }
}

function rememberMode(mode: Mode): void {
  try {
    localStorage.setItem('mode', mode);
  } catch {
    // Storage is not available: the portal always opens in TEST mode.
  }
}
