/** Request bodies of the portal API: small, and with the content type of JSON. */

import { hasBody } from '@offer-ads/platform/http/request';
import { jsonBody } from '@offer-ads/platform/http/request-bodies';
import type { RequestHandler } from 'express';

/** For forms; pictures use routes that stream. */
export const readJson = jsonBody({ maxBytes: 16 * 1024 });

/** For forwarded bodies. Forms of other sites cannot send this content type without a CORS preflight, which prevents CSRF. */
export const requireJson: RequestHandler = (req, res, next) => {
  if (!hasBody(req) || req.is('application/json') !== false) return next();
  res.status(415).json({ message: 'Send the body as JSON, with the header Content-Type: application/json' });
};
