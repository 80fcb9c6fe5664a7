/** Bounds what uploads hold in memory together, and leaves room for organisations that hold nothing yet. */
import type { RequestHandler } from 'express';
import { callerOf } from '../calls/caller-context.ts';
import { serviceUnavailable, tooManyRequests } from '../process/faults.ts';

/**
 * Refuses before the body is read: with 429 when the upload's organisation would hold more than it leaves free for all others, with 503
 * when there is no room at all. An upload keeps its room until its reply is out. Needs `requireCaller` before it.
 * @param o.mostBytes of all uploads together
 * @param o.largestBytes what one upload holds at the most, and so what one that does not tell its length is taken for
 */
export function uploadRoom(o: { readonly mostBytes: number; readonly largestBytes: number }): RequestHandler {
  const heldBy = new Map<number, number>();
  let heldBytes = 0;

  function hold(organisationId: number, bytes: number): void {
    heldBytes += bytes;
    const held = (heldBy.get(organisationId) ?? 0) + bytes;
    if (held === 0) heldBy.delete(organisationId);
    else heldBy.set(organisationId, held);
  }

  return (req, res, next) => {
    const { organisationId } = callerOf(req);
    const told = Number(req.headers['content-length'] ?? o.largestBytes);
    const bytes = Math.min(told, o.largestBytes);
    const held = heldBy.get(organisationId) ?? 0;
    const freeBytes = o.mostBytes - heldBytes - bytes;
    if (freeBytes < 0) return next(serviceUnavailable(`uploads of ${heldBytes} bytes are in memory already`));
    if (held > 0 && held + bytes > freeBytes)
      return next(tooManyRequests(`the organisation has uploads of ${held} bytes in memory already`));
    hold(organisationId, bytes);
    res.once('close', () => hold(organisationId, -bytes));
    next();
  };
}
