/** The signed-in person, and the reads of pages. */
import type { SessionReply } from '@offer-ads/contracts/portal/session-api';
import { type QueryKey, queryOptions, type UseQueryOptions, useQuery } from '@tanstack/preact-query';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { Refused } from '../../ui/calls/call.ts';
import { askSession, takeSession } from './early.ts';
import type { Portal } from './portal.ts';

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
    const reply = await (takeSession() ?? askSession(signal));
    if (reply.ok) return reply.body;
    if (reply.status === 401) return null;
    throw new Refused(reply);
  },
  // Checked again when the tab gets the focus: the person may have signed out or changed the organisation in another tab.
  staleTime: 30_000,
});
