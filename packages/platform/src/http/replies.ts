/**
 * Collects the headers of a reply and writes them at once. This is faster than Node's `setHeader`, which stores each header in three
 * places. Express needs the headers there, so requests that express serves get them by `handHeadersOver`.
 */
import type { ServerResponse } from 'node:http';

const gathered = Symbol('gathered headers');
type Carrier = ServerResponse & { [gathered]?: string[] | undefined };

export function gatherHeaders(res: ServerResponse): void {
  (res as Carrier)[gathered] = [];
}

/** Moves the collected headers to the response; later headers are set on the response itself. */
export function handHeadersOver(res: ServerResponse): void {
  const headers = (res as Carrier)[gathered] ?? [];
  (res as Carrier)[gathered] = undefined;
  for (let at = 0; at < headers.length; at += 2) res.setHeader(headers[at] ?? '', headers[at + 1] ?? '');
}

/** Sets or replaces a header of the reply. Names are compared with case, so always use the same spelling. */
export function setHeader(
  res: ServerResponse,
  name: string,
  value: string | number | readonly string[],
): void {
  const headers = (res as Carrier)[gathered];
  if (headers === undefined) return void res.setHeader(name, value);
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at] === name) headers.splice(at, 2);
  }
  if (typeof value === 'object') for (const item of value) headers.push(name, item);
  else headers.push(name, String(value));
}

/** Writes the status and the collected headers. */
export function sendHead(res: ServerResponse, status: number): void {
  const headers = (res as Carrier)[gathered];
  if (headers === undefined) res.statusCode = status;
  else res.writeHead(status, headers);
}

/** Like express's `res.json`, also for replies outside of express. */
export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  setHeader(res, 'Content-Type', 'application/json; charset=utf-8');
  setHeader(res, 'Content-Length', Buffer.byteLength(text));
  sendHead(res, status);
  res.end(text);
}
