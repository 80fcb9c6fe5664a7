/** Passes a request on and its reply back, both as streams: nothing is buffered here. */
import type { IncomingHttpHeaders } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  callerContextHeader,
  requestBudgetHeader,
  requestIdHeader,
} from '@offer-ads/contracts/caller-context';
import { serviceUnavailable } from '@offer-ads/platform/faults';
import { requestFacts } from '@offer-ads/platform/http-server';
import type { Request, Response } from 'express';
import type { Dispatcher } from 'undici';
import { CallerGone, type Upstream } from '../upstream.ts';
import type { Endpoint } from './endpoints.ts';
import { noteReturnCode } from './record-calls.ts';

/** The service says by itself when its budget is used up; the gateway gives up a moment later. */
const graceMs = 500;
/** As long as any call that is not a creation (decision 23). */
const notReadingMs = 2_000;

export async function forward(
  req: Request,
  res: Response,
  o: { endpoint: Endpoint; upstream: Upstream; callerToken: string },
): Promise<void> {
  const abort = new AbortController();
  res.once('close', () => abort.abort(new CallerGone('the connection closed')));
  const body = o.endpoint.takesBody ? bodyOf(req) : null;
  const limits = limitWaiting(req, body, o.endpoint.budgetMs, (problem) => abort.abort(new Error(problem)));
  try {
    const reply = await o.upstream.send({
      method: req.method,
      path: req.url,
      headers: {
        ...passedOn(req.headers, o.endpoint.takesBody),
        [callerContextHeader]: o.callerToken,
        [requestBudgetHeader]: String(o.endpoint.budgetMs),
        [requestIdHeader]: requestFacts(req).requestId,
      },
      body,
      signal: abort.signal,
    });
    await passBack(reply, res);
  } catch (error) {
    if (!abort.signal.aborted || !(abort.signal.reason instanceof CallerGone)) throw error;
  } finally {
    limits.lift();
  }
}

/**
 * The budget starts when the body has arrived (decision 23): a slow upload has its own limit. A service that takes no
 * more of the body while the caller would send it is as good as gone.
 */
function limitWaiting(
  req: Request,
  body: Readable | null,
  budgetMs: number,
  giveUp: (problem: string) => void,
): { lift: () => void } {
  let budget: NodeJS.Timeout | undefined;
  let stuck: NodeJS.Timeout | undefined;
  const startBudget = () => {
    budget = setTimeout(giveUp, budgetMs + graceMs, 'no reply within the budget');
  };
  const onPause = () => {
    stuck = setTimeout(giveUp, notReadingMs, 'the body is not being read');
  };
  const onResume = () => clearTimeout(stuck);
  if (body === null || req.complete) startBudget();
  else req.once('end', startBudget);
  req.on('pause', onPause).on('resume', onResume);
  return {
    lift: () => {
      clearTimeout(budget);
      clearTimeout(stuck);
      req.off('end', startBudget).off('pause', onPause).off('resume', onResume);
    },
  };
}

/**
 * A service may answer before it has read everything, and its connection then ends the stream that it reads. The
 * caller's own connection must survive that to take the reply, so a stream of our own stands between.
 */
function bodyOf(req: Request): Readable | null {
  const isEmpty =
    req.headers['transfer-encoding'] === undefined && Number(req.headers['content-length'] ?? 0) === 0;
  if (isEmpty) return null;
  const body = new PassThrough();
  req.pipe(body);
  body.once('close', () => {
    req.unpipe(body);
    req.resume();
  });
  // Why the body ended early is told by the request that it belonged to.
  body.on('error', () => {});
  return body;
}

/** What services read; all else stays here: the key, cookies, claimed callers, addresses, hop-by-hop headers. */
const passedOnHeaders = ['accept', 'idempotency-key'];
const passedOnWithBody = ['content-type', 'content-length', 'content-encoding'];

function passedOn(headers: IncomingHttpHeaders, withBody: boolean): Record<string, string> {
  const names = withBody ? [...passedOnHeaders, ...passedOnWithBody] : passedOnHeaders;
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value] as const] : [];
    }),
  );
}

/** Headers of one connection, not of the reply (RFC 9110, 7.6.1), and those that the gateway itself sets. */
const notPassedBack = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'date',
  requestIdHeader,
]);

async function passBack(reply: Dispatcher.ResponseData, res: Response): Promise<void> {
  const chunks = reply.body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  // Nothing is sent before the first bytes are here: for a service that breaks off earlier there is still the 503.
  const first = await chunks.next().catch((error: unknown) => {
    throw serviceUnavailable('reply broke off before its first byte', error);
  });
  res.statusCode = reply.statusCode;
  for (const [name, value] of Object.entries(reply.headers)) {
    if (value !== undefined && !notPassedBack.has(name)) res.setHeader(name, value);
  }
  const watch = isJson(reply) ? watchReturnCode(res) : undefined;
  await pipeline(async function* () {
    for (let next = first; next.done !== true; next = await chunks.next()) {
      watch?.see(next.value);
      yield next.value;
    }
    watch?.end();
  }, res);
}

function isJson(reply: Dispatcher.ResponseData): boolean {
  return String(reply.headers['content-type'] ?? '').startsWith('application/json');
}

/** Replies with a return code are short; only listings are longer, and they have none. */
const mostBytesLookedAt = 16 * 1024;

function watchReturnCode(res: Response): { see: (chunk: Buffer) => void; end: () => void } {
  let seen: Buffer[] = [];
  let bytes = 0;
  return {
    see: (chunk) => {
      bytes += chunk.length;
      if (bytes <= mostBytesLookedAt) seen.push(chunk);
      else seen = [];
    },
    end: () => {
      const code = bytes <= mostBytesLookedAt ? returnCodeIn(Buffer.concat(seen)) : undefined;
      if (code !== undefined) noteReturnCode(res, code);
    },
  };
}

function returnCodeIn(json: Buffer): string | undefined {
  try {
    const reply: unknown = JSON.parse(json.toString('utf8'));
    const code = (reply as { return_code?: unknown } | null)?.return_code;
    return typeof code === 'string' ? code : undefined;
  } catch {
    return undefined;
  }
}
