/** Who is signed in, and the calls that they may make. */
import type { ConsoleSessionReply } from '@offer-ads/contracts/console-api';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/preact-query';
import { createContext } from 'preact';
import { useContext, useMemo } from 'preact/hooks';
import { call, Refused, type Reply } from '../../ui/call.ts';

export type Console = {
  readonly name: string;
  /** For queries: the body, or throws `Refused`. `path` is what follows `/api`. */
  readonly read: <Body>(path: string, signal?: AbortSignal) => Promise<Body>;
  /** For what a person does: the reply, refused or not. */
  readonly send: <Body>(path: string, json?: object) => Promise<Reply<Body>>;
};

export const ConsoleContext = createContext<Console | null>(null);

export function useConsole(): Console {
  const staff = useContext(ConsoleContext);
  if (staff === null) throw new Error('useConsole belongs below <SignedIn>');
  return staff;
}

export const sessionKey = ['session'] as const;

/** Signed in or out: nothing that was seen before stays in memory. */
export function changeSession(queries: QueryClient, session: ConsoleSessionReply | null): void {
  queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] });
  queries.setQueryData(sessionKey, session);
}

/** Null: nobody is signed in. */
export function useSession() {
  return useQuery<ConsoleSessionReply | null>({
    queryKey: sessionKey,
    queryFn: async ({ signal }) => {
      const reply = await call<ConsoleSessionReply>('/api/session', { signal });
      if (reply.ok) return reply.body;
      if (reply.status === 401) return null;
      throw new Refused(reply);
    },
    staleTime: 30_000,
  });
}

export function useConsoleOf(session: ConsoleSessionReply | null): Console | null {
  const queries = useQueryClient();
  return useMemo(() => {
    if (session === null) return null;
    /** It ended, or another one began in another tab. */
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
      send: async <Body>(path: string, json: object = {}) =>
        heed(
          await call<Body>(`/api${path}`, {
            method: 'POST',
            json,
            headers: { 'x-csrf-token': session.csrfToken },
          }),
        ),
    };
  }, [session, queries]);
}

/** A query whose key is its address. */
export function useRead<Body>(path: string, o: { refetchEveryMs?: number; enabled?: boolean } = {}) {
  const { read } = useConsole();
  return useQuery<Body>({
    queryKey: [path],
    queryFn: ({ signal }) => read<Body>(path, signal),
    enabled: o.enabled ?? true,
    refetchInterval: o.refetchEveryMs ?? false,
  });
}
