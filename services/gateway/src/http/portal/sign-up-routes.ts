/** Self-registration of an organisation: whether it is allowed, requesting a link, and registering with the link from the mail. */

import { type SignUpReply, type SignUpState, signUpRequest } from '@offer-ads/contracts/portal/sign-up-api';
import { countries } from '@offer-ads/contracts/values/countries';
import { billedCurrencies } from '@offer-ads/contracts/values/currencies';
import { requestFacts } from '@offer-ads/platform/http/request';
import { validInput } from '@offer-ads/platform/http/valid-input';
import { refuseForeignOrigins } from '@offer-ads/platform/pages/csrf';
import type { Logger } from '@offer-ads/platform/telemetry/logging';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import { networkOf, prefixOf } from '../../public-api/client-ip.ts';
import type { Limit } from '../../public-api/request-limiter.ts';
import type { SignUp } from '../../sign-up/sign-up.ts';
import { readJson } from './portal-json.ts';
import { limitRequests, portalLimits } from './portal-limits.ts';
import type { SessionsAndLimits } from './portal-session.ts';
import { limitTime } from './portal-time.ts';
import { completeWithLink } from './session-replies.ts';

/** The same for every address, so that the answer does not say whether the address is known. */
const askReply: SignUpReply = {
  message: 'A mail is on its way to the address. Its link works once, for 24 hours.',
};
const closed = {
  message: 'Organisations are registered by the platform team at present: ask them for yours',
};
/** Unknown, expired, or used more than a minute ago: the answer does not say which. */
const linkRefused = {
  message:
    'The link has been used or has expired: sign in if the organisation is registered already, or sign up again',
};

export type SignUpRoutes = SessionsAndLimits & { readonly signUp: SignUp; readonly logger: Logger };

export function signUpRoutes(o: SignUpRoutes): Router {
  const routes = express.Router();
  const { signUp } = o;
  const refuseWhenClosed: RequestHandler = (_req, res, next) => {
    if (signUp.policy !== 'closed') next();
    else res.status(403).json(closed);
  };
  const limited = (limit: Limit) => limitRequests(o.limiter, limit, (req) => networkOf(o.clientIp(req)));
  /** Common to both POST routes, which have no session yet. */
  const guarded = (limit: Limit) => [
    limited(limit),
    refuseForeignOrigins(o.publicUrl),
    refuseWhenClosed,
    readJson,
    limitTime(o.logger),
  ];

  routes.get('/sign-up', limited(portalLimits.network), (_req, res) => {
    const state = {
      open: signUp.policy !== 'closed',
      approval: signUp.policy === 'approval',
      countries: [...countries],
      currencies: [...billedCurrencies],
    };
    res.json(state satisfies SignUpState);
  });
  const ofPrefix = limitRequests(o.limiter, portalLimits.signUpOfPrefix, (req) => prefixOf(o.clientIp(req)));
  routes.post('/sign-up', ofPrefix, ...guarded(portalLimits.signUp), async (req: Request, res: Response) => {
    const { email, ...organisation } = validInput(signUpRequest, req.body);
    await signUp.ask({
      wish: { ...organisation, adminEmail: email },
      prefix: prefixOf(o.clientIp(req)),
      at: requestFacts(req).receivedAt,
    });
    res.status(202).json(askReply);
  });
  routes.post(
    '/sign-up/complete',
    ...guarded(portalLimits.completion),
    completeWithLink({ ...o, complete: (completion) => signUp.complete(completion), refusal: linkRefused }),
  );
  return routes;
}
