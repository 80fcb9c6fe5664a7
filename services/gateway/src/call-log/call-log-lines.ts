/** A call as one line of the spool: only the fields of the log, with the key as its SHA-256. */
import { z } from 'zod';
import type { Call } from './calls-store.ts';

const line = z.object({
  id: z.guid(),
  key: z.base64().length(44),
  route: z.string(),
  status: z.int(),
  return_code: z.string().nullable(),
  duration_ms: z.int(),
  /** Milliseconds since 1970. */
  at: z.int().nonnegative().max(8.64e15),
  request_id: z.string(),
});

export function toLine(call: Call): string {
  const fields: z.infer<typeof line> = {
    id: call.id,
    key: call.keySha256.toString('base64'),
    route: call.route,
    status: call.status,
    return_code: call.returnCode,
    duration_ms: call.durationMs,
    at: call.at.getTime(),
    request_id: call.requestId,
  };
  return `${JSON.stringify(fields)}\n`;
}

/** The calls of a segment. Invalid lines, such as a last line that a crash cut off, are skipped and counted. */
export function readLines(text: string): { calls: Call[]; unreadable: number } {
  const lines = text.split('\n').filter((each) => each !== '');
  const calls = lines.map(readLine).filter((call) => call !== null);
  return { calls, unreadable: lines.length - calls.length };
}

function readLine(text: string): Call | null {
  const parsed = line.safeParse(parseJson(text));
  if (!parsed.success) return null;
  const { id, key, route, status, at } = parsed.data;
  const { return_code: returnCode, duration_ms: durationMs, request_id: requestId } = parsed.data;
  const keySha256 = Buffer.from(key, 'base64');
  return { id, keySha256, route, status, returnCode, durationMs, at: new Date(at), requestId };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
