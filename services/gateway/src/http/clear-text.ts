/**
 * What a client sent over plain http, although the service is known by https. A key or a token that came so may have been read on the way.
 * A redirect would hide that: clients follow it, and go on sending the key in clear with every request (draft-ietf-httpapi-privacy).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { sendJson } from '@offer-ads/platform/http/replies';
import type { RequestHandler } from 'express';

/**
 * Whether a proxy in front says so. Anybody may claim it, because it only brings a refusal. Of several values the first is that of the
 * client's own connection.
 */
export function cameInClear(publicUrl: string): (req: IncomingMessage) => boolean {
  if (!publicUrl.startsWith('https:')) return () => false;
  return (req) => {
    const scheme = req.headers['x-forwarded-proto'];
    return scheme !== undefined && /^\s*http\s*(,|$)/i.test(String(scheme));
  };
}

export function refuseInClear(res: ServerResponse): void {
  sendJson(res, 403, {
    message:
      'Requests must be sent over https. If this one had a key, others may have read it: roll the key.',
  });
}

/** For everything but the API: browsers that ask for a page over plain http are sent to the same page over https. */
export function pagesOverHttps(o: {
  readonly publicUrl: string;
  readonly isInClear: (req: IncomingMessage) => boolean;
}): RequestHandler {
  return (req, res, next) => {
    if (!o.isInClear(req)) return next();
    const isPage = (req.method === 'GET' || req.method === 'HEAD') && req.headers['x-api-key'] === undefined;
    if (isPage) res.redirect(301, o.publicUrl + req.url);
    else refuseInClear(res);
  };
}
