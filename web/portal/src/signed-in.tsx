/** All pages that need a sign-in: loads the session and shows the page in the frame of the portal. */

import type { SessionReply } from '@offer-ads/contracts/portal/session-api';
import { useQuery, useQueryClient } from '@tanstack/preact-query';
import { useEffect, useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { Failed, Loading } from '../../ui/states.tsx';
import { AskForLink } from './pages/ask-for-link.tsx';
import { NoLiveMode } from './pages/no-live-mode.tsx';
import { Pages } from './pages.tsx';
import { type Mode, modeOf, portalOf } from './portal.ts';
import { PortalContext, sessionKey, sessionQuery } from './session.ts';
import { Shell } from './shell.tsx';
import { SignedOut } from './signed-out.tsx';
import { lastMode, rememberMode } from './tab-storage.ts';

export function SignedIn() {
  const session = useQuery(sessionQuery);
  const { path } = useLocation();
  const mode = modeOf(path);
  if (session.isPending)
    return (
      <SignedOut>
        <Loading what="the portal" />
      </SignedOut>
    );
  // A later failure, such as a lost connection, leaves the page as it is.
  if (session.data === undefined)
    return (
      <SignedOut>
        <Failed error={session.error} retry={session.refetch} />
      </SignedOut>
    );
  if (session.data === null) return <AskForLink />;
  if (mode === null) return <Entry session={session.data} />;
  return <InMode session={session.data} mode={mode} />;
}

/** An organisation whose approval was withdrawn keeps its LIVE offers. */
const hasLiveMode = ({ organisation: { approved, withdrawal } }: SessionReply) =>
  approved || withdrawal !== null;

/** `/portal` without a mode: opens the last used mode; TEST at first, and while there is no LIVE mode. */
function Entry({ session }: { readonly session: SessionReply }) {
  const { route } = useLocation();
  const mode = hasLiveMode(session) ? lastMode() : 'test';
  useEffect(() => route(`/portal/${mode}`, true), []);
  return null;
}

function InMode({ session, mode }: { readonly session: SessionReply; readonly mode: Mode }) {
  const queries = useQueryClient();
  const portal = useMemo(
    () => portalOf(session, mode, () => void queries.invalidateQueries({ queryKey: sessionKey })),
    [session, mode, queries],
  );
  useEffect(() => {
    document.documentElement.dataset['mode'] = mode;
    rememberMode(mode);
    return () => delete document.documentElement.dataset['mode'];
  }, [mode]);
  return (
    <PortalContext.Provider value={portal}>
      <Shell>
        {mode === 'live' && !hasLiveMode(session) ? (
          <NoLiveMode />
        ) : (
          // The key resets the pages: their state belongs to one organisation and mode.
          <Pages key={`${session.organisation.id} ${mode}`} />
        )}
      </Shell>
    </PortalContext.Provider>
  );
}
