/** Bounds the memory of all uploads together, and reserves part of it for senders without an upload in progress. */
import type { Request, RequestHandler } from 'express';
import { serviceUnavailable, tooManyRequests } from '../process/faults.ts';

/**
 * Refuses before the body is read: with 429 when the sender's uploads would take more memory than is left for all others, with
 * 503 when no memory is left. An upload counts until its reply is sent.
 * @param o.maxBytes of all uploads together
 * @param o.largestBytes the most that one upload can hold; also assumed for an upload without a declared length
 * @param o.senderOf whose upload it is
 */
export function uploadRoom(o: {
  readonly maxBytes: number;
  readonly largestBytes: number;
  readonly senderOf: (req: Request) => number;
}): RequestHandler {
  const heldBy = new Map<number, number>();
  let heldBytes = 0;

  function hold(sender: number, bytes: number): void {
    heldBytes += bytes;
    const held = (heldBy.get(sender) ?? 0) + bytes;
    if (held === 0) heldBy.delete(sender);
    else heldBy.set(sender, held);
  }

  return (req, res, next) => {
    const sender = o.senderOf(req);
    const told = Number(req.headers['content-length'] ?? o.largestBytes);
    const bytes = Math.min(told, o.largestBytes);
    const held = heldBy.get(sender) ?? 0;
    const freeBytes = o.maxBytes - heldBytes - bytes;
    if (freeBytes < 0) return next(serviceUnavailable(`uploads of ${heldBytes} bytes are in memory already`));
    if (held > 0 && held + bytes > freeBytes)
      return next(tooManyRequests(`the sender has uploads of ${held} bytes in memory already`));
    hold(sender, bytes);
    res.once('close', () => hold(sender, -bytes));
    next();
  };
}
