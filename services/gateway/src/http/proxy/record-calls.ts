/** Logs every request made with a key, including refused ones (specification, Authentication item 10). */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestFacts, routeTemplate } from '@offer-ads/platform/http/request';
import { callerGoneStatus } from '@offer-ads/platform/process/faults';
import type { CallLog } from '../../call-log/call-log.ts';
import type { KeyCache, SentKey } from '../../keys/key-cache.ts';

const returnCode = Symbol('return code');
const keyUnknown = Symbol('key unknown');
type Carrier = ServerResponse & { [returnCode]?: string; [keyUnknown]?: true };

export type CallRecorder = {
  readonly callLog: CallLog;
  readonly keyCache: KeyCache;
};

/** Records the `return_code` of a reply for the log. */
export function noteReturnCode(res: ServerResponse, code: string): void {
  (res as Carrier)[returnCode] = code;
}

/** The key does not exist, so the call is not logged (decision 27, call log). */
export function noteUnknownKey(res: ServerResponse): void {
  (res as Carrier)[keyUnknown] = true;
}

/** Logs the call when its connection has finished with it. */
export function recordCall(o: CallRecorder, req: IncomingMessage, res: ServerResponse, key: SentKey): void {
  recordCallWith(o.callLog, req, res, { sha256: key.sha256, exists: () => o.keyCache.exists(key) });
}

/** @param key.exists whether a look-up has found it, when the call has ended */
export function recordCallWith(
  callLog: CallLog,
  req: IncomingMessage,
  res: ServerResponse,
  key: { readonly sha256: Buffer; readonly exists: () => boolean },
): void {
  const startedAt = performance.now();
  res.on('close', () => {
    if ((res as Carrier)[keyUnknown] === true) return;
    const { receivedAt, requestId } = requestFacts(req);
    const call = {
      keySha256: key.sha256,
      // In the specification's notation: POST /offers/{offer_id}/pause.
      route: `${req.method} ${inBraces(routeTemplate(req))}`,
      status: res.headersSent ? res.statusCode : callerGoneStatus,
      returnCode: (res as Carrier)[returnCode] ?? null,
      durationMs: Math.round(performance.now() - startedAt),
      at: receivedAt,
      requestId,
    };
    callLog.record(call, key.exists());
  });
}

function inBraces(template: string): string {
  return template.includes(':') ? template.replaceAll(/:(\w+)/g, '{$1}') : template;
}
