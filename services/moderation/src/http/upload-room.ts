/** Bounds what uploads take in memory together: a queue of pictures bounds their number, and one picture is up to 5 MiB. */
import { serviceUnavailable } from '@offer-ads/platform/faults';
import type { RequestHandler } from 'express';

/**
 * Answers 503 before reading a body for which there is no room. A request keeps its room until its reply is out.
 * @param o.mostBytes of all uploads together
 * @param o.largestBytes what one upload may have, and so what one that does not tell its length is taken for
 */
export function uploadRoom(o: { readonly mostBytes: number; readonly largestBytes: number }): RequestHandler {
  let takenBytes = 0;
  return (req, res, next) => {
    const told = Number(req.headers['content-length'] ?? o.largestBytes);
    const bytes = Math.min(told, o.largestBytes);
    if (takenBytes + bytes > o.mostBytes)
      return next(serviceUnavailable(`uploads of ${takenBytes} bytes are in memory already`));
    takenBytes += bytes;
    res.once('close', () => {
      takenBytes -= bytes;
    });
    next();
  };
}
