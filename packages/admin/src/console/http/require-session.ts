/** Looks up the session for every request, so that a removed staff member is signed out at once. */
import { requestFacts } from '@offer-ads/platform/http/request';
import type { SessionCookie } from '@offer-ads/platform/pages/session-cookie';
import type { Request, RequestHandler } from 'express';
import type { ConsoleSession, Sessions } from '../sessions.ts';

const known = new WeakMap<Request, ConsoleSession>();

/** Behind `requireSession` only. */
export function sessionOf(req: Request): ConsoleSession {
  const session = known.get(req);
  if (session === undefined) throw new Error('this route needs requireSession before it');
  return session;
}

export function requireSession(o: { sessions: Sessions; cookie: SessionCookie }): RequestHandler {
  return (req, res, next) => {
    const token = o.cookie.read(req);
    const session = token === undefined ? null : o.sessions.find(token, requestFacts(req).receivedAt);
    if (session === null) return void res.status(401).json({ message: 'Sign in first' });
    known.set(req, session);
    next();
  };
}
