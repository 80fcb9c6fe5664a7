/** The credential of internal admin routes; every call is audited. */
import type { Request, RequestHandler } from 'express';
import { unauthorised } from './faults.ts';
import { routeTemplate } from './http-request.ts';
import type { Logger } from './logging.ts';
import { secretMatcher } from './secrets.ts';

export const adminActorHeader = 'x-admin-actor';

export function requireAdmin(o: { token: string; logger: Logger }): RequestHandler {
  const isCredential = secretMatcher(o.token);
  return (req, res, next) => {
    const given = /^Bearer (.+)$/.exec(req.get('authorization') ?? '')?.[1] ?? '';
    const granted = isCredential(given);
    res.once('finish', () => {
      const call = {
        audit: true,
        actor: actorOf(req),
        method: req.method,
        route: routeTemplate(req),
        status: res.statusCode,
      };
      o.logger.info(call, granted ? 'admin call' : 'admin call refused');
    });
    next(granted ? undefined : unauthorised('admin credential missing or wrong'));
  };
}

/** Who says that they did it: a text from outside, bounded and without control characters. */
export function actorOf(req: Request): string {
  return (req.get(adminActorHeader) ?? 'unknown').replace(/[^\x20-\x7e]/g, '').slice(0, 100);
}
