/** Forwards a request to a service, and its reply to the caller. Bodies are streams, so nothing large is held here. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import {
  callerContextHeader,
  requestBudgetHeader,
  requestIdHeader,
} from '@offer-ads/contracts/internal/caller-context';
import { requestFacts } from '@offer-ads/platform/http/request';
import type { Dispatcher } from 'undici';
import { noteReturnCode } from './call-log.ts';
import type { Endpoint } from './endpoints.ts';
import {
  CallerGone,
  type ForwardedRequest,
  NoConnectionFree,
  UploadBroken,
  type Upstream,
} from './upstream.ts';

/**
 * The service itself answers when its time is over; the gateway waits this much longer, well within 3 s (decision 23, deadlines and
 * outages).
 */
const graceMs = 250;
/** As long as any call that creates nothing (decision 23, deadlines and outages). */
const notReadingMs = 2_000;
/** The service's time does not run while the caller reads nothing; after this long the caller is disconnected. */
const longestReadMs = 60_000;
/**
 * A reply up to this size is sent when it is complete: in one write, and if it breaks off before that, the caller gets a 503. Only listings
 * are longer.
 */
const maxBytesHeld = 16 * 1024;

type Forwarding = {
  readonly endpoint: Pick<Endpoint, 'takesBody' | 'budgetMs'>;
  readonly upstream: Upstream;
  /** Null: no one is signed in, and the service must not need a caller. */
  readonly callerToken: string | null;
  /** The header of the token; that of the caller context unless given. */
  readonly callerHeader?: string;
  readonly fail: (error: unknown) => void;
  /** For tests. */
  readonly longestReadMs?: number;
};

/** A failure of the service goes to `fail`; a caller who left gets nothing. */
export function forward(req: IncomingMessage, res: ServerResponse, o: Forwarding): void {
  // The caller disconnected, or got a 400 for a broken body, during the key's look-up.
  if (res.closed || res.writableEnded) return;
  const { endpoint, upstream } = o;
  const exchange = new Exchange(req, res, o);
  const headers = forwardedHeaders(req.headers, endpoint.takesBody);
  if (o.callerToken !== null) headers.push(o.callerHeader ?? callerContextHeader, o.callerToken);
  headers.push(requestBudgetHeader, String(endpoint.budgetMs));
  const { requestId, trace } = requestFacts(req);
  headers.push(requestIdHeader, requestId);
  try {
    upstream.send(exchange.send(headers, trace), exchange);
  } catch (error) {
    exchange.release();
    o.fail(error);
  }
}

