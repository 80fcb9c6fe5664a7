/**
 * Reads request bodies, within bounds: what the route reads, and some more so that an honest sender can read the reply. All routes read
 * JSON here, so that all take and refuse the same (decision 19a, bodies of requests).
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { type Refused, refused } from '@offer-ads/contracts/values/refused';
import type { RequestHandler, Response } from 'express';
import { callerGone, Fault } from '../process/faults.ts';
import { cutLater } from './errors.ts';
import { hasBody } from './request.ts';
import { readUtf8 } from './utf8.ts';

/**
 * More than any endpoint accepts. Many clients read the reply only after they have sent everything; with this limit they can send a
 * whole form with a picture and then learn why it was refused.
 */
const maxDiscardedBytes = 8 * 1024 * 1024;

/** Node itself would read and discard an unread body to its end, however long, to reuse the connection. This sets a limit. */
export function endUnreadBody(req: IncomingMessage, res: ServerResponse): void {
  if (!hasBody(req)) return;
  // Before Node's own listener, which checks whether the body is being read.
  res.prependListener('finish', () => {
    if (req.complete) return;
    let discardedBytes = 0;
    const discard = (chunk: Buffer) => {
      discardedBytes += chunk.length;
      if (discardedBytes <= maxDiscardedBytes) return;
      // Stop reading: the sender blocks and can still read the reply. A broken connection could destroy the reply.
      req.off('data', discard).pause();
      cutLater(req.socket);
    };
    req.on('data', discard).resume();
  });
}

/** Why a body cannot be read, for the caller. */
export type BodyRefusal = { readonly status: 400 | 413 | 415; readonly message: string };
/** `value` is undefined when the request has no body. */
export type JsonBody = { readonly ok: true; readonly value: object | undefined } | Refused<BodyRefusal>;

const refusal = (status: BodyRefusal['status'], rule: string): BodyRefusal => ({
  status,
  message: `The body ${rule}`,
});

export const bodyRefusals = {
  'too-long': (maxBytes: number) => refusal(413, `must have at most ${maxBytes} bytes`),
  'other-type': refusal(415, 'must be JSON, sent with the header Content-Type: application/json'),
  'other-charset': refusal(415, 'must be in UTF-8, sent as application/json without another charset'),
  'other-coding': refusal(
    415,
    'must be uncompressed, or compressed with gzip, deflate or br as Content-Encoding says',
  ),
  'wrongly-coded': (coding: string) =>
    refusal(400, `must be compressed with ${coding}, as Content-Encoding says`),
  'not-utf-8': (problem: string) => refusal(400, `must be in UTF-8: ${problem}`),
  'half-character': (field: string) =>
    refusal(400, `must have whole characters only: ${field} has half of a surrogate pair`),
  // The parser's message quotes the body, which may hold a secret.
  'not-json': refusal(400, 'must be a JSON object, and it is not valid JSON'),
  'no-object': refusal(400, 'must be a JSON object'),
} as const;

/** Reads a JSON object. A body that is too long is refused as soon as the limit is passed. */
export async function readJsonBody(req: IncomingMessage, maxBytes: number): Promise<JsonBody> {
  if (!hasBody(req)) return { ok: true, value: undefined };
  const { 'content-type': type = '', 'content-encoding': coding = 'identity' } = req.headers;
  if (!jsonType.test(type)) return refused(bodyRefusals['other-type']);
  const charset = charsetIn.exec(type)?.[1]?.toLowerCase() ?? 'utf-8';
  if (charset !== 'utf-8' && charset !== 'utf8') return refused(bodyRefusals['other-charset']);
  const decompress = decompressors.get(coding.toLowerCase());
  if (decompress === undefined) return refused(bodyRefusals['other-coding']);
  const sent = await readBytes(req, maxBytes);
  if (sent === undefined) return refused(bodyRefusals['too-long'](maxBytes));
  let bytes: Buffer;
  try {
    bytes = await decompress(sent, { maxOutputLength: maxBytes });
  } catch (error) {
    const isTooLong = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    return refused(
      isTooLong ? bodyRefusals['too-long'](maxBytes) : bodyRefusals['wrongly-coded'](coding.toLowerCase()),
    );
  }
  return parseObject(bytes);
}

