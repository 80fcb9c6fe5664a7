import type { Response } from 'express';
import type { Reply } from './replies.ts';

export function send(res: Response, reply: Reply): void {
  res
    .set(reply.headers ?? {})
    .status(reply.status)
    .json(reply.body);
}
