/** Every request made with a key is logged, refused ones included (specification, Authentication item 10). */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { callerGoneStatus } from '@offer-ads/platform/faults';
import { requestFacts, routeTemplate } from '@offer-ads/platform/http-request';
import type { CallLog } from '../call-log/call-log.ts';

const returnCode = Symbol('return code');
type Carrier = ServerResponse & { [returnCode]?: string };

/** Tells the log which `return_code` a reply carries. */
export function noteReturnCode(res: ServerResponse, code: string): void {
  (res as Carrier)[returnCode] = code;
}

/** Writes the call into the log once its connection is done with it. */
export function recordCall(log: CallLog, req: IncomingMessage, res: ServerResponse, keySha256: Buffer): void {
  const startedAt = performance.now();
  res.on('close', () => {
    log.record({
      keySha256,
      // As the specification writes routes: POST /offers/{offer_id}/pause.
      route: `${req.method} ${inBraces(routeTemplate(req))}`,
      status: res.headersSent ? res.statusCode : callerGoneStatus,
      returnCode: (res as Carrier)[returnCode] ?? null,
      durationMs: Math.round(performance.now() - startedAt),
      at: requestFacts(req).receivedAt,
    });
  });
}

function inBraces(template: string): string {
  return template.includes(':') ? template.replaceAll(/:(\w+)/g, '{$1}') : template;
}