/** The same for requests that bypass express. @throws {Fault} with the message of the refusal */
export async function jsonObjectOf(req: IncomingMessage, maxBytes: number): Promise<object | undefined> {
  const body = await readJsonBody(req, maxBytes);
  if (!body.ok) throw faultOf(body);
  return body.value;
}

/**
 * Reads a JSON object into `req.body`.
 * @param o.refuse for endpoints whose refusals have codes; others answer only the message
 */
export function jsonBody(o: {
  readonly maxBytes: number;
  readonly refuse?: (res: Response, refusal: BodyRefusal) => void;
}): RequestHandler {
  return async (req, res, next) => {
    // An outer router has read it.
    if (req.readableEnded) return next();
    const body = await readJsonBody(req, o.maxBytes);
    if (body.ok) req.body = body.value;
    else if (o.refuse !== undefined) return o.refuse(res, body);
    else throw faultOf(body);
    next();
  };
}

/** Reads the bytes of a body of this type into `req.body`. Without a body, or with one of another type, that stays undefined. */
export function rawBody(o: { maxBytes: number; type: string }): RequestHandler {
  return async (req, _res, next) => {
    if (typeof req.is(o.type) === 'string') {
      if ((req.get('content-encoding') ?? 'identity') !== 'identity')
        throw faultOf(refusal(415, 'must be uncompressed, without Content-Encoding'));
      req.body = await readBytes(req, o.maxBytes);
      if (req.body === undefined) throw faultOf(bodyRefusals['too-long'](o.maxBytes));
    }
    next();
  };
}

const jsonType = /^\s*application\/json\s*(?:;|$)/i;
const charsetIn = /;\s*charset\s*=\s*"?([^";\s]*)/i;
/** Half of a surrogate pair as an escape, and the first half of each whole pair. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

type Decompress = (bytes: Buffer, o: { maxOutputLength: number }) => Promise<Buffer> | Buffer;
const decompressors: ReadonlyMap<string, Decompress> = new Map<string, Decompress>([
  ['identity', (bytes) => bytes],
  ['gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

function faultOf({ status, message }: BodyRefusal): Fault {
  return new Fault('body refused', { status, publicMessage: message });
}

/**
 * @returns undefined for a body that is too long; `endUnreadBody` bounds the rest
 * @throws {Fault} when the upload ends early: the server has answered, or the caller has left
 */
export function readBytes(req: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const take = (part: Buffer) => {
      bytes += part.length;
      if (bytes <= maxBytes) return void parts.push(part);
      req.off('data', take);
      resolve(undefined);
    };
    req.on('data', take);
    req.on('end', () => {
      resolve(parts.length === 1 ? parts[0] : Buffer.concat(parts));
      // The listeners live as long as the request, which may wait for seconds with a body of megabytes.
      parts.length = 0;
    });
    req.on('error', () => reject(callerGone()));
  });
}

function parseObject(bytes: Buffer): JsonBody {
  const read = readUtf8(bytes);
  if (!read.ok) return refused(bodyRefusals['not-utf-8'](read.problem));
  const text = read.text.startsWith('\uFEFF') ? read.text.slice(1) : read.text;
  if (text === '') return { ok: true, value: undefined };
  let broken: string | undefined;
  const noteBroken = (name: string, value: unknown) => {
    if (!name.isWellFormed() || (typeof value === 'string' && !value.isWellFormed())) broken ??= name;
    return value;
  };
  let value: unknown;
  try {
    value = surrogateEscape.test(text) ? JSON.parse(text, noteBroken) : JSON.parse(text);
  } catch {
    return refused(bodyRefusals['not-json']);
  }
  if (broken !== undefined) return refused(bodyRefusals['half-character'](nameOf(broken)));
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refused(bodyRefusals['no-object']);
  return { ok: true, value };
}

/** Limited, so that the reply is never larger than the body. */
const nameOf = (name: string) => name.slice(0, 40).toWellFormed();
