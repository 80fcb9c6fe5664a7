/** Forwards a request to a service, and its reply to the caller. Long bodies are streams, so nothing large is held here. */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import {
  callerContextHeader,
  requestBudgetHeader,
  requestIdHeader,
} from '@offer-ads/contracts/internal/caller-context';
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import { hasBody, requestFacts } from '@offer-ads/platform/http/request';
import { readBytes } from '@offer-ads/platform/http/request-bodies';
import { Fault } from '@offer-ads/platform/process/faults';
import type { Dispatcher } from 'undici';
import { noteReturnCode } from './call-log.ts';
import { type Endpoint, usualBudgetMs } from './endpoints.ts';
import { type End, graceMs, startEnd } from './exchange-end.ts';
import { CallersFault, type Upstream } from './upstream.ts';

/**
 * A body up to this size is passed on when it is complete, in one write. If a reply breaks off before that, the caller gets a 503. Only
 * pictures and listings are longer.
 */
const maxBytesHeld = 16 * 1024;

type Forwarding = {
  readonly endpoint: Pick<Endpoint, 'takesBody' | 'budgetMs'>;
  readonly upstream: Upstream;
  /** Null: no one is signed in, and the service must not need a caller. */
  readonly callerToken: string | null;
  /** The header of the token; that of the caller context unless given. */
  readonly callerHeader?: string;
  /** For tests. */
  readonly longestReadMs?: number;
};

/** A caller who left gets nothing. @throws {Fault} 503 when the service fails; the reply may have begun */
export async function forward(req: IncomingMessage, res: ServerResponse, o: Forwarding): Promise<void> {
  const { endpoint, upstream } = o;
  // The caller disconnected, or got a 400 for a broken body.
  const isOver = () => res.closed || res.writableEnded;
  // During the key's look-up.
  if (isOver()) return;
  const body = endpoint.takesBody && hasBody(req) ? await bodyOf(req) : null;
  if (body === undefined || isOver()) return;
  const stream = body instanceof PassThrough ? body : null;
  const budgetMs = endpoint.budgetMs + graceMs;
  const end = startEnd(req, res, { body: stream, budgetMs, longestReadMs: o.longestReadMs });
  try {
    const deadline = createDeadline(budgetMs);
    const takesLong = stream !== null || endpoint.budgetMs > usualBudgetMs;
    await upstream.use({ takesLong, deadline }, async (connections) => {
      const { requestId, trace } = requestFacts(req);
      const headers = forwardedHeaders(req, o);
      headers.push(requestIdHeader, requestId, ...Object.entries(trace).flat());
      try {
        end.check();
        const method = req.method as Dispatcher.HttpMethod;
        await exchange(connections, { method, path: req.url ?? '/', headers, body }, res, end);
      } catch (error) {
        const reason = end.reason ?? (error as Error);
        // The caller may be the cause of a connection that fails while its body is sent, for example with a body that is too large.
        const isUploading = stream?.readableDidRead === true && !stream.readableEnded;
        const mayBeCallers = isUploading && !(reason instanceof CallersFault);
        throw mayBeCallers ? upstream.noAnswer(reason.message, reason) : reason;
      }
    });
  } catch (error) {
    if (error instanceof CallersFault) return;
    throw error instanceof Fault ? error : upstream.noAnswer((error as Error).message, error);
  } finally {
    end.lift();
    // A stream that no service reads would stop the caller, who then could not read the reply. The server discards the rest.
    stream?.destroy();
  }
}

/** Sends the request and passes its reply on: a short one in one piece, a long one as it comes. */
async function exchange(
  connections: Dispatcher,
  request: Dispatcher.DispatchOptions,
  res: ServerResponse,
  end: End,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let [status, isShort] = [0, false];
  let headers: IncomingHttpHeaders = {};
  const held: Buffer[] = [];
  connections.dispatch(request, {
    onRequestStart: (controller) =>
      end.onEarly((reason) => {
        controller.abort(reason);
        reject(reason);
      }),
    onResponseStart: (_, statusCode, fields) => {
      // One that is only information, such as early hints.
      if (statusCode < 200) return;
      [status, headers] = [statusCode, fields];
      const hasNoBody = request.method === 'HEAD' || status === 204 || status === 304;
      isShort = hasNoBody || Number(headers['content-length']) <= maxBytesHeld;
    },
    // An error that is thrown here ends the exchange.
    onResponseData: (controller, chunk) => {
      if (isShort) return void held.push(chunk);
      end.check();
      if (!res.headersSent) setHead(res, status, headers, chunk);
      if (res.write(chunk)) return;
      controller.pause();
      end.untilCallerReads(() => controller.resume());
    },
    onResponseEnd: () => resolve(),
    onResponseError: (_, error) => reject(error),
  });
  await promise;
  end.check();
  const whole = held.length > 1 ? Buffer.concat(held) : held[0];
  if (!res.headersSent) setHead(res, status, headers, whole);
  res.end(whole);
}

/** @returns undefined when it ended early */
async function bodyOf(req: IncomingMessage): Promise<Buffer | PassThrough | undefined> {
  const isShort = Number(req.headers['content-length']) <= maxBytesHeld;
  return isShort ? readBytes(req, maxBytesHeld).catch(() => undefined) : streamOf(req);
}

/**
 * A service may answer before it has read everything. Its connection then destroys the stream that it reads, but the caller's connection
 * must stay open for the reply, so a separate stream is placed between them.
 */
function streamOf(req: IncomingMessage): PassThrough {
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
function forwardedHeaders({ headers }: IncomingMessage, o: Forwarding): string[] {
  const forwarded = [requestBudgetHeader, String(o.endpoint.budgetMs)];
  if (o.callerToken !== null) forwarded.push(o.callerHeader ?? callerContextHeader, o.callerToken);
  for (const name of o.endpoint.takesBody ? headersWithBody : headersWithoutBody) {
    const value = headers[name];
    if (typeof value === 'string') forwarded.push(name, value);
  }
  return forwarded;
}

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

/** @param start the reply's first bytes, which have its return code */
function setHead(res: ServerResponse, status: number, headers: IncomingHttpHeaders, start?: Buffer): void {
  if (start !== undefined) noteReturnCode(res, returnCodeIn(start));
  // Further headers of the connection, named by `Connection`, which may come several times.
  const named = [headers.connection ?? ''].flat().join().toLowerCase().split(',');
  const isNamed = (name: string) => named.some((each) => each.trim() === name);
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined && !notPassedBack.has(name) && !isNamed(name)) res.setHeader(name, value);
  res.statusCode = status;
}

/**
 * Searched for and not parsed: replies with a return code have it at or near their start. Inside a text the quotes would be escaped, so an
 * advertiser's text cannot match.
 */
function returnCodeIn(start: Buffer): string | null {
  const field = '"return_code":"';
  const at = start.indexOf(field);
  return at < 0
    ? null
    : (/^\w{0,3}(?=")/.exec(start.toString('latin1', at + field.length, at + field.length + 4))?.[0] ?? null);
}
