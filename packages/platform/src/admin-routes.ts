/** The credential of internal admin routes; every call is audited. */
import type { Request, RequestHandler } from 'express';
import { callerGoneStatus, unauthorised } from './faults.ts';
import { routeTemplate } from './http-request.ts';
import type { Logger } from './logging.ts';
import { secretMatcher } from './secrets.ts';

export const adminActorHeader = 'x-admin-actor';

export function requireAdmin(o: { token: string; logger: Logger }): RequestHandler {
  const isCredential = secretMatcher(o.token);
  return (req, res, next) => {
    const given = /^Bearer (.+)$/.exec(req.get('authorization') ?? '')?.[1] ?? '';
    const granted = isCredential(given);
    // Not 'finish', which never comes when the caller does not wait for the reply: what was done is done all the same.
    res.once('close', () => {
      const isUnheard = !res.writableFinished && !res.headersSent;
      const call = {
        audit: true,
        actor: actorOf(req),
        method: req.method,
        route: routeTemplate(req),
        // Which one: ids stand in paths, never a name or an address.
        path: granted ? pathOf(req) : undefined,
        status: isUnheard ? callerGoneStatus : res.statusCode,
        reason: granted ? reasonOf(req) : undefined,
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

function pathOf(req: Request): string {
  return (req.originalUrl.split('?', 1)[0] ?? '').slice(0, 200);
}

/** Why, where a person has to say so: a line of the body that the route has checked, written for whoever reads this log. */
function reasonOf(req: Request): string | undefined {
  const { reason } = (req.body ?? {}) as { reason?: unknown };
  return typeof reason === 'string' ? reason.replace(/\p{Cc}/gu, ' ').slice(0, 500) : undefined;
}
