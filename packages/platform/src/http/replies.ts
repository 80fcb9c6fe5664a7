/**
 * Replies whose head is gathered and written in one go: node's `setHeader` keeps each header in three places before it is
 * written. Express wants them there, so what express serves gets them handed over.
 */
import type { ServerResponse } from 'node:http';

const gathered = Symbol('gathered headers');
type Carrier = ServerResponse & { [gathered]?: string[] | undefined };

export function gatherHeaders(res: ServerResponse): void {
  (res as Carrier)[gathered] = [];
}

/** From here on headers are set on the response itself. */
export function handHeadersOver(res: ServerResponse): void {
  const headers = (res as Carrier)[gathered] ?? [];
  (res as Carrier)[gathered] = undefined;
  for (let at = 0; at < headers.length; at += 2) res.setHeader(headers[at] ?? '', headers[at + 1] ?? '');
}

/** A header of the reply; told twice, the last one counts. Spell it always alike. */
export function tell(res: ServerResponse, name: string, value: string | number | readonly string[]): void {
  const headers = (res as Carrier)[gathered];
  if (headers === undefined) return void res.setHeader(name, value);
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at] === name) headers.splice(at, 2);
  }
  if (typeof value === 'object') for (const one of value) headers.push(name, one);
  else headers.push(name, String(value));
}

/** Writes the head with all that was told. */
export function sendHead(res: ServerResponse, status: number): void {
  const headers = (res as Carrier)[gathered];
  if (headers === undefined) res.statusCode = status;
  else res.writeHead(status, headers);
}

/** What express's `json` does, for any reply. */
export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  tell(res, 'Content-Type', 'application/json; charset=utf-8');
  tell(res, 'Content-Length', Buffer.byteLength(text));
  sendHead(res, status);
  res.end(text);
}