/** One request on its way to the service and back. It alone owns the body, and the request's timers. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #req: IncomingMessage;
  readonly #res: ServerResponse;
  readonly #o: Forwarding;
  readonly #body: PassThrough | null;
  #request: ForwardedRequest | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #givenUp: Error | undefined;
  #isSettled = false;
  #budget: NodeJS.Timeout | undefined;
  #stuck: NodeJS.Timeout | undefined;
  /** How long the caller has delayed the reply, and since when it does so now. */
  #heldUpMs = 0;
  #heldUpSinceMs: number | undefined;
  #status = 0;
  #headers: ReplyHeaders = {};
  /** The received part of a reply that is sent in one piece; undefined for a streamed reply. */
  #held: Buffer[] | undefined;

  constructor(req: IncomingMessage, res: ServerResponse, o: Forwarding) {
    this.#req = req;
    this.#res = res;
    this.#o = o;
    this.#body = o.endpoint.takesBody ? bodyOf(req) : null;
    this.#limitTime();
    // Also after a reply was sent: the platform answers a broken upload, and the service's reply is no longer needed.
    res.on('close', this.#onClose);
  }

  send(headers: string[], trace: ForwardedRequest['trace']): ForwardedRequest {
    const { method, url = '/' } = this.#req;
    this.#request = { method: method as Dispatcher.HttpMethod, path: url, headers, body: this.#body, trace };
    return this.#request;
  }

  /**
   * The service's time starts when the body has arrived (decision 23, deadlines and outages), because a slow upload has its own limit. A
   * service that stops reading the body counts as unavailable.
   */
  #limitTime(): void {
    if (this.#body === null || this.#req.complete) this.#startBudget();
    else this.#req.once('end', this.#startBudget);
    if (this.#body !== null) this.#req.on('pause', this.#onPause).on('resume', this.#onResume);
  }

  readonly #startBudget = (): void => {
    const { budgetMs } = this.#o.endpoint;
    const startedAtMs = performance.now();
    const onExpiry = () => {
      const tookMs = performance.now() - startedAtMs;
      const leftMs = budgetMs + graceMs - (tookMs - this.#delayedByCallerMs());
      // A timer may fire a fraction of a millisecond early.
      if (leftMs < 1) this.#tooSlow('no reply within the budget');
      else if (tookMs >= (this.#o.longestReadMs ?? longestReadMs)) this.#cutOffCaller();
      else this.#budget = setTimeout(onExpiry, Math.max(leftMs, graceMs));
    };
    this.#budget = setTimeout(onExpiry, budgetMs + graceMs);
  };

  readonly #onPause = (): void => {
    this.#stuck = setTimeout(() => this.#tooSlow('the body is not being read'), notReadingMs);
  };
  readonly #onResume = (): void => clearTimeout(this.#stuck);
  readonly #onClose = (): void => this.#giveUp(new CallerGone('the connection closed'));

  #tooSlow(problem: string): void {
    this.#giveUp(this.#controller === undefined ? new NoConnectionFree(problem) : new Error(problem));
  }

  /** Half a reply cannot be taken back, so the connection ends. */
  #cutOffCaller(): void {
    this.#res.destroy();
    this.#onClose();
  }

  /** Aborts the request to the service at any point. */
  #giveUp(reason: Error): void {
    this.#givenUp ??= reason;
    this.#controller?.abort(reason);
    this.#settle(reason);
  }

  #settle(error: Error | undefined): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    const isUploading = this.#body !== null && !this.#body.readableEnded && this.#controller !== undefined;
    this.release();
    if (this.#request === undefined) return;
    const isBroken = error !== undefined && isUploading && !(error instanceof CallerGone);
    const reason = isBroken ? new UploadBroken(error.message, { cause: error }) : error;
    const fault = this.#o.upstream.ended(this.#request, reason);
    if (fault !== undefined) this.#o.fail(fault);
  }

  release(): void {
    this.#isSettled = true;
    clearTimeout(this.#budget);
    clearTimeout(this.#stuck);
    this.#res.off('close', this.#onClose);
    if (this.#body === null) return;
    this.#req.off('end', this.#startBudget).off('pause', this.#onPause).off('resume', this.#onResume);
    // A stream that no service reads would stop the caller, who then could not read the reply. The server discards the rest.
    this.#body.destroy();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#givenUp !== undefined) controller.abort(this.#givenUp);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ReplyHeaders): void {
    // 1xx: the final response follows.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    const hasNoBody = this.#req.method === 'HEAD' || status === 204 || status === 304;
    if (hasNoBody || Number(headers['content-length']) <= maxBytesHeld) this.#held = [];
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#res.writableEnded) return this.#onClose();
    if (this.#held !== undefined) return void this.#held.push(chunk);
    if (!this.#res.headersSent) this.#sendHead(chunk);
    if (this.#res.write(chunk)) return;
    controller.pause();
    this.#heldUpSinceMs = performance.now();
    this.#res.once('drain', () => {
      this.#heldUpMs = this.#delayedByCallerMs();
      this.#heldUpSinceMs = undefined;
      controller.resume();
    });
  }

  #delayedByCallerMs(): number {
    const sinceMs = this.#heldUpSinceMs;
    return this.#heldUpMs + (sinceMs === undefined ? 0 : performance.now() - sinceMs);
  }

  onResponseEnd(): void {
    // The platform has answered for a broken request body meanwhile, and a second end would be an error.
    if (this.#res.writableEnded) return this.#onClose();
    const held = this.#held ?? [];
    if (!this.#res.headersSent) this.#sendHead(held[0]);
    this.#settle(undefined);
    // As a latin1 string of the same bytes: Node sends it together with the head in one write instead of two.
    if (held.length === 0) this.#res.end();
    else this.#res.end(held.map((chunk) => chunk.toString('latin1')).join(''), 'latin1');
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#settle(this.#givenUp ?? error);
  }

  #sendHead(start: Buffer | undefined): void {
    if (start !== undefined) noteReturnCode(this.#res, returnCodeIn(start));
    const named = namesIn(this.#headers.connection);
    for (const name in this.#headers) {
      const value = this.#headers[name];
      if (value === undefined || notPassedBack.has(name) || named?.includes(name) === true) continue;
      this.#res.setHeader(name, value);
    }
    this.#res.statusCode = this.#status;
  }
}

/**
 * A service may answer before it has read everything. Its connection then destroys the stream that it reads, but the caller's connection
 * must stay open for the reply, so a separate stream is placed between them.
 */
function bodyOf(req: IncomingMessage): PassThrough | null {
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

type ReplyHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Headers of the connection and not of the reply (RFC 9110, 7.6.1), and those that the gateway sets itself. */
const notPassedBack = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'date',
  requestIdHeader,
]);

/** Further headers of the connection, named by `Connection`. */
function namesIn(connection: string | string[] | undefined): readonly string[] | undefined {
  if (connection === undefined || connection === 'keep-alive' || connection === 'close') return undefined;
  return String(connection)
    .split(',')
    .map((name) => name.trim().toLowerCase());
}

const returnCodeField = Buffer.from('"return_code":"');
const longestReturnCode = 4;

/**
 * Searched for and not parsed: replies with a return code have it at or near their start. Inside a text the quotes would be escaped, so an
 * advertiser's text cannot match.
 */
function returnCodeIn(start: Buffer): string | null {
  const at = start.indexOf(returnCodeField);
  if (at < 0) return null;
  const from = at + returnCodeField.length;
  const code = start.toString('latin1', from, from + longestReturnCode);
  const end = code.indexOf('"');
  return end < 0 ? null : code.slice(0, end);
}
