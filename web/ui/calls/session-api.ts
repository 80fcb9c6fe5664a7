/** The calls of a person who is signed in. */
import { type CallOptions, call, type Refusal, Refused, type Reply } from './call.ts';

export type SessionApi = {
  /** For queries: the body, or throws `Refused`. */
  readonly read: <Body>(path: string, signal?: AbortSignal) => Promise<Body>;
  /** For what a person does: the reply, refused or not. */
  readonly send: <Body>(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    o?: Omit<CallOptions, 'method'>,
  ) => Promise<Reply<Body>>;
};

/** @param o.sessionChanged called when a reply says that the session ended, or that another one began */
export function sessionApi(o: {
  readonly base: string;
  readonly csrfToken: string;
  readonly sessionChanged: () => void;
}): SessionApi {
  const request = async <Body>(path: string, options: CallOptions): Promise<Reply<Body>> => {
    const reply = await call<Body>(`${o.base}${path}`, options);
    if (!reply.ok && saysSessionChanged(reply)) o.sessionChanged();
    return reply;
  };
  return {
    read: async <Body>(path: string, signal?: AbortSignal) => {
      const reply = await request<Body>(path, signal === undefined ? {} : { signal });
      if (reply.ok) return reply.body;
      throw new Refused(reply);
    },
    send: (method, path, options = {}) =>
      request(path, { ...options, method, headers: { ...options.headers, 'x-csrf-token': o.csrfToken } }),
  };
}

/** 401 with a code is about an offer (specification, Authentication 6). */
function saysSessionChanged(refusal: Refusal): boolean {
  if (refusal.returnCode !== null) return false;
  return refusal.status === 401 || (refusal.status === 403 && refusal.message.includes('X-CSRF-Token'));
}
