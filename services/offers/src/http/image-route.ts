/** GET /images/{name}: pictures for browsers, which have no key; the signature in the address is what lets them in. */

import { requestFacts } from '@offer-ads/platform/http-request';
import type { Express, Response } from 'express';
import type { OffersContext } from '../context.ts';
import { pictureTypeOf } from '../picture-types.ts';
import { imageReplies } from './replies.ts';
import { send } from './send.ts';

export function mountImageRoute(app: Express, o: OffersContext): void {
  app.get('/images/:name', async (req, res) => {
    const { name } = req.params;
    const { expires, signature } = req.query;
    const now = requestFacts(req).receivedAt;
    const isSigned = typeof expires === 'string' && typeof signature === 'string';
    if (!isSigned || !o.addresses.verify(name, expires, signature, now)) {
      return send(res, imageReplies['bad-address']);
    }
    const picture = await o.images.read(name);
    if (picture === null) return send(res, imageReplies['not-found']);
    sendPicture(res, name, picture, Number(expires) - Math.ceil(now.getTime() / 1_000));
  });
}

/** The name is made of the content, so a browser may keep it as long as the address is good. */
function sendPicture(res: Response, name: string, picture: Buffer, goodForSeconds: number): void {
  res.set({
    'Content-Type': pictureTypeOf(name),
    'Cache-Control': `public, max-age=${Math.max(0, goodForSeconds)}, immutable`,
    'Content-Security-Policy': "default-src 'none'",
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'X-Content-Type-Options': 'nosniff',
  });
  res.end(picture);
}
