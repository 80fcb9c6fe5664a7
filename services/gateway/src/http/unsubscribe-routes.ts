/**
 * The link in mails that ends mails of one kind: passed on to the notifier, which knows what its token stands for. The token is all
 * that counts here: no key, no session, and no CSRF token, because mailbox providers post by themselves (RFC 8058).
 */
import type { Express, Request, Response } from 'express';
import { networkOf } from '../domain/limits/client-network.ts';
import type { RequestLimiter } from '../limits/request-limiter.ts';
import type { Upstream } from '../upstream.ts';
import { limitRequests, portalLimits } from './portal/portal-limits.ts';
import type { ClientIp } from './proxy/client-ip.ts';
import { forward } from './proxy/forward.ts';

/** What is posted says nothing that the address does not. */
const endpoint = { takesBody: false, budgetMs: 2_000 };

export function unsubscribeRoutes(
  app: Express,
  o: {
    readonly limiter: RequestLimiter;
    readonly clientIp: ClientIp;
    readonly upstreams: { readonly notifier: Upstream };
  },
): void {
  const limit = limitRequests(o.limiter, portalLimits.unsubscribing, (req) => networkOf(o.clientIp(req)));
  const pass = async (req: Request, res: Response) => {
    req.url = req.url.replace(/^\/portal/, '');
    await forward(req, res, { endpoint, upstream: o.upstreams.notifier, callerToken: null });
  };
  app.route('/portal/unsubscribe/:token').all(limit).get(pass).post(pass);
}
