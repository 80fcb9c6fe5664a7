/** The signed-in person and the API calls. */
import type { ConsoleSessionReply } from '@offer-ads/contracts/admin/console-api';
import type { StaffRole } from '@offer-ads/contracts/admin/staff-calls';
import { type QueryClient, useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/preact-query';
import { createContext } from 'preact';
import { useContext, useMemo } from 'preact/hooks';
import { call, Refused, type Reply } from '../../ui/calls/call.ts';
import { type SessionApi, sessionApi } from '../../ui/calls/session-api.ts';

export type Console = {
  readonly name: string;
  readonly roles: readonly StaffRole[];
  readonly isEmergency: boolean;
  /** `path` follows `/api`, here and below. */
  readonly read: SessionApi['read'];
  /** `seenAt`: when the data for the decision was read. */
  readonly send: <Body>(
    path: string,
    json?: object,
    seenAt?: number,
    method?: 'POST' | 'PUT',
  ) => Promise<Reply<Body>>;
};

export const ConsoleContext = createContext<Console | null>(null);

export function useConsole(): Console {
  const staff = useContext(ConsoleContext);
  if (staff === null) throw new Error('useConsole belongs below <SignedIn>');
  return staff;
}

export const sessionKey = ['session'] as const;

/** Call it after sign-in and sign-out: deletes all data from memory. */
export function changeSession(queries: QueryClient, session: ConsoleSessionReply | null): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  queries.setQueryData(sessionKey, session);
}

type Session = ConsoleSessionReply | null | 'ended';

/** Null: nobody is signed in. `ended`: the session ended without a sign-out. */
export function useSession() {
  const queries = useQueryClient();
  return useQuery<Session>({
    queryKey: sessionKey,
    queryFn: async ({ signal }) => {
      const reply = await call<ConsoleSessionReply>('/api/session', { signal });
      if (reply.ok) return reply.body;
      if (reply.status !== 401) throw new Refused(reply);
      return (queries.getQueryData<Session>(sessionKey) ?? null) === null ? null : 'ended';
    },
    staleTime: 30_000,
  });
}

export function useConsoleOf(session: ConsoleSessionReply | null): Console | null {
  const queries = useQueryClient();
  return useMemo(() => {
    if (session === null) return null;
    const api = sessionApi({
      base: '/api',
      csrfToken: session.csrfToken,
      sessionChanged: () => void queries.invalidateQueries({ queryKey: sessionKey }),
    });
    return {
      name: session.name,
      roles: session.roles,
      isEmergency: session.isEmergency,
      read: api.read,
      send: <Body>(path: string, json: object = {}, seenAt?: number, method: 'POST' | 'PUT' = 'POST') => {
        // Sent as an age, because the clocks of browser and server may differ.
        const seen = seenAt === undefined ? '' : String(Math.max(0, Date.now() - seenAt));
        return api.send<Body>(method, path, {
          json,
          headers: seen === '' ? {} : { 'x-seen-ms-ago': seen },
        });
      },
    };
  }, [session, queries]);
}

/** When the oldest visible data was read. */
export function oldestShown(queries: QueryClient): number {
  const shown = queries.getQueryCache().findAll({ type: 'active' });
  const readAt = shown
    .filter(({ queryKey, state }) => queryKey[0] !== sessionKey[0] && state.dataUpdatedAt > 0)
    .map(({ state }) => state.dataUpdatedAt);
  return Math.min(Date.now(), ...readAt);
}

/** A query whose key is its path. */
export function useRead<Body>(path: string, o: { refetchEveryMs?: number; enabled?: boolean } = {}) {
  const { read } = useConsole();
  return useQuery<Body>({
    queryKey: [path],
    queryFn: ({ signal }) => read<Body>(path, signal),
    enabled: o.enabled ?? true,
    refetchInterval: o.refetchEveryMs ?? false,
  });
}

/** A list that is loaded page by page. @param path with a query */
export function usePages<Page extends { readonly nextCursor: string | null }>(path: string) {
  const { read } = useConsole();
  return useInfiniteQuery({
    queryKey: [path, 'pages'],
    queryFn: ({ pageParam, signal }) =>
      read<Page>(pageParam === null ? path : `${path}&cursor=${encodeURIComponent(pageParam)}`, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ nextCursor }: Page) => nextCursor,
  });
}
