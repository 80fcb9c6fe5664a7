/** GET /images/{name}: pictures for browsers, which have no key; the signature in the address is the permission. */
import { pipeline } from 'node:stream/promises';
import { requestFacts } from '@offer-ads/platform/http/request';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import type { Express, Response } from 'express';
import type { OffersContext } from '../context.ts';
import { STORE_MS } from '../images/guard.ts';
import { pictureTypeOf, type StoredImage } from '../images/images.ts';
import { imageReplies, send } from './replies.ts';

/** Enough for 5 MB over a slow mobile connection; after that, the file or store connection is released. */
const SEND_MS = 120_000;

export function mountImageRoute(app: Express, o: OffersContext): void {
  app.get('/images/:name', async (req, res) => {
    const { name } = req.params;
    const { expires, signature } = req.query;
    const facts = requestFacts(req);
    // A refusal may be different a moment later, so it must not be cached.
    res.set('Cache-Control', 'no-store');
    const now = facts.receivedAt;
    const isSigned = typeof expires === 'string' && typeof signature === 'string';
    if (!isSigned || !o.addresses.verify(name, expires, signature, now)) {
      return send(res, imageReplies['bad-address']);
    }
    const picture = await o.images.read(name, facts.deadline().whileAwaited().signal(STORE_MS));
    if (picture === null) return send(res, imageReplies['not-found']);
    // The name depends on the content, so a browser may cache the picture as long as the address is valid.
    const goodForSeconds = Math.max(0, Number(expires) - Math.ceil(now.getTime() / 1_000));
    res.set('Cross-Origin-Resource-Policy', 'cross-origin');
    const cacheControl = `public, max-age=${goodForSeconds}, immutable`;
    return sendPicture(res, { name, picture, cacheControl });
  });
}

export async function sendPicture(
  res: Response,
  o: { name: string; picture: StoredImage; cacheControl: string },
): Promise<unknown> {
  res.set({
    'Content-Type': pictureTypeOf(o.name),
    'Content-Length': String(o.picture.sizeBytes),
    'Cache-Control': o.cacheControl,
    'Content-Security-Policy': "default-src 'none'",
    'X-Content-Type-Options': 'nosniff',
  });
  if (res.req.method === 'HEAD') {
    o.picture.bytes.destroy();
    return res.end();
  }
  return sendBytes(res, o.picture);
}

/** Streams at the browser's speed, so that a slow browser costs a few kilobytes of memory and not the whole picture. */
async function sendBytes(res: Response, picture: StoredImage): Promise<void> {
  try {
    await pipeline(picture.bytes, res, { signal: AbortSignal.timeout(SEND_MS) });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The browser disconnected, or was too slow.
    if (code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ABORT_ERR') return;
    throw serviceUnavailable('the image store broke off', error);
  }
}
