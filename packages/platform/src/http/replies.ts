/** Replies outside of express. */
import type { ServerResponse } from 'node:http';

/** Like express's `res.json`. */
export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  sendJsonText(res, status, JSON.stringify(body));
}

/** The same for what is JSON already. */
export function sendJsonText(res: ServerResponse, status: number, text: string): void {
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(text));
  res.statusCode = status;
  res.end(text);
}
