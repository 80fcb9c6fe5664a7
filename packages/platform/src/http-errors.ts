/** How requests fail: one plain JSON body per kind (decision 19), and no detail of ours for the caller. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { Fault } from './faults.ts';
import type { Logger } from './logging.ts';

export const notFound: RequestHandler = (_req, res) => {
  res.status(404).json({ message: 'Not found' });
};

/** The last middleware: logs the fault with its cause, answers with its public body. */
export function answerFaults(logger: Logger): ErrorRequestHandler {
  return (error: unknown, _req, res, _next) => {
    const fault = asFault(error);
    const requestId = res.getHeader('X-Request-Id');
    const level = fault.status >= 500 ? 'error' : 'info';
    logger[level]({ requestId, status: fault.status, error: fault }, fault.message);
    // Half a reply cannot be taken back: break the connection, so that the caller does not take it for a whole one.
    if (res.headersSent) return void res.destroy();
    if (fault.retryAfterSeconds !== undefined) res.setHeader('Retry-After', fault.retryAfterSeconds);
    res.status(fault.status).json(fault.publicBody);
  };
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
    ? new Fault('request refused', { status, publicMessage, cause: error })
    : new Fault('unexpected error', { status: 500, publicMessage: 'Internal server error', cause: error });
}

/**
 * Node ends idle sockets after `server.timeout`. Here only an upload that stalls ends (408); a caller who waits for a
 * reply that is in the making is left waiting, because deadlines bound that.
 */
export function endStalledUploads(req: IncomingMessage, res: ServerResponse): void {
  // Any listener tells Node not to destroy the socket by itself.
  res.on('timeout', () => {
    if (res.headersSent) res.destroy();
  });
  req.on('timeout', () => {
    if (!res.headersSent) {
      res.setHeader('Connection', 'close');
      res.setHeader('Content-Type', 'application/json; charset=utf-8');
      res.statusCode = 408;
      res.end(JSON.stringify({ message: 'Request timeout' }));
    }
    // After the reply is on its way: whoever still reads the body sees it break off.
    setImmediate(() => req.destroy(new Error('upload stalled')));
  });
}

/** What Node's parser refuses before there is a request. */
const parserRefusals: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

export function answerBadRequests(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
    const status = parserRefusals[error.code ?? ''] ?? '400 Bad Request';
    const body = JSON.stringify({ message: status.slice(4) });
    const head = [
      `HTTP/1.1 ${status}`,
      'Connection: close',
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${body.length}`,
      `X-Request-Id: ${randomUUID()}`,
    ];
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  });
}
