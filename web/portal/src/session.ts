/** The signed-in person, the mode of the page, and the API calls. */
import type { Permission, SessionReply } from '@offer-ads/contracts/portal/session-api';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/preact-query';
import { createContext } from 'preact';
import { useContext, useMemo } from 'preact/hooks';
import { type CallOptions, call, type Refusal, Refused, type Reply } from '../../ui/call.ts';

export type Mode = 'test' | 'live';

/** The portal's API; `path` follows `/portal/api`. */
export type Api = {
  /** For queries: returns the body, or throws `Refused`. */
  readonly read: <Body>(path: string, signal?: AbortSignal) => Promise<Body>;
  /** For actions of the person: returns the reply, also a refusal. */
  readonly send: <Body>(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    o?: Pick<CallOptions, 'json' | 'form' | 'headers' | 'timeoutMs' | 'signal'>,
  ) => Promise<Reply<Body>>;
};

export type Portal = {
  readonly session: SessionReply;
  readonly mode: Mode;
  readonly api: Api;
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

export const sessionKey = ['session'] as const;

/** Null: nobody is signed in. */
export function useSession() {
  return useQuery<SessionReply | null>({
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
}

export function usePortalOf(session: SessionReply, mode: Mode): Portal {
  const queries = useQueryClient();
  return useMemo(
    () => ({
      session,
      mode,
      api: apiOf(session.csrfToken, queries),
      may: (permission) => session.permissions.includes(permission),
      at: (page) => `/portal/${mode}${page === '' ? '' : `/${page}`}`,
      scope: [session.organisation.id, mode],
    }),
    [session, mode, queries],
  );
}

function apiOf(csrfToken: string, queries: QueryClient): Api {
  const heed = <Body>(reply: Reply<Body>): Reply<Body> => {
    if (!reply.ok && saysSessionChanged(reply)) void queries.invalidateQueries({ queryKey: sessionKey });
    return reply;
  };
  return {
    read: async <Body>(path: string, signal?: AbortSignal) => {
      const reply = heed(await call<Body>(`/portal/api${path}`, signal === undefined ? {} : { signal }));
      if (reply.ok) return reply.body;
      throw new Refused(reply);
    },
    send: async <Body>(method: CallOptions['method'] & string, path: string, o: CallOptions = {}) => {
      const headers = { ...o.headers, 'x-csrf-token': csrfToken };
      return heed(await call<Body>(`/portal/api${path}`, { ...o, method, headers }));
    },
  };
}

/** Whether the session ended or has another organisation now. A 401 with a code is about an offer (specification, Authentication 6). */
function saysSessionChanged(refusal: Refusal): boolean {
  if (refusal.returnCode !== null) return false;
  return refusal.status === 401 || (refusal.status === 403 && refusal.message.includes('X-CSRF-Token'));
}
