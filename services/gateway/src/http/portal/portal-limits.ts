/** How often the portal may be asked, and by whom that is counted (decision 28, the portal counts separately). */
import type { Request, RequestHandler } from 'express';
import type { Limit, RequestLimiter } from '../../limits/request-limiter.ts';
import { countRequest } from '../proxy/rate-limit.ts';

export const portalLimits = {
  /** A person who drags a map asks a few times a second. */
  session: { name: 'portal-session', requests: 300, windowSeconds: 60 },
  /** Before the session is known, so that made-up cookies cannot cost look-ups without end. An office shares it. */
  network: { name: 'portal-network', requests: 6_000, windowSeconds: 60 },
  /** An office in which everybody signs in one morning passes; whoever tries addresses does not get far. */
  signIn: { name: 'portal-sign-in', requests: 30, windowSeconds: 900 },
  /** Each sends a mail to an address that has not been proved. */
  signUp: { name: 'portal-sign-up', requests: 20, windowSeconds: 3_600 },
  /** Of everybody in a /24 or a /48, which one person may have whole. */
  signUpOfPrefix: { name: 'portal-sign-up-prefix', requests: 100, windowSeconds: 3_600 },
  completion: { name: 'portal-completion', requests: 30, windowSeconds: 900 },
  /** Providers of mailboxes post for all of their customers from a few networks. */
  unsubscribing: { name: 'portal-unsubscribing', requests: 600, windowSeconds: 60 },
} as const satisfies Record<string, Limit>;

export function limitRequests(
  limiter: RequestLimiter,
  limit: Limit,
  clientOf: (req: Request) => string,
): RequestHandler {
  return async (req, res, next) => {
    if ((await countRequest(res, limiter, { limit, client: clientOf(req) })) !== null) next();
  };
}
