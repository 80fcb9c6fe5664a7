/** Bodies of requests: no more of them is taken than somebody reads, or than lets an honest sender hear the reply. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import express, { type RequestHandler } from 'express';
import { Fault } from '../process/faults.ts';
import { hasBody } from './request.ts';

/**
 * More than any endpoint takes, so that whoever sends a form with a picture hears why it is refused: many clients read no reply
 * before they have sent everything.
 */
const mostDiscardedBytes = 8 * 1024 * 1024;

const lingerMs = 1_000;

/** Node itself would read and discard the rest of a body that nobody wanted to its end, so that the connection can be used again. */
export function endUnreadBody(req: IncomingMessage, res: ServerResponse): void {
  if (!hasBody(req)) return;
  // Before Node's own listener, which looks whether anybody reads the body.
  res.prependListener('finish', () => {
    if (req.complete) return;
    let discardedBytes = 0;
    const discard = (chunk: Buffer) => {
      discardedBytes += chunk.length;
      if (discardedBytes <= mostDiscardedBytes) return;
      // Nothing more is read, so the sender stands still and may find the reply, which a broken connection would take away.
      req.off('data', discard).pause();
      const { socket } = req;
      const cut = setTimeout(() => socket.destroy(), lingerMs);
      socket.once('close', () => clearTimeout(cut));
    };
    req.on('data', discard).resume();
  });
}

/**
 * Reads a body of JSON into `req.body`. One that is too long is refused when that shows: Express's own parser, which does the rest,
 * would read it to its end first.
 */
export function jsonBody(o: { mostBytes: number; inflate?: boolean }): RequestHandler {
  const parse = express.json({ limit: o.mostBytes, inflate: o.inflate ?? true });
  return (req, res, next) => {
    let length = 0;
    let isDone = false;
    const count = (chunk: Buffer) => {
      length += chunk.length;
      if (length > o.mostBytes) end(tooLong());
    };
    const end = (error?: unknown) => {
      if (isDone) return;
      isDone = true;
      req.off('data', count);
      next(error);
    };
    if (Number(req.headers['content-length'] ?? 0) > o.mostBytes) return end(tooLong());
    parse(req, res, end);
    // Only of a body that the parser reads: to listen is to read.
    if (!isDone) req.on('data', count);
  };
}

function tooLong(): Fault {
  return new Fault('body too long', { status: 413, publicMessage: 'Payload too large' });
}
