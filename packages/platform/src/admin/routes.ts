/** The credentials of internal admin routes (ADR 23); every call is audited. */
import type { Request, RequestHandler } from 'express';
import { routeTemplate } from '../http/request.ts';
import { callerGoneStatus, unauthorised } from '../process/faults.ts';
import type { Logger } from '../telemetry/logging.ts';
import { parseTokenHashes } from './tokens.ts';

/** Names the person for whom the console calls. Only the console may send it. */
export const adminActorHeader = 'x-admin-actor';
/** The name of the only credential that may call for other people: the console has checked their tokens. */
export const consoleName = 'console';

type Caller = { readonly actor: string; readonly via?: typeof consoleName };
const callers = new WeakMap<Request, Caller>();

export function requireAdmin(o: { tokenHashes: string; logger: Logger }): RequestHandler {
  const parsed = parseTokenHashes(o.tokenHashes);
  if (!parsed.ok) throw new Error(`hashes of admin tokens: ${parsed.problem}`);
  return (req, res, next) => {
    const given = /^Bearer (.+)$/.exec(req.get('authorization') ?? '')?.[1] ?? '';
    const name = parsed.hashes.nameOf(given);
    const granted = name !== null;
    if (granted) callers.set(req, callerOf(req, name));
    // Not 'finish': it is never emitted when the caller leaves before the reply, but the call may have had its effect.
    res.once('close', () => {
      const isUnheard = !res.writableFinished && !res.headersSent;
      const call = {
        audit: true,
        ...callers.get(req),
        method: req.method,
        route: routeTemplate(req),
        // Admin paths hold ids only, never a name or an address.
        path: granted ? pathOf(req) : undefined,
        status: isUnheard ? callerGoneStatus : res.statusCode,
        reason: granted ? reasonOf(req) : undefined,
      };
      o.logger.info(call, granted ? 'admin call' : 'admin call refused');
    });
    next(granted ? undefined : unauthorised('admin credential missing or wrong'));
  };
}

/** The name of the credential, or the person for whom the console calls. Only for routes behind `requireAdmin`. */
export function actorOf(req: Request): string {
  const caller = callers.get(req);
  if (caller === undefined) throw new Error('this route needs requireAdmin before it');
  return caller.actor;
}

function callerOf(req: Request, name: string): Caller {
  const person = name === consoleName ? req.get(adminActorHeader) : undefined;
  if (person === undefined) return { actor: name };
  return { actor: person.replace(/[^\x20-\x7e]/g, '').slice(0, 100), via: consoleName };
}

function pathOf(req: Request): string {
  return (req.originalUrl.split('?', 1)[0] ?? '').slice(0, 200);
}

/** The reason that some routes require. It is a checked field of the body and is written to the audit log. */
function reasonOf(req: Request): string | undefined {
  const { reason } = (req.body ?? {}) as { reason?: unknown };
  return typeof reason === 'string' ? reason.replace(/\p{Cc}/gu, ' ').slice(0, 500) : undefined;
}
