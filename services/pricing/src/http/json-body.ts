/** Reads JSON bodies of requests that are served without Express. */
import type { IncomingMessage } from 'node:http';
import { callerGone } from '@offer-ads/platform/process/faults';

const jsonType = /^application\/json(?:\s*;\s*charset="?utf-8"?)?\s*$/i;

/** @returns undefined for a body that is too long, compressed, not declared as JSON, or no JSON */
export async function readJsonBody(req: IncomingMessage, maxBytes: number): Promise<unknown> {
  const text = await bodyOf(req, maxBytes);
  return text === undefined ? undefined : parseJson(text);
}

/** @returns undefined for a body that is too long, compressed, or not declared as JSON; the rest of it is discarded */
function bodyOf(req: IncomingMessage, maxBytes: number): Promise<string | undefined> {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = req.headers;
  if (!jsonType.test(type) || encoding !== 'identity') {
    req.resume();
    return Promise.resolve(undefined);
  }
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    req.on('data', (part: Buffer) => {
      bytes += part.length;
      if (bytes <= maxBytes) parts.push(part);
      else resolve(undefined);
    });
    req.on('end', () => resolve(Buffer.concat(parts).toString('utf8')));
    // The upload stalled or broke off: the platform has answered, or the caller has disconnected.
    req.on('error', () => reject(callerGone()));
  });
}

/** @returns undefined for invalid JSON */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}
