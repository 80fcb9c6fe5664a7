/**
 * Answers failed requests: one plain JSON body per kind of failure (decision 19, bodies of refusals), without internal details.
 */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { Fault } from '../process/faults.ts';
import type { Logger } from '../telemetry/logging.ts';
import { sendJson } from './replies.ts';
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
  // Part of the reply is already sent: break the connection, so that the caller does not take it for complete.
  if (res.headersSent) return void res.destroy();
  if (fault.retryAfterSeconds !== undefined) res.setHeader('Retry-After', fault.retryAfterSeconds);
  sendJson(res, fault.status, fault.publicBody);
}

/** Statuses with which express and its parsers refuse requests. */
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
    ? new Fault('request refused', { status, publicMessage, cause: error })
    : new Fault('unexpected error', { status: 500, publicMessage: 'Internal server error', cause: error });
}

/**
 * Node ends idle sockets after `server.timeout`. This ends only stalled uploads (408). A caller that waits for its reply keeps its
 * connection: deadlines bound that wait.
 */
export function endStalledUploads(req: IncomingMessage, res: ServerResponse): void {
  // With any listener Node does not destroy the socket by itself.
  res.on('timeout', endUnreadReply);
  if (hasBody(req)) req.on('timeout', () => refuseUpload(res, 408));
}

/** 1.6 KB a second: too slow to send a picture within the upload's time limit. */
const minUploadBytes = 16_384;

/** Called once per window for all connections, so that requests need no timers. An upload that waits for us to read it is not slow. */
export function endCrawlingUploads(connections: Iterable<Connection & { readonly bytesRead: number }>): void {
  for (const connection of connections) {
    const res = responseUnderWay(connection);
    const before = connection[lookedAt];
    connection[lookedAt] = res && { res, bytesRead: connection.bytesRead };
    if (res === undefined || before?.res !== res || res.req.complete) continue;
    const isAwaited = res.req.readableLength === 0;
    if (isAwaited && connection.bytesRead - before.bytesRead < minUploadBytes) refuseUpload(res, 408);
  }
}

function endUnreadReply(this: ServerResponse): void {
  if (this.headersSent) this.destroy();
}

const uploadRefusals = { 400: 'Bad request', 408: 'Request timeout' };

/** Refuses a stalled or unreadable body. The reply is sent before the connection ends, so that the caller learns the reason. */
function refuseUpload(res: ServerResponse, status: keyof typeof uploadRefusals): void {
  if (!res.headersSent) {
    res.setHeader('Connection', 'close');
    sendJson(res, status, { message: uploadRefusals[status] });
  }
  // After the reply was written: code that still reads the body gets an error.
  setImmediate(() => res.req.destroy(new Error('upload stalled or broken')));
}

/** Status lines for what Node's parser refuses, when no request object exists yet. */
const parserRefusals: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};
/** After a refusal the peer may still be sending. It is read for this long, so that the refusal reaches it; then the connection is cut. */
const lingerMs = 1_000;

/** Properties of the connection, because WeakMaps slow down every garbage collection. */
const latest = Symbol('response to the latest request');
const refused = Symbol('refused');
const lookedAt = Symbol('what a look at its upload found');
type Connection = Duplex & {
  [latest]?: ServerResponse | undefined;
  [refused]?: boolean;
  [lookedAt]?: { readonly res: ServerResponse; readonly bytesRead: number } | undefined;
};

/** Called for each request as soon as it arrives, also if it has to wait for its turn. */
export function noteLatest(req: IncomingMessage, res: ServerResponse): void {
  (req.socket as Connection)[latest] = res;
  res.on('close', forget);
}

/** An idle connection keeps nothing of its last request: each garbage collection would copy that, 36 KB for a connection. */
function forget(this: ServerResponse): void {
  const connection: Connection = this.req.socket;
  if (connection[latest] === this && this.req.complete) connection[latest] = undefined;
}

/** The response that is not complete yet; undefined when the connection is idle. */
export function responseUnderWay(socket: Connection): ServerResponse | undefined {
  const res = socket[latest];
  return res?.writableFinished === true ? undefined : res;
}

/**
 * Answers what Node's parser refuses, and closes the connection. Replies keep their order: an earlier request on the connection
 * may still wait for its reply, and the refusal must not be taken for that reply.
 */
export function answerBadRequests(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Connection) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    // Ignore everything after a refusal.
    if (socket[refused] === true) return;
    socket[refused] = true;
    const res = socket[latest];
    if (res === undefined) return close(socket, refusalText(error));
    const isAnswered = res.writableFinished;
    // The error is in the body of the request that is being served.
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
  cutLater(socket);
}

/** Cuts the connection after `lingerMs`, unless it is closed before. */
export function cutLater(socket: Duplex): void {
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
