/**
 * The unsubscribe link in mails: forwarded to the notifier, which knows the meaning of the token. Only the token is checked: no key, no
 * session and no CSRF token, because mailbox providers post it by themselves (RFC 8058).
 */
import type { Express, RequestHandler } from 'express';
import type { ClientIp } from '../public-api/client-ip.ts';
import { networkOf } from '../public-api/client-ip.ts';
import { forward } from '../public-api/forward.ts';
import type { RequestLimiter } from '../public-api/request-limiter.ts';
import type { Upstream } from '../public-api/upstream.ts';
import { limitRequests, portalLimits } from './portal/portal-limits.ts';

/** The posted body contains nothing beyond the address. */
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
  const pass: RequestHandler = async (req, res) => {
    req.url = req.url.replace(/^\/portal/, '');
    await forward(req, res, { endpoint, upstream: o.upstreams.notifier, callerToken: null });
  };
  app.route('/portal/unsubscribe/:token').all(limit).get(pass).post(pass);
}
