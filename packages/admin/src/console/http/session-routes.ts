/** Sign-in with a name and an access token, and sign-out. Every attempt is audited. */
import type { ConsoleSessionReply } from '@offer-ads/contracts/admin/console-api';
import { requestFacts } from '@offer-ads/platform/http/request';
import { validInput } from '@offer-ads/platform/http/valid-input';
import type { SessionCookie } from '@offer-ads/platform/pages/session-cookie';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Router } from 'express';
import { z } from 'zod';
import { type Attempts, retryAfterSeconds } from '../attempts.ts';
import { longestMs, type Sessions } from '../sessions.ts';
import type { Staff } from '../staff.ts';
import { sessionOf } from './require-session.ts';

export type SessionRoutes = {
  readonly staff: () => Staff;
  readonly sessions: Sessions;
  readonly attempts: Attempts;
  readonly cookie: SessionCookie;
  readonly logger: Logger;
};

const credentials = z.object({ name: z.string().max(64), token: z.string().max(200) });
/** The same message for both, so that it does not show which names exist. */
const refused = { message: 'The name or the access token is wrong' };

export function signInRoute(routes: Router, o: SessionRoutes): void {
  routes.post('/sign-in', (req, res) => {
    const now = requestFacts(req).receivedAt;
    const { name, token } = validInput(credentials, req.body);
    const attempt = { name, from: req.socket.remoteAddress ?? '' };
    if (!o.attempts.admit(attempt, now)) {
      o.logger.warn({ audit: true }, 'too many attempts to sign in to the console');
      res.setHeader('Retry-After', retryAfterSeconds);
      return void res.status(429).json({ message: 'Too many attempts' });
    }
    const proof = o.staff().prove(name, token);
    if (proof === null) {
      // Without the name: it may be a token that was typed into the wrong field.
      o.logger.warn({ audit: true }, 'sign-in to the console refused');
      return void res.status(401).json(refused);
    }
    o.attempts.forget(attempt);
    const before = o.cookie.read(req);
    if (before !== undefined) o.sessions.end(before);
    const opened = o.sessions.open({ name, proof }, now);
    o.cookie.set(res, opened, longestMs);
    o.logger.info({ audit: true, actor: name }, 'signed in to the console');
    const session = o.sessions.find(opened, now);
    if (session === null) return void res.status(401).json(refused);
    res.json({ name, csrfToken: session.csrfToken } satisfies ConsoleSessionReply);
  });
}

export function sessionRoutes(routes: Router, o: SessionRoutes): void {
  routes.get('/session', (req, res) => {
    const { name, csrfToken } = sessionOf(req);
    res.json({ name, csrfToken } satisfies ConsoleSessionReply);
  });

  routes.post('/sign-out', (req, res) => {
    o.sessions.end(o.cookie.read(req) ?? '');
    o.cookie.clear(res);
    o.logger.info({ audit: true, actor: sessionOf(req).name }, 'signed out of the console');
    res.status(204).end();
  });
}
