/** Passes a request on and its reply back: bodies are streams, nothing large is held here. */
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
import { CallerGone, type Upstream } from '../../upstream.ts';
import type { Endpoint } from '../endpoints.ts';
import { PassedReply } from './passed-reply.ts';

/**
 * The service says by itself when its budget is used up; the gateway gives up a moment later, well within 3 s
 * (decision 23, deadlines and outages).
 */
const graceMs = 250;
/** As long as any call that is not a creation (decision 23, deadlines and outages). */
const notReadingMs = 2_000;
/** The service's budget does not run while the caller takes nothing; after this long the caller is cut off. */
const longestReadMs = 60_000;

export async function forward(
  req: IncomingMessage,
  res: ServerResponse,
  o: {
    endpoint: Pick<Endpoint, 'takesBody' | 'budgetMs'>;
    upstream: Upstream;
    /** Null: nobody is signed in, and the service must not need to know who asks. */
    callerToken: string | null;
    /** A test's own. */
    longestReadMs?: number;
  },
): Promise<void> {
  // The caller left, or was told that the body is broken, while the key was looked up.
  if (res.closed || res.writableEnded) return;
  const { endpoint } = o;
  const { storeClock } = o.upstream;
  const reply = new PassedReply(res, { withoutBody: req.method === 'HEAD', storeClock });
  const body = endpoint.takesBody ? bodyOf(req) : null;
  // Before the timer of our own patience starts, so that nothing is committed after we have answered 503.
  const storeMs = body === null || req.complete ? storeClock.nowMs() : undefined;
  const limits = limitWaiting(req, body, endpoint.budgetMs, reply, o.longestReadMs ?? longestReadMs);
  // Also when a reply is out already: the platform answers an upload that breaks, and nobody needs the rest.
  const onClose = () => reply.callerLeft();
  res.on('close', onClose);
  try {
    const headers = passedOn(req.headers, endpoint.takesBody);
    if (o.callerToken !== null) headers.push(callerContextHeader, o.callerToken);
    headers.push(requestBudgetHeader, String(endpoint.budgetMs));
    if (storeMs !== undefined) headers.push(commitByHeader, String(storeMs + endpoint.budgetMs));
    headers.push(requestIdHeader, requestFacts(req).requestId);
    const method = req.method as Dispatcher.HttpMethod;
    await o.upstream.send({ method, path: req.url ?? '/', headers, body }, reply);
  } catch (error) {
    if (!(error instanceof CallerGone)) throw error;
  } finally {
    limits.lift();
    res.off('close', onClose);
  }
}

/**
 * The budget starts when the body has arrived (decision 23, deadlines and outages): a slow upload has its own limit.
 * A service that takes no more of the body while the caller would send it is as good as gone.
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
 * A service may answer before it has read everything, and its connection then ends the stream that it reads. The
 * caller's own connection must survive that to take the reply, so a stream of our own stands between.
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
  // Why the body ended early is told by the request that it belonged to.
  body.on('error', () => {});
  return body;
}

/** What services read; all else stays here: the key, cookies, claimed callers, addresses, hop-by-hop headers. */
const passedOnHeaders = ['accept', 'idempotency-key'];
const passedOnWithBody = [...passedOnHeaders, 'content-type', 'content-length', 'content-encoding'];

/** @returns names and values in turn */
function passedOn(headers: IncomingHttpHeaders, withBody: boolean): string[] {
  const passed: string[] = [];
  for (const name of withBody ? passedOnWithBody : passedOnHeaders) {
    const value = headers[name];
    if (typeof value === 'string') passed.push(name, value);
  }
  return passed;
}
