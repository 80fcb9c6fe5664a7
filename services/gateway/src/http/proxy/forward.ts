/** Forwards a request and returns its reply. Bodies are streams, so nothing large is held here. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import {
  callerContextHeader,
  commitByHeader,
  requestBudgetHeader,
  requestIdHeader,
} from '@offer-ads/contracts/internal/caller-context';
import { requestFacts } from '@offer-ads/platform/http/request';
import type { Dispatcher } from 'undici';
import { CallerGone, type ForwardedRequest, UploadBroken, type Upstream } from '../../upstream.ts';
import type { Endpoint } from '../endpoints.ts';
import { PassedReply } from './passed-reply.ts';

/**
 * The service itself answers when its time is over; the gateway waits this much longer, well within 3 s (decision 23, deadlines and
 * outages).
 */
const graceMs = 250;
/** As long as any call that creates nothing (decision 23, deadlines and outages). */
const notReadingMs = 2_000;
/** The service's time does not run while the caller reads nothing; after this long the caller is disconnected. */
const longestReadMs = 60_000;

/** A failure of the service goes to `fail`; a caller who left gets nothing. */
export function forward(
  req: IncomingMessage,
  res: ServerResponse,
  o: {
    endpoint: Pick<Endpoint, 'takesBody' | 'budgetMs'>;
    upstream: Upstream;
    /** Null: no one is signed in, and the service must not need a caller. */
    callerToken: string | null;
    /** The header of the token; that of the caller context unless given. */
    callerHeader?: string;
    fail: (error: unknown) => void;
    /** For tests. */
    longestReadMs?: number;
  },
): void {
  // The caller disconnected, or got a 400 for a broken body, during the key's look-up.
  if (res.closed || res.writableEnded) return;
  const { endpoint, upstream } = o;
  const { storeClock } = upstream;
  const body = endpoint.takesBody ? bodyOf(req) : null;
  // Taken before our own timer starts, so that nothing is committed after we have answered 503.
  const storeMs = body === null || req.complete ? storeClock.nowMs() : undefined;

  // Also after a reply was sent: the platform answers a broken upload, and the service's reply is no longer needed.
  const onClose = () => reply.callerLeft();
  const release = () => {
    limits.lift();
    res.off('close', onClose);
    // A stream that no service reads would stop the caller, who then could not read the reply. The server discards the rest.
    body?.destroy();
  };
  const ended = (error: Error | undefined) => {
    release();
    const isUploading = body !== null && !body.readableEnded && reply.hasBegun();
    const isBroken = error !== undefined && isUploading && !(error instanceof CallerGone);
    const fault = upstream.ended(
      request,
      isBroken ? new UploadBroken(error.message, { cause: error }) : error,
    );
    if (fault !== undefined) o.fail(fault);
  };
  const reply: PassedReply = new PassedReply(res, {
    withoutBody: req.method === 'HEAD',
    storeClock,
    ended,
  });
  const limits = limitWaiting(req, body, endpoint.budgetMs, reply, o.longestReadMs ?? longestReadMs);
  res.on('close', onClose);

  const headers = forwardedHeaders(req.headers, endpoint.takesBody);
  if (o.callerToken !== null) headers.push(o.callerHeader ?? callerContextHeader, o.callerToken);
  headers.push(requestBudgetHeader, String(endpoint.budgetMs));
  if (storeMs !== undefined) headers.push(commitByHeader, String(storeMs + endpoint.budgetMs));
  const { requestId, span } = requestFacts(req);
  headers.push(requestIdHeader, requestId);
  const request: ForwardedRequest = {
    method: req.method as Dispatcher.HttpMethod,
    path: req.url ?? '/',
    headers,
    body,
    span,
  };
  try {
    upstream.send(request, reply);
  } catch (error) {
    release();
    o.fail(error);
  }
}

/**
 * The time starts when the body has arrived (decision 23, deadlines and outages), because a slow upload has its own limit. A service that
 * stops reading the body counts as unavailable.
 */
function limitWaiting(
  req: IncomingMessage,
  body: Readable | null,
  budgetMs: number,
  reply: PassedReply,
  longestReadMs: number,
): { lift: () => void } {
  let budget: NodeJS.Timeout | undefined;
  const startBudget = () => {
    const startedAtMs = performance.now();
    const onExpiry = () => {
      const tookMs = performance.now() - startedAtMs;
      const leftMs = budgetMs + graceMs - (tookMs - reply.heldUpMs());
      // A timer may fire a fraction of a millisecond early.
      if (leftMs < 1) reply.serviceTooSlow('no reply within the budget');
      else if (tookMs >= longestReadMs) reply.cutOffCaller();
      else budget = setTimeout(onExpiry, Math.max(leftMs, graceMs));
    };
    budget = setTimeout(onExpiry, budgetMs + graceMs);
  };
  if (body === null || req.complete) {
    startBudget();
    if (body === null) return { lift: () => clearTimeout(budget) };
  } else {
    req.once('end', startBudget);
  }
  let stuck: NodeJS.Timeout | undefined;
  const onPause = () => {
    stuck = setTimeout(() => reply.serviceTooSlow('the body is not being read'), notReadingMs);
  };
  const onResume = () => clearTimeout(stuck);
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
 * A service may answer before it has read everything. Its connection then destroys the stream that it reads, but the caller's connection
 * must stay open for the reply, so a separate stream is placed between them.
 */
function bodyOf(req: IncomingMessage): Readable | null {
  const isEmpty =
    req.headers['transfer-encoding'] === undefined && Number(req.headers['content-length'] ?? 0) === 0;
  if (isEmpty) return null;
  const body = new PassThrough();
  req.pipe(body);
  body.once('close', () => {
    req.unpipe(body);
    req.resume();
  });
  // The original request reports why the body ended early.
  body.on('error', () => {});
  return body;
}

/** The headers that services read. All others are dropped: the key, cookies, claimed callers, addresses, hop-by-hop headers. */
const headersWithoutBody = ['accept', 'idempotency-key'];
const headersWithBody = [...headersWithoutBody, 'content-type', 'content-length', 'content-encoding'];

/** @returns names and values alternating */
function forwardedHeaders(headers: IncomingHttpHeaders, withBody: boolean): string[] {
  const forwarded: string[] = [];
  for (const name of withBody ? headersWithBody : headersWithoutBody) {
    const value = headers[name];
    if (typeof value === 'string') forwarded.push(name, value);
  }
  return forwarded;
}
