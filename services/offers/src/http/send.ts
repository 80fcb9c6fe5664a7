import type { Response } from 'express';
import type { Reply } from './replies.ts';

export function send(res: Response, reply: Reply): void {
  // What is left of a body that was too large to be read is not waited for.
  if (!res.req.complete) res.setHeader('Connection', 'close');
  res
    .set(reply.headers ?? {})
    .status(reply.status)
    .json(reply.body);
}
