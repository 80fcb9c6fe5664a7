/** Bodies of the portal API: small, and JSON that says so. */

import { jsonBody } from '@offer-ads/platform/http/request-bodies';
import { Fault } from '@offer-ads/platform/process/faults';
import type { ErrorRequestHandler, Request, RequestHandler } from 'express';

/** Forms and their texts; pictures go to routes that stream. */
const mostBytes = 16 * 1024;

/** A form of another site can send anything but this type without being asked first (CSRF). */
export function readJson(): (RequestHandler | ErrorRequestHandler)[] {
  return [requireJson, jsonBody({ mostBytes, inflate: false }), refuseUnreadable];
}

/** Also for bodies that are passed on: whoever reads them takes nothing else. */
export const requireJson: RequestHandler = (req, res, next) => {
  if (!hasBody(req) || req.is('application/json') !== false) return next();
  res.status(415).json({ message: 'Send the body as JSON, with the header Content-Type: application/json' });
};

/** The parser's own error quotes the body, and a body may hold a token. */
const refuseUnreadable: ErrorRequestHandler = (error: unknown, _req, _res, next) => {
  const isUnreadable = (error as { type?: unknown } | null)?.type === 'entity.parse.failed';
  next(
    isUnreadable
      ? new Fault('body is no JSON', { status: 400, publicMessage: 'The body is not valid JSON' })
      : error,
  );
};

function hasBody(req: Request): boolean {
  return req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;
}
