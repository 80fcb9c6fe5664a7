/** An express server with what every service owes its callers: ids, logs, health, limits, plain errors, a graceful stop. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServiceName } from '@offer-ads/contracts/primitives';
import express, { type Express, type Request, type RequestHandler, type Response } from 'express';
import { refuseAmbiguous, toOriginForm } from './ambiguous-requests.ts';
import type { Clock } from './clock.ts';
import { callerGoneStatus } from './faults.ts';
import { answerBadRequests, answerFaults, endStalledUploads, notFound } from './http-errors.ts';
import { healthRoutes, type Readiness } from './http-health.ts';
import { accept, acceptedOf, routeTemplate } from './http-request.ts';
import { type Logger, unredacted } from './logging.ts';
import type { Metrics } from './metrics.ts';

export type HttpServer = AsyncDisposable & { readonly url: string; readonly port: number };

export type HttpServerOptions = {
  readonly service: ServiceName;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly readiness: Readiness;
  readonly routes: (app: Express) => void;
  /** An upload ends when no byte came for this long (decision 23). */
  readonly stallMs?: number;
  /** How long requests in flight may take to finish when the server stops. */
  readonly stopMs?: number;
};

/** Decision 23: 15 s without a byte. */
const defaultStallMs = 15_000;
/** One second more than the longest request, a creation. */
const defaultStopMs = 26_000;
/** Far more than a busy service has; idle ones of this many take about 200 MB, and more are refused. */
const mostConnections = 10_000;
/** Longer than clients keep idle connections, so that it is they who close and no request meets a closing one. */
const keepAliveMs = 65_000;

export async function startHttpServer(o: HttpServerOptions): Promise<HttpServer> {
  const lifetime = { stopping: false };
  const app = express();
  app.disable('etag');
  app.disable('x-powered-by');
  app.set('query parser', 'simple');
  app.use(acceptRequest(o, lifetime));
  healthRoutes(app, { ...o, stopping: () => lifetime.stopping });
  o.routes(app);
  app.use(notFound);
  app.use(answerFaults(o.logger));

  const server = createServer({
    headersTimeout: 10_000,
    requestTimeout: 300_000,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: keepAliveMs,
    maxHeaderSize: 16 * 1024,
  });
  server.maxHeadersCount = 100;
  server.maxConnections = mostConnections;
  server.timeout = o.stallMs ?? defaultStallMs;
  server.on('request', endStalledUploads);
  server.on('request', app);
  // An expectation that we do not know is ignored instead of being refused without the headers that every reply has.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  answerBadRequests(server);
  server.listen(o.port, o.host);
  await once(server, 'listening');

  const { port } = server.address() as AddressInfo;
  const url = `http://${o.host.includes(':') ? `[${o.host}]` : o.host}:${port}`;
  o.logger.info({ address: url }, 'listening');
  return {
    url,
    port,
    [Symbol.asyncDispose]: async () => {
      lifetime.stopping = true;
      await stop(server, o.stopMs ?? defaultStopMs);
    },
  };
}

/** First middleware: gives the request its facts, its id in the reply, its line in the access log, its metrics. */
function acceptRequest(o: HttpServerOptions, lifetime: { readonly stopping: boolean }): RequestHandler {
  const observe = durationsByRoute(o.metrics);
  const accessLog = unredacted(o.logger);

  // One listener for all requests: it finds its request by the response that it is called on.
  function answered(this: Response): void {
    const req = this.req as Request;
    const request = acceptedOf(req);
    const durationMs = performance.now() - request.startedAtMs;
    const aborted = !this.writableFinished;
    if (aborted) request.callerLeft();
    const { method } = req;
    const route = routeTemplate(req);
    const status = aborted && !this.headersSent ? callerGoneStatus : this.statusCode;
    observe(method, route, status, durationMs / 1_000);
    const { requestId } = request;
    accessLog.info(
      { requestId, method, route, status, durationMs: Math.round(durationMs), aborted },
      'request',
    );
  }

  return (req, res, next) => {
    const request = accept(req, o.clock.now());
    res.setHeader('X-Request-Id', request.requestId);
    if (lifetime.stopping) res.setHeader('Connection', 'close');
    res.on('close', answered);
    if (refuseAmbiguous(req, res)) return;
    req.url = toOriginForm(req.url);
    next();
  };
}

/** Routes and statuses are few, so that each has its own instrument, found without building label objects. */
function durationsByRoute(
  metrics: Metrics,
): (method: string, route: string, status: number, seconds: number) => void {
  const durations = metrics.histogram({
    name: 'http_request_duration_seconds',
    help: 'Requests answered, by route and status.',
    labelNames: ['method', 'route', 'status'],
  });
  const known = new Map<string, { observe: (seconds: number) => void }>();
  return (method, route, status, seconds) => {
    const name = `${method} ${route} ${status}`;
    let instrument = known.get(name);
    if (instrument === undefined) {
      instrument = durations.labels(method, route, `${status}`);
      known.set(name, instrument);
    }
    instrument.observe(seconds);
  };
}

/** Refuses new connections, lets requests in flight finish, ends the rest after `stopMs`. */
async function stop(server: Server, stopMs: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  // Connections that become idle when their last reply is out do not close by themselves.
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  const bound = setTimeout(() => server.closeAllConnections(), stopMs);
  await closed;
  clearInterval(idle);
  clearTimeout(bound);
}
