/** Webhooks for an organisation's Developers and Admins: the calls of the public API, forwarded to the notifier. */
import type { Router } from 'express';
import { webhookEndpoints } from '../../public-api/endpoints.ts';
import { type Forwarding, forwardTo, inBothModes } from './forwarding.ts';
import { requireJson } from './portal-json.ts';
import { allow } from './portal-session.ts';

/** Mounted before the body parsers. */
export function webhookRoutes(o: Forwarding): Router {
  return inBothModes((routes, mode) => {
    for (const endpoint of webhookEndpoints)
      routes[endpoint.method](endpoint.path, allow('webhooks'), requireJson, forwardTo(endpoint, mode, o));
  });
}
