/** An express server with what every service owes its callers: ids, logs, health, limits, plain errors, a graceful stop. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { requestBudgetHeader, requestIdHeader } from '@offer-ads/contracts/caller-context';
import type { ServiceName } from '@offer-ads/contracts/primitives';
import express, { type Express, type Request, type RequestHandler } from 'express';
import type { Clock } from './clock.ts';
import { callerPresence, createDeadline, type Deadline } from './deadline.ts';
import { callerGoneStatus } from './faults.ts';
import { answerBadRequests, answerFaults, endStalledUploads, notFound } from './http-errors.ts';
import { healthRoutes, type Readiness } from './http-health.ts';
import type { Logger } from './logging.ts';
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
  server.timeout = o.stallMs ?? defaultStallMs;
  server.on('request', endStalledUploads);
  server.on('request', app);
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

export type RequestFacts = {
  readonly requestId: string;
  /** `now` for the whole request: frozen when it arrived (decision 8). */
  readonly receivedAt: Date;
  /** What the caller still waits, counted from when the body had arrived. Ask after the body has been read. */
  readonly deadline: () => Deadline;
};

export function requestFacts(req: Request): RequestFacts {
  const known = facts.get(req);
  if (known === undefined) throw new Error('requestFacts needs a request of startHttpServer');
  return known;
}

/** The route's pattern, without ids or query string: what logs and metrics may hold. */
export function routeTemplate(req: Request): string {
  const path: unknown = req.route?.path;
  return typeof path === 'string' ? `${req.baseUrl}${path}` : 'unmatched';
}

const facts = new WeakMap<Request, RequestFacts>();

/** What callers may send as a request id; anything else is replaced, so that logs hold no text of theirs. */
const wellFormedRequestId = /^[A-Za-z0-9._-]{8,64}$/;
/** The longest budget: a creation (decision 23). */
const longestBudgetMs = 25_000;

/** First middleware: gives the request its facts, its id in the reply, its line in the access log, its metrics. */
function acceptRequest(o: HttpServerOptions, lifetime: { readonly stopping: boolean }): RequestHandler {
  const durations = o.metrics.histogram({
    name: 'http_request_duration_seconds',
    help: 'Requests answered, by route and status.',
    labelNames: ['method', 'route', 'status'],
  });
  return (req, res, next) => {
    const startedAt = performance.now();
    const given = req.get(requestIdHeader) ?? '';
    const requestId = wellFormedRequestId.test(given) ? given : randomUUID();
    let deadline: Deadline | undefined;
    const caller = callerPresence();
    const startDeadline = () => (deadline ??= createDeadline(budgetMs(req), caller));
    facts.set(req, { requestId, receivedAt: o.clock.now(), deadline: startDeadline });
    req.once('end', startDeadline);
    res.setHeader('X-Request-Id', requestId);
    if (lifetime.stopping) res.setHeader('Connection', 'close');
    res.once('close', () => {
      const durationMs = performance.now() - startedAt;
      const aborted = !res.writableFinished;
      if (aborted) caller.leave();
      const status = aborted && !res.headersSent ? callerGoneStatus : res.statusCode;
      const call = { method: req.method, route: routeTemplate(req), status };
      durations.observe(call, durationMs / 1_000);
      o.logger.info({ requestId, ...call, durationMs: Math.round(durationMs), aborted }, 'request');
    });
    next();
  };
}

function budgetMs(req: Request): number {
  const given = Number(req.get(requestBudgetHeader) ?? longestBudgetMs);
  return Number.isFinite(given) ? Math.min(Math.max(0, given), longestBudgetMs) : longestBudgetMs;
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
