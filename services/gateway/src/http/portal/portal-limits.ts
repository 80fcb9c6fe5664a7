/** Rate limits of the portal, and what each is counted by (decision 28, the portal counts separately). */
import type { Request, RequestHandler } from 'express';
import { countRequest } from '../../public-api/rate-limit.ts';
import type { Limit, RequestLimiter } from '../../public-api/request-limiter.ts';

export const portalLimits = {
  /** A person who drags a map sends a few requests a second. */
  session: { name: 'portal-session', requests: 300, windowSeconds: 60 },
  /** Counted before the session is known, so that made-up cookies cannot cause unlimited look-ups. An office shares it. */
  network: { name: 'portal-network', requests: 6_000, windowSeconds: 60 },
  /** Enough for an office where all people sign in on the same morning, too little for trying out addresses. */
  signIn: { name: 'portal-sign-in', requests: 30, windowSeconds: 900 },
  /** Each request sends a mail to an unproven address. */
  signUp: { name: 'portal-sign-up', requests: 20, windowSeconds: 3_600 },
  /** Per /24 or /48, which one person may own entirely. */
  signUpOfPrefix: { name: 'portal-sign-up-prefix', requests: 100, windowSeconds: 3_600 },
  completion: { name: 'portal-completion', requests: 30, windowSeconds: 900 },
  /** Pages that show a link before it is used; some are opened more than once. */
  link: { name: 'portal-link', requests: 60, windowSeconds: 900 },
  /** Mailbox providers send these requests for all their customers from a few networks. */
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
