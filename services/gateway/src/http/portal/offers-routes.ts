/**
 * Everything of the public API for whoever is signed in, under `/test` and `/live`, and what the portal's pages need beside it. Not
 * in the call log, which is of keys, and not under the limit of an API client (decision 28, the portal counts
 * separately).
 */
import type { RequestHandler, Router } from 'express';
import { endpoints } from '../endpoints.ts';
import { inBothModes, type PassOn, passOn } from './pass-on.ts';
import { requireJson } from './portal-json.ts';
import { allow } from './portal-session.ts';

const reading = { audience: 'offers', takesBody: false, budgetMs: 2_000 } as const;

/** Mounted before anything that reads bodies: they pass as streams. */
export function offersRoutes(o: PassOn): Router {
  return inBothModes((routes, mode) => {
    // Before those of the public API, whose listing tells less.
    for (const path of [
      '/offers',
      '/creations/:idempotency_key',
      '/offers/:offer_id',
      '/offers/:offer_id/credit',
    ])
      routes.get(path, allow('offers'), toPortal, passOn(reading, mode, o));
    routes.get('/offers/:offer_id/analytics/series', allow('offers'), toPortal, passOn(reading, mode, o));
    // In LIVE mode there is no such path; offers itself refuses it too.
    if (mode === 'TEST')
      routes.post(
        '/offers/:offer_id/simulated-traffic',
        allow('offers'),
        requireJson,
        toPortal,
        passOn({ ...reading, takesBody: true }, mode, o),
      );
    for (const endpoint of endpoints)
      if (!(endpoint.method === 'get' && endpoint.path === '/offers'))
        routes[endpoint.method](endpoint.path, allow('offers'), passOn(endpoint, mode, o));
  });
}

/** Offers has what only the portal asks under a path of its own. */
const toPortal: RequestHandler = (req, _res, next) => {
  req.url = `/portal${req.url}`;
  next();
};
