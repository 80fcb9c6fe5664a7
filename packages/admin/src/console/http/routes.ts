/** All routes of the console: its pages, its sign-in, and the admin routes that it forwards for the signed-in person. */

import { notFound } from '@offer-ads/platform/http/errors';
import { jsonBody } from '@offer-ads/platform/http/request-bodies';
import { refuseForeignOrigins, requireCsrfToken } from '@offer-ads/platform/pages/csrf';
import { sessionCookie } from '@offer-ads/platform/pages/session-cookie';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import express, { type Express } from 'express';
import type { ServiceCalls } from '../../service-calls.ts';
import type { Attempts } from '../attempts.ts';
import type { Decisions } from '../decisions.ts';
import type { createHealthReader } from '../health.ts';
import type { Sessions } from '../sessions.ts';
import type { SignInService } from '../sign-in/sign-in-service.ts';
import type { Staff } from '../staff.ts';
import { auditRoutes } from './audit-routes.ts';
import { forwardCalls } from './forward-calls.ts';
import { mountPages } from './pages.ts';
import { requireRole } from './require-role.ts';
import { requireSession, sessionOf } from './require-session.ts';
import { sessionRoutes } from './session-routes.ts';
import { beginSignInRoutes, mountCallback } from './sign-in-routes.ts';

export type ConsoleRoutes = {
  readonly publicUrl: string;
  readonly signIn: SignInService | undefined;
  readonly staff: (() => Staff) | undefined;
  readonly sessions: Sessions;
  readonly attempts: Attempts;
  readonly decisions: Decisions;
  readonly ask: ServiceCalls;
  readonly health: ReturnType<typeof createHealthReader>;
  readonly logger: Logger;
};

export function consoleRoutes(o: ConsoleRoutes): (app: Express) => void {
  const cookie = sessionCookie({ publicUrl: o.publicUrl, name: 'console' });
  return (app) => {
    const api = express.Router();
    api.use((_req, res, next) => {
      res.set({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
      next();
    });
    api.use(refuseForeignOrigins(o.publicUrl));
    // Anybody may send it.
    api.use('/sign-in', jsonBody({ maxBytes: 4 * 1024 }));
    beginSignInRoutes(api, { ...o, cookie });
    api.use(
      requireSession({ sessions: o.sessions, cookie }),
      requireCsrfToken((req) => sessionOf(req).csrfToken),
      // The longest body is the text of terms, as in the gateway: 100,000 characters of up to 12 bytes each when they are escaped.
      jsonBody({ maxBytes: 2 * 1024 * 1024 }),
    );
    sessionRoutes(api, { ...o, cookie });
    api.get('/health', requireRole('GET /health', o.logger), async (_req, res) => {
      res.json(await o.health());
    });
    auditRoutes(api, o);
    forwardCalls(api, o);
    // No pages below /api.
    api.use(notFound);
    app.use('/api', api);
    mountCallback(app, { ...o, cookie });
    mountPages(app);
  };
}
