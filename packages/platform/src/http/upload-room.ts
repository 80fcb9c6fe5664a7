/** Bounds the memory of all uploads together, and reserves part of it for organisations without an upload in progress. */
import type { RequestHandler } from 'express';
import { callerOf } from '../calls/caller-context.ts';
import { serviceUnavailable, tooManyRequests } from '../process/faults.ts';

/**
 * Refuses before the body is read: with 429 when the organisation's uploads would take more memory than is left for all others, with
 * 503 when no memory is left. An upload counts until its reply is sent. Needs `requireCaller` before it.
 * @param o.maxBytes of all uploads together
 * @param o.largestBytes the most that one upload can hold; also assumed for an upload without a declared length
 */
export function uploadRoom(o: { readonly maxBytes: number; readonly largestBytes: number }): RequestHandler {
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
    const freeBytes = o.maxBytes - heldBytes - bytes;
    if (freeBytes < 0) return next(serviceUnavailable(`uploads of ${heldBytes} bytes are in memory already`));
    if (held > 0 && held + bytes > freeBytes)
      return next(tooManyRequests(`the organisation has uploads of ${held} bytes in memory already`));
    hold(organisationId, bytes);
    res.once('close', () => hold(organisationId, -bytes));
    next();
  };
}
