/**
 * How requests fail: one plain JSON body per kind (decision 19, bodies of refusals), and no detail of ours for the
 * caller.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { Fault } from '../process/faults.ts';
import type { Logger } from '../telemetry/logging.ts';
import { sendJson, tell } from './replies.ts';
import { acceptedOf, hasBody } from './request.ts';

export const notFound: RequestHandler = (_req, res) => {
  res.status(404).json({ message: 'Not found' });
};

/** The last middleware. */
export function answerFaults(logger: Logger): ErrorRequestHandler {
  return (error: unknown, _req, res, _next) => answerFault(logger, error, res);
}

/** Logs the fault with its cause, answers with its public body. */
export function answerFault(logger: Logger, error: unknown, res: ServerResponse): void {
  const fault = asFault(error);
  const { requestId } = acceptedOf(res.req);
  const level = fault.status >= 500 ? 'error' : 'info';
  logger[level]({ requestId, status: fault.status, error: fault }, fault.message);
  // Half a reply cannot be taken back: break the connection, so that the caller does not take it for a whole one.
  if (res.headersSent) return void res.destroy();
  if (fault.retryAfterSeconds !== undefined) tell(res, 'Retry-After', fault.retryAfterSeconds);
  sendJson(res, fault.status, fault.publicBody);
}

/** What express and its parsers refuse by themselves. */
const refusals: Record<number, string> = {
  400: 'Bad request',
  413: 'Payload too large',
  415: 'Unsupported media type',
};

function asFault(error: unknown): Fault {
  if (error instanceof Fault) return error;
  const status = (error as { status?: unknown } | null)?.status;
  const publicMessage = typeof status === 'number' ? refusals[status] : undefined;
  return typeof status === 'number' && publicMessage !== undefined
    ? new Fault('request refused', { status, publicMessage, cause: withoutBody(error) })
    : new Fault('unexpected error', { status: 500, publicMessage: 'Internal server error', cause: error });
}

/** A body that is not JSON is quoted in the parser's message, which must not reach the log. */
function withoutBody(error: unknown): unknown {
  const isQuoting = (error as { type?: unknown } | null)?.type === 'entity.parse.failed';
  return isQuoting ? new Error('the body is not JSON') : error;
}

/**
 * Node ends idle sockets after `server.timeout`. Here only an upload that stalls ends (408); a caller who waits for a
 * reply that is in the making is left waiting, because deadlines bound that.
 */
export function endStalledUploads(req: IncomingMessage, res: ServerResponse): void {
  // Any listener tells Node not to destroy the socket by itself.
  res.on('timeout', endUnreadReply);
  if (hasBody(req)) req.on('timeout', () => refuseUpload(res, 408));
}

/** Slower than any line that could bring a picture in time: 1.6 KB a second. */
const leastUploadBytes = 16_384;

/** Called once a window, so that no request costs a timer. An upload whose bytes wait for us to read them does not crawl. */
export function endCrawlingUploads(connections: Iterable<Connection & { readonly bytesRead: number }>): void {
  for (const connection of connections) {
    const res = responseUnderWay(connection);
    const before = connection[lookedAt];
    connection[lookedAt] = res && { res, bytesRead: connection.bytesRead };
    if (res === undefined || before?.res !== res || res.req.complete) continue;
    const isAwaited = res.req.readableLength === 0;
    if (isAwaited && connection.bytesRead - before.bytesRead < leastUploadBytes) refuseUpload(res, 408);
  }
}

function endUnreadReply(this: ServerResponse): void {
  if (this.headersSent) this.destroy();
}

const uploadRefusals = { 400: 'Bad request', 408: 'Request timeout' };

/** A body that stalls or that nobody can read: the reply is out first, so that whoever listens hears why. */
function refuseUpload(res: ServerResponse, status: keyof typeof uploadRefusals): void {
  if (!res.headersSent) {
    tell(res, 'Connection', 'close');
    sendJson(res, status, { message: uploadRefusals[status] });
  }
  // After the reply is on its way: whoever still reads the body sees it break off.
  setImmediate(() => res.req.destroy(new Error('upload stalled or broken')));
}

/** What Node's parser refuses before there is a request. */
const parserRefusals: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};
/** A peer that goes on sending after it was refused is read for this long, so that the refusal reaches it, then cut off. */
const lingerMs = 1_000;

/** Properties of the connection: WeakMaps would cost every garbage collection their share. */
const latest = Symbol('response to the latest request');
const refused = Symbol('refused');
const lookedAt = Symbol('what a look at its upload found');
type Connection = Duplex & {
  [latest]?: ServerResponse;
  [refused]?: boolean;
  [lookedAt]?: { readonly res: ServerResponse; readonly bytesRead: number } | undefined;
};

/** Undefined when the connection waits for a request. */
export function responseUnderWay(socket: Connection): ServerResponse | undefined {
  const res = socket[latest];
  return res?.writableFinished === true ? undefined : res;
}

/**
 * Answers what Node's parser refuses, and closes the connection. Replies keep their order: what is wrong may follow a
 * request whose reply is not out yet, and that reply is nobody's but that request's.
 */
export function answerBadRequests(server: Server): void {
  server.on('request', (req, res) => {
    (req.socket as Connection)[latest] = res;
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Connection) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    // What else comes over a connection that was refused is of no interest.
    if (socket[refused] === true) return;
    socket[refused] = true;
    const res = socket[latest];
    if (res === undefined) return close(socket, refusalText(error));
    const isAnswered = res.writableFinished;
    // The fault is in the body of that request.
    if (!res.req.complete) {
      if (isAnswered) return close(socket);
      return refuseUpload(res, error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : 400);
    }
    if (isAnswered) return close(socket, refusalText(error));
    res.once('finish', () => close(socket));
  });
}

function close(socket: Duplex, text?: string): void {
  if (text === undefined) socket.end();
  else socket.end(text);
  const cut = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(cut));
}

function refusalText(error: NodeJS.ErrnoException): string {
  const status = parserRefusals[error.code ?? ''] ?? '400 Bad Request';
  const body = JSON.stringify({ message: status.slice(4) });
  const head = [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${body.length}`,
    `X-Request-Id: ${randomUUID()}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
