/** Protection against cross-site request forgery: only our own pages may send requests with a session. */
import type { Request, RequestHandler } from 'express';
import { isSame } from '../config/secrets.ts';

export const csrfTokenHeader = 'x-csrf-token';

const refusals = {
  'foreign-origin': 'The request comes from another site: open this page at its own address and try again',
  'csrf-token-wrong':
    'The header X-CSRF-Token is missing or out of date: load the session again and try again',
} as const;

/** Refuses requests whose origin headers name another site. Requests without these headers pass; the CSRF token still stops them. */
export function refuseForeignOrigins(publicUrl: string): RequestHandler {
  const ours = new URL(publicUrl).origin;
  return (req, res, next) => {
    if (isSafe(req) || comesFrom(req, ours)) next();
    else res.status(403).json({ message: refusals['foreign-origin'] });
  };
}

/** The synchronizer token of the session. */
export function requireCsrfToken(expectedOf: (req: Request) => string): RequestHandler {
  return (req, res, next) => {
    if (isSafe(req) || isSame(expectedOf(req), req.get(csrfTokenHeader) ?? '')) next();
    else res.status(403).json({ message: refusals['csrf-token-wrong'] });
  };
}

function comesFrom(req: Request, ours: string): boolean {
  const site = req.get('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const origin = req.get('origin');
  if (origin !== undefined) return origin === ours;
  const referrer = req.get('referer');
  return referrer === undefined || originOf(referrer) === ours;
}

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null;
}

/** Methods that change nothing (RFC 9110, 9.2.1). */
function isSafe(req: Request): boolean {
  return req.method === 'GET' || req.method === 'HEAD' || req.method === 'OPTIONS';
}
