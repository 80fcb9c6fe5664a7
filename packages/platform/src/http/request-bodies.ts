/** Bounds what is read of request bodies: what the route reads, and some more so that an honest sender can read the reply. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type RequestHandler } from 'express';
import { Fault } from '../process/faults.ts';
import { cutLater } from './errors.ts';
import { hasBody } from './request.ts';

/**
 * More than any endpoint accepts. Many clients read the reply only after they have sent everything; with this limit they can send a
 * whole form with a picture and then learn why it was refused.
 */
const maxDiscardedBytes = 8 * 1024 * 1024;

/** Node itself would read and discard an unread body to its end, however long, to reuse the connection. This sets a limit. */
export function endUnreadBody(req: IncomingMessage, res: ServerResponse): void {
  if (!hasBody(req)) return;
  // Before Node's own listener, which checks whether the body is being read.
  res.prependListener('finish', () => {
    if (req.complete) return;
    let discardedBytes = 0;
    const discard = (chunk: Buffer) => {
      discardedBytes += chunk.length;
      if (discardedBytes <= maxDiscardedBytes) return;
      // Stop reading: the sender blocks and can still read the reply. A broken connection could destroy the reply.
      req.off('data', discard).pause();
      cutLater(req.socket);
    };
    req.on('data', discard).resume();
  });
}

/** Reads a JSON body into `req.body`. A body that is too long is refused as soon as the limit is passed. */
export function jsonBody(o: { maxBytes: number; inflate?: boolean }): RequestHandler {
  return endedAtLimit(o, express.json({ limit: o.maxBytes, inflate: o.inflate ?? true }));
}

/** The same for the bytes of a body of this type. Without a body, or with one of another type, `req.body` stays undefined. */
export function rawBody(o: { maxBytes: number; type: string }): RequestHandler {
  return endedAtLimit(o, express.raw({ type: o.type, limit: o.maxBytes, inflate: false }));
}

/** Express's own parsers would read a body that is too long to its end before they refuse it. */
function endedAtLimit(o: { maxBytes: number }, parse: RequestHandler): RequestHandler {
  return (req, res, next) => {
    let length = 0;
    let isDone = false;
    const count = (chunk: Buffer) => {
      length += chunk.length;
      if (length > o.maxBytes) end(tooLong());
    };
    const end = (error?: unknown) => {
      if (isDone) return;
      isDone = true;
      req.off('data', count);
      next(error);
    };
    if (Number(req.headers['content-length'] ?? 0) > o.maxBytes) return end(tooLong());
    parse(req, res, end);
    // Only if the parser reads the body: a 'data' listener starts the reading.
    if (!isDone) req.on('data', count);
  };
}

function tooLong(): Fault {
  return new Fault('body too long', { status: 413, publicMessage: 'Payload too large' });
}
