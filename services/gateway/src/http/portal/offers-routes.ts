/**
 * Everything of the public API for whoever is signed in, under `/test` and `/live`, and the balance of the mode. Not
 * in the call log, which is of keys, and not under the limit of an API client (decision 28).
 */
import type { Mode } from '@offer-ads/contracts/primitives';
import express, { type Request, type RequestHandler, type Response, type Router } from 'express';
import type { PortalCaller } from '../../accounts/portal-caller-store.ts';
import type { Audience, TokenMaker } from '../../caller-tokens.ts';
import type { Caller } from '../../domain/admission.ts';
import type { Upstream } from '../../upstream.ts';
import { type Endpoint, endpoints } from '../endpoints.ts';
import { forward } from '../forward.ts';
import { allow, memberOf } from './portal-session.ts';

export type OffersRoutes = {
  readonly findCaller: (o: PortalCaller) => Promise<Caller | null>;
  readonly tokenFor: TokenMaker;
  readonly upstreams: Readonly<Record<Audience, Upstream>>;
};

/** As every reading endpoint (decision 23). */
const balance: Endpoint = {
  method: 'get',
  path: '/internal/balance',
  audience: 'billing',
  takesBody: false,
  budgetMs: 2_000,
};

/** Mounted before anything that reads bodies: they pass as streams. */
export function offersRoutes(o: OffersRoutes): Router {
  const routes = express.Router();
  routes.use('/test', routesIn('TEST', o));
  routes.use('/live', routesIn('LIVE', o));
  return routes;
}

function routesIn(mode: Mode, o: OffersRoutes): Router {
  const routes = express.Router();
  for (const endpoint of endpoints)
    routes[endpoint.method](endpoint.path, allow('offers'), passOn(endpoint, mode, o));
  routes.get('/balance', allow('billing'), at(balance.path), passOn(balance, mode, o));
  return routes;
}

/** Within the router of a mode, `req.url` is the public API's own path. */
function passOn(endpoint: Endpoint, mode: Mode, o: OffersRoutes): RequestHandler {
  return async (req: Request, res: Response) => {
    const { personId, organisationId } = memberOf(req);
    const caller = await o.findCaller({ personId, organisationId, mode });
    if (caller === null) return void res.status(401).json({ message: 'Sign in first' });
    const callerToken = o.tokenFor(endpoint.audience, caller);
    await forward(req, res, { endpoint, upstream: o.upstreams[endpoint.audience], callerToken });
  };
}

function at(path: string): RequestHandler {
  return (req, _res, next) => {
    req.url = path;
    next();
  };
}
