/** The session of the signed-in person, and sign-out. */
import type { ConsoleSessionReply, SignOutReply } from '@offer-ads/contracts/admin/console-api';
import type { SessionCookie } from '@offer-ads/platform/pages/session-cookie';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import type { Router } from 'express';
import type { Sessions } from '../sessions.ts';
import type { SignInService } from '../sign-in/sign-in-service.ts';
import { sessionOf } from './require-session.ts';

export function sessionRoutes(
  routes: Router,
  o: {
    readonly signIn: SignInService | undefined;
    readonly sessions: Sessions;
    readonly cookie: SessionCookie;
    readonly logger: Logger;
  },
): void {
  routes.get('/session', (req, res) => {
    const { person, csrfToken } = sessionOf(req);
    const { name, roles, via } = person;
    res.json({ name, roles, isEmergency: via === 'emergency', csrfToken } satisfies ConsoleSessionReply);
  });

  routes.post('/sign-out', async (req, res) => {
    const { person, idToken } = sessionOf(req);
    o.sessions.end(o.cookie.read(req) ?? '');
    o.cookie.clear(res);
    o.logger.info({ audit: true, actor: person.name }, 'signed out of the console');
    const address = person.via === 'console' ? ((await o.signIn?.signOutAddress(idToken)) ?? null) : null;
    res.json({ address } satisfies SignOutReply);
  });
}
