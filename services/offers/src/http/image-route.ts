/** GET /images/{name}: pictures and renditions for browsers, which have no key; the signature in the address is the permission. */
import { pipeline } from 'node:stream/promises';
import { requestFacts } from '@offer-ads/platform/http/request';
import { serviceUnavailable } from '@offer-ads/platform/process/faults';
import { within } from '@offer-ads/platform/process/within';
import type { Express, Response } from 'express';
import type { OffersContext } from '../context.ts';
import { STORE_MS } from '../images/guard.ts';
import { pictureOf, pictureTypeOf, type StoredImage } from '../images/images.ts';
import type { Renditions } from '../images/renditions.ts';
import { imageReplies, send } from './replies.ts';

/** Enough for 5 MB over a slow mobile connection; after that, the file or store connection is released. */
const SEND_MS = 120_000;
/** How long a browser waits for a rendition that is not stored yet. An ordinary one takes 30 ms. */
const RENDITION_MS = 3_000;
/** How long a browser shows the picture in the place of its rendition, before it asks again. */
const INSTEAD_SECONDS = 60;

export function mountImageRoute(app: Express, o: OffersContext & { readonly renditions: Renditions }): void {
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
    const read = (stored: string) => o.images.read(stored, facts.deadline().whileAwaited().signal(STORE_MS));
    // The name depends on the content, so a browser may cache the picture as long as the address is valid.
    const goodForSeconds = Math.max(0, Number(expires) - Math.ceil(now.getTime() / 1_000));
    const unchanging = `public, max-age=${goodForSeconds}, immutable`;
    const show = (picture: StoredImage | null, cacheControl: string) => {
      if (picture === null) return send(res, imageReplies['not-found']);
      res.set('Cross-Origin-Resource-Policy', 'cross-origin');
      return sendPicture(res, { name, picture, cacheControl });
    };
    const stored = await read(name);
    const picture = pictureOf(name);
    if (stored !== null || picture === name) return show(stored, unchanging);
    const made = o.renditions.make(name, facts.requestId).catch(() => false);
    if (await within(RENDITION_MS, made, () => false)) return show(await read(name), unchanging);
    return show(await read(picture), `public, max-age=${Math.min(goodForSeconds, INSTEAD_SECONDS)}`);
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
