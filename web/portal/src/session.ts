/** The signed-in person, the mode of the page, and the API calls. */
import type { Permission, SessionReply } from '@offer-ads/contracts/portal/session-api';
import {
  type QueryClient,
  type QueryKey,
  queryOptions,
  type UseQueryOptions,
  useQuery,
} from '@tanstack/preact-query';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { call, Refused } from '../../ui/calls/call.ts';
import { type SessionApi, sessionApi } from '../../ui/calls/session-api.ts';

export type Mode = 'test' | 'live';

/** The mode in the address of a page, if any. */
export function modeOf(path: string): Mode | null {
  const mode = path.split('/')[2];
  return mode === 'test' || mode === 'live' ? mode : null;
}

export type Portal = {
  readonly session: SessionReply;
  readonly mode: Mode;
  /** Paths are what follows `/portal/api`. */
  readonly api: SessionApi;
  readonly may: (permission: Permission) => boolean;
  /** Address of a page in this mode: `at('offers/7')`. */
  readonly at: (page: string) => string;
  /** The first part of the key of every query about the organisation in this mode. */
  readonly scope: readonly [organisationId: number, mode: Mode];
};

export const PortalContext = createContext<Portal | null>(null);

export function usePortal(): Portal {
  const portal = useContext(PortalContext);
  if (portal === null) throw new Error('usePortal belongs below <SignedIn>');
  return portal;
}

/** A query of the API at a path. */
export function useRead<Body>(
  queryKey: QueryKey,
  path: string,
  o: Omit<UseQueryOptions<Body>, 'queryKey' | 'queryFn'> = {},
) {
  const { api } = usePortal();
  return useQuery<Body>({ queryKey, queryFn: ({ signal }) => api.read<Body>(path, signal), ...o });
}

export const sessionKey = ['session'] as const;

/** Null: nobody is signed in. */
export const sessionQuery = queryOptions<SessionReply | null>({
  queryKey: sessionKey,
  queryFn: async ({ signal }) => {
    const reply = await call<SessionReply>('/portal/api/session', { signal });
    if (reply.ok) return reply.body;
    if (reply.status === 401) return null;
    throw new Refused(reply);
  },
  // Checked again when the tab gets the focus: the person may have signed out or changed the organisation in another tab.
  staleTime: 30_000,
});

export function portalOf(session: SessionReply, mode: Mode, queries: QueryClient): Portal {
  return {
    session,
    mode,
    api: sessionApi({
      base: '/portal/api',
      csrfToken: session.csrfToken,
      sessionChanged: () => void queries.invalidateQueries({ queryKey: sessionKey }),
    }),
    may: (permission) => session.permissions.includes(permission),
    at: (page) => `/portal/${mode}${page === '' ? '' : `/${page}`}`,
    scope: [session.organisation.id, mode],
  };
}
