/** Every request made with a key is logged, refused ones included (specification, Authentication item 10). */
import { randomUUID } from 'node:crypto';
import { requestFacts, routeTemplate } from '@offer-ads/platform/http-server';
import type { RequestHandler, Response } from 'express';
import type { CallLog } from '../call-log.ts';
import { hashOfSentKey } from '../key-look-up.ts';

/** As nginx writes it: the caller left before there was a status. */
const callerLeft = 499;

const returnCodes = new WeakMap<Response, string>();

/** Tells the log which `return_code` a reply carries. */
export function noteReturnCode(res: Response, returnCode: string): void {
  returnCodes.set(res, returnCode);
}

export function recordCalls(log: CallLog): RequestHandler {
  return (req, res, next) => {
    const keySha256 = hashOfSentKey(req.get('x-api-key'));
    if (keySha256 === null) return next();
    const startedAt = performance.now();
    const at = requestFacts(req).receivedAt;
    res.once('close', () => {
      log.record({
        id: randomUUID(),
        keySha256,
        // As the specification writes routes: POST /offers/{offer_id}/pause.
        route: `${req.method} ${routeTemplate(req).replaceAll(/:(\w+)/g, '{$1}')}`,
        status: res.headersSent ? res.statusCode : callerLeft,
        returnCode: returnCodes.get(res) ?? null,
        durationMs: Math.round(performance.now() - startedAt),
        at,
      });
    });
    next();
  };
}
