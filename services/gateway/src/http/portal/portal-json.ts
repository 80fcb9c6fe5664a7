/** Request bodies of the portal API: small, and with the content type of JSON. */

import { hasBody } from '@offer-ads/platform/http/request';
import { jsonBody } from '@offer-ads/platform/http/request-bodies';
import { Fault } from '@offer-ads/platform/process/faults';
import type { ErrorRequestHandler, RequestHandler } from 'express';

/** For forms; pictures use routes that stream. */
const maxBytes = 16 * 1024;

/** Forms of other sites cannot send this content type without a CORS preflight, which prevents CSRF. */
export function readJson(): (RequestHandler | ErrorRequestHandler)[] {
  return [requireJson, jsonBody({ maxBytes, inflate: false }), refuseUnreadable];
}

/** Also for forwarded bodies. */
export const requireJson: RequestHandler = (req, res, next) => {
  if (!hasBody(req) || req.is('application/json') !== false) return next();
  res.status(415).json({ message: 'Send the body as JSON, with the header Content-Type: application/json' });
};

/** The parser's error quotes the body, which may contain a token, so it is replaced. */
const refuseUnreadable: ErrorRequestHandler = (error: unknown, _req, _res, next) => {
  const isUnreadable = (error as { type?: unknown } | null)?.type === 'entity.parse.failed';
  next(
    isUnreadable
      ? new Fault('body is no JSON', { status: 400, publicMessage: 'The body is not valid JSON' })
      : error,
  );
};
