/** Requests a one-time link, and signs in with it. */
import { type SignInReply, signInCompletion, signInRequest } from '@offer-ads/contracts/portal/session-api';
import { requestFacts } from '@offer-ads/platform/http/request';
import { validInput } from '@offer-ads/platform/http/valid-input';
import { refuseForeignOrigins } from '@offer-ads/platform/pages/csrf';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import express, { type Request, type Response, type Router } from 'express';
import { networkOf } from '../../public-api/client-ip.ts';
import type { Limit } from '../../public-api/request-limiter.ts';
import type { SignIn } from '../../sign-in/sign-in.ts';
import { readJson } from './portal-json.ts';
import { limitRequests, portalLimits } from './portal-limits.ts';
import type { SessionsAndLimits } from './portal-session.ts';
import { limitTime } from './portal-time.ts';
import { completeWithLink } from './session-replies.ts';

const askReply: SignInReply = {
  message: 'If the address is known here, a sign-in link is on its way to it. It works once, for 15 minutes.',
};
/** Unknown, used, expired, or of a person who may not sign in: the answer does not say which. */
const linkRefused = { message: 'The sign-in link has been used or has expired: ask for a new one' };

export type SignInRoutes = SessionsAndLimits & { readonly signIn: SignIn; readonly logger: Logger };

export function signInRoutes(o: SignInRoutes): Router {
  const routes = express.Router();
  /** Common to all routes, which have no session yet. */
  const guarded = (limit: Limit) => [
    limitRequests(o.limiter, limit, (req) => networkOf(o.clientIp(req))),
    refuseForeignOrigins(o.publicUrl),
    readJson,
    limitTime(o.logger),
  ];

  routes.post('/sign-in', ...guarded(portalLimits.signIn), async (req: Request, res: Response) => {
    const { email } = validInput(signInRequest, req.body);
    if (await o.signIn.ask(email, requestFacts(req).receivedAt)) res.status(202).json(askReply);
    else throw serviceUnavailable('too many requests to sign in are waiting');
  });
  routes.post('/sign-in/link', ...guarded(portalLimits.link), async (req: Request, res: Response) => {
    const { token } = validInput(signInCompletion, req.body);
    const described = await o.signIn.describe(token, requestFacts(req).receivedAt);
    if (described === null) res.status(401).json(linkRefused);
    else res.json(described);
  });
  routes.post(
    '/sign-in/complete',
    ...guarded(portalLimits.completion),
    completeWithLink({ ...o, complete: (completion) => o.signIn.complete(completion), refusal: linkRefused }),
  );
  return routes;
}
