/** The API of the advertiser portal, under `/portal/api`: JSON in both directions, refusals are `{message}`. */

import { sessionCookie } from '@offer-ads/platform/pages/session-cookie';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import express, { type RequestHandler, type Router } from 'express';
import { callRoutes } from './call-routes.ts';
import { type Forwarding, forwardedRoutes } from './forwarded-routes.ts';
import { keyRoutes } from './key-routes.ts';
import { organisationRoutes } from './organisation-routes.ts';
import { peopleRoutes } from './people-routes.ts';
import { readJson } from './portal-json.ts';
import { requireSession } from './portal-session.ts';
import { ignoreLateReplies, liftTime, limitTime } from './portal-time.ts';
import { savedPlaceRoutes } from './saved-place-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { type SignInRoutes, signInRoutes } from './sign-in-routes.ts';
import { type SignUpRoutes, signUpRoutes } from './sign-up-routes.ts';
import { termsRoutes } from './terms-routes.ts';

export type PortalRoutes = Forwarding &
  Omit<SignInRoutes, 'cookie'> &
  Omit<SignUpRoutes, 'cookie'> &
  Parameters<typeof organisationRoutes>[0] &
  Parameters<typeof peopleRoutes>[0] &
  Parameters<typeof savedPlaceRoutes>[0] &
  Parameters<typeof termsRoutes>[0] &
  Parameters<typeof keyRoutes>[0] &
  Parameters<typeof callRoutes>[0] & { readonly logger: Logger };

export function portalRoutes(options: PortalRoutes): Router {
  const o = { ...options, cookie: sessionCookie({ publicUrl: options.publicUrl, name: 'session' }) };
  const portal = express.Router();
  portal.use(privately);
  portal.use(signInRoutes(o), signUpRoutes(o));
  portal.use(limitTime(o.logger), ...requireSession(o));
  portal.use(liftTime, forwardedRoutes(o), readJson, limitTime(o.logger));
  const signedIn: readonly Router[] = [
    sessionRoutes(o),
    organisationRoutes(o),
    savedPlaceRoutes(o),
    peopleRoutes(o),
    termsRoutes(o),
    keyRoutes(o),
    callRoutes(o),
  ];
  for (const routes of signedIn) portal.use(routes);
  portal.use((_req, res) => void res.status(404).json({ message: 'Not found' }));
  portal.use(ignoreLateReplies);
  return portal;
}

/** Replies are for one person and one moment, and only for our own pages. */
const privately: RequestHandler = (_req, res, next) => {
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('X-Content-Type-Options', 'nosniff');
  res.setHeader('Cross-Origin-Resource-Policy', 'same-origin');
  next();
};
