/** For everything but the API: browsers that ask for a page over plain http are sent to the same page over https. */
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { refuseInClear } from '../../public-api/clear-text.ts';

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
