/**
 * The public API for signed-in people, under `/test` and `/live`, and the portal's additional routes. These calls are not in the call log,
 * which is for keys, and do not count against an API client's limit (decision 28, the portal counts separately).
 */
import type { RequestHandler, Router } from 'express';
import { endpoints } from '../../public-api/endpoints.ts';
import { type Forwarding, forwardTo, inBothModes } from './forwarding.ts';
import { requireJson } from './portal-json.ts';
import { allow } from './portal-session.ts';

const reading = { audience: 'offers', takesBody: false, budgetMs: 2_000 } as const;
/** Up to 10,000 offers are read for a file. */
const exporting = { ...reading, budgetMs: 8_000 } as const;
/** Up to 100 commands, each as long as one alone at worst; what is not done by then is reported. */
const changingMany = {
  audience: 'offers',
  takesBody: true,
  budgetMs: 8_000,
  afterWithdrawal: true,
} as const;

/** Mounted before the body parsers, because bodies are forwarded as streams. */
export function offersRoutes(o: Forwarding): Router {
  return inBothModes((routes, mode) => {
    // Before the routes of the public API, because the portal's listing returns more.
    for (const path of [
      '/offers',
      '/results',
      '/creations/:idempotency_key',
      '/offers/:offer_id',
      '/offers/:offer_id/credit',
    ])
      routes.get(path, allow('offers'), toPortal, forwardTo(reading, mode, o));
    routes.get('/offers/:offer_id/analytics/series', allow('offers'), toPortal, forwardTo(reading, mode, o));
    for (const path of ['/offers.csv', '/offers/:offer_id/analytics.csv'])
      routes.get(path, allow('offers'), toPortal, forwardTo(exporting, mode, o));
    routes.post(
      '/offers/:offer_id/review-request',
      allow('offers'),
      requireJson,
      toPortal,
      forwardTo({ ...reading, takesBody: false }, mode, o),
    );
    for (const path of ['/offers/pause', '/offers/resume'])
      routes.post(path, allow('offers'), requireJson, toPortal, forwardTo(changingMany, mode, o));
    // In LIVE mode these paths do not exist; offers refuses them too.
    if (mode === 'TEST') {
      routes.post(
        '/offers/:offer_id/simulated-traffic',
        allow('offers'),
        requireJson,
        toPortal,
        forwardTo({ ...reading, takesBody: true }, mode, o),
      );
      for (const endpoint of endpoints)
        if (endpoint.path === '/test/clock')
          routes[endpoint.method](
            '/clock',
            allow('offers'),
            requireJson,
            toTestClock,
            forwardTo(endpoint, mode, o),
          );
    }
    for (const endpoint of endpoints)
      if (endpoint.byApiKeyOnly !== true)
        routes[endpoint.method](endpoint.path, allow('offers'), forwardTo(endpoint, mode, o));
  });
}

const toTestClock: RequestHandler = (req, _res, next) => {
  req.url = '/test/clock';
  next();
};

/** Offers serves the portal's own routes under another path. */
const toPortal: RequestHandler = (req, _res, next) => {
  req.url = `/portal${req.url}`;
  next();
};
