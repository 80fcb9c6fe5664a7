/** The signed-in person and the API calls. */
import type { ConsoleSessionReply } from '@offer-ads/contracts/admin/console-api';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/preact-query';
import { createContext } from 'preact';
import { useContext, useMemo } from 'preact/hooks';
import { call, Refused, type Reply } from '../../ui/call.ts';

export type Console = {
  readonly name: string;
  /** For queries: returns the body, or throws `Refused`. `path` follows `/api`. */
  readonly read: <Body>(path: string, signal?: AbortSignal) => Promise<Body>;
  /** For actions of the person: returns the reply, also a refusal. `seenAt`: when the data for the decision was read. */
  readonly send: <Body>(path: string, json?: object, seenAt?: number) => Promise<Reply<Body>>;
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
    /** Notices that the session ended, or that another one began in another tab. */
    const heed = <Body>(reply: Reply<Body>): Reply<Body> => {
      const isOver = !reply.ok && (reply.status === 401 || reply.message.includes('X-CSRF-Token'));
      if (isOver) void queries.invalidateQueries({ queryKey: sessionKey });
      return reply;
    };
    return {
      name: session.name,
      read: async <Body>(path: string, signal?: AbortSignal) => {
        const reply = heed(await call<Body>(`/api${path}`, signal === undefined ? {} : { signal }));
        if (reply.ok) return reply.body;
        throw new Refused(reply);
      },
      send: async <Body>(path: string, json: object = {}, seenAt?: number) => {
        // Sent as an age, because the clocks of browser and server may differ.
        const seen =
          seenAt === undefined ? {} : { 'x-seen-ms-ago': String(Math.max(0, Date.now() - seenAt)) };
        const headers = { 'x-csrf-token': session.csrfToken, ...seen };
        return heed(await call<Body>(`/api${path}`, { method: 'POST', json, headers }));
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
