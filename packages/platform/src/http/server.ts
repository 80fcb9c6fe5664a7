/**
 * The HTTP server of every service: request ids, logs, health, limits, plain errors and a graceful stop, around express or a faster path.
 * Before a route or the fast path sees a request, in this order: Node limits the head's size, the time of head and upload, and the number
 * of connections (`createHttpServer`); the request waits for earlier ones of its connection (pipelining.ts); its upload is watched
 * (errors.ts) and what nobody reads of it is bounded (request-bodies.ts); it gets its id, its trace and its line in the access log
 * (request.ts); what two servers could read differently is refused (ambiguous-requests.ts).
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import express, { type Express } from 'express';
import type { Clock } from '../process/clock.ts';
import { callerGoneStatus } from '../process/faults.ts';
import type { Logger } from '../telemetry/logging.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { inTraceOf } from '../telemetry/traces.ts';
import { refuseAmbiguous, toOriginForm } from './ambiguous-requests.ts';
import {
  answerBadRequests,
  answerFault,
  answerFaults,
  endCrawlingUploads,
  endStalledUploads,
  noteLatest,
  notFound,
  responseUnderWay,
} from './errors.ts';
import { healthRoutes, metricsRoute, type Readiness } from './health.ts';
import { announcedIdleMs, callerKeepsIdleMs } from './keep-alive.ts';
import { onePerConnection, type Serve } from './pipelining.ts';
import { accept, acceptedOf, probes, routeTemplate, usualMethod } from './request.ts';
import { endUnreadBody } from './request-bodies.ts';

export type HttpServer = AsyncDisposable & {
  readonly url: string;
  readonly port: number;
  /** Of the admin port; the same as `url` if there is none. */
  readonly adminUrl: string;
  /**
   * Call it before the stop: the server reports "not ready" but still serves, and each reply closes its connection. Resolves when no
   * connection is open, at the latest when callers have closed their idle ones.
   */
  readonly drain: () => Promise<void>;
};

export type HttpServerOptions = {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly readiness: Readiness;
  readonly routes: (app: Express) => void;
  /** Routes for staff, which together with `/metrics` have a port and an app of their own: a request to `port` can never reach them. */
  readonly admin?: { readonly port: number; readonly routes: (app: Express) => void };
  /** The public address of the service. If it is https, replies tell browsers to use only https (RFC 6797). */
  readonly publicUrl?: string | undefined;
  /** Serves some requests without express, because express takes as much time as everything else for them. */
  readonly fastPath?: FastPath;
  /** An upload is refused when no byte came for this long (decision 23, deadlines and outages). */
  readonly stallMs?: number;
  /** An upload is refused when it brought fewer than `minUploadBytes` in a whole window of this length. */
  readonly crawlWindowMs?: number;
  /** An upload is refused after this long, at any speed. */
  readonly uploadMs?: number;
  /** How long requests in progress may take when the server stops, including the draining. */
  readonly stopMs?: number;
  readonly drainMs?: number;
};

/** Returns the handler for a request, or null to leave it to the routes. A rejection is answered like the error of a route. */
export type FastPath = (req: IncomingMessage) => ((res: ServerResponse) => Promise<void>) | null;

/** Decision 23, deadlines and outages: 15 s without a byte. */
const defaultStallMs = 15_000;
/** Longer than a phone has no network in a tunnel. In this time the slowest network sends ten times `minUploadBytes`. */
const defaultCrawlWindowMs = 10_000;
/** The largest picture at 90 KB a second, the speed of a poor mobile connection. */
const defaultUploadMs = 60_000;
/** One year. Only for this host, because other hosts of the domain may belong to others. */
const strictTransport = 'max-age=31536000';
/** One second more than the longest request (a creation). */
const defaultStopMs = 26_000;
/** Far more than a busy service has. This many idle connections take about 200 MB; further ones are refused. */
const maxConnections = 10_000;
/** Longer than clients keep idle connections that do not read what is announced, so that they close first too. */
const keepAliveMs = 65_000;
/** Callers close idle connections after `callerKeepsIdleMs`; two seconds are added so that they close first. */
const defaultDrainMs = callerKeepsIdleMs + 2_000;
/** A new connection that has sent no byte for this long is not sending a request. */
const silentMs = 500;

export async function startHttpServer(o: HttpServerOptions): Promise<HttpServer> {
  const lifetime: Lifetime = { open: new Map(), stoppingSinceMs: undefined };
  const servers: Server[] = [];
  const stopAll = async () => {
    const leftMs = (o.stopMs ?? defaultStopMs) - (performance.now() - beginToStop(lifetime));
    await Promise.all(servers.map((server) => stop(server, lifetime, Math.max(0, leftMs))));
  };
  const listen = async (port: number, fastPath: FastPath | undefined, routes: (app: Express) => void) => {
    const app = express();
    app.disable('etag');
    app.disable('x-powered-by');
    app.set('query parser', 'simple');
    healthRoutes(app, { ...o, stopping: () => lifetime.stoppingSinceMs !== undefined });
    routes(app);
    app.use(notFound);
    app.use(answerFaults(o.logger));
    const server = createHttpServer(o, lifetime, receiveRequests({ ...o, fastPath }, app, lifetime));
    server.listen({ port, host: o.host });
    await once(server, 'listening');
    servers.push(server);
    const { port: bound } = server.address() as AddressInfo;
    return { port: bound, url: `http://${o.host.includes(':') ? `[${o.host}]` : o.host}:${bound}` };
  };

  const { admin } = o;
  // First, so that the service has its admin routes when the first request of others comes.
  const adminSide =
    admin &&
    (await listen(admin.port, undefined, (app) => {
      metricsRoute(app, o.metrics);
      admin.routes(app);
    }));
  const { port, url } = await listen(o.port, o.fastPath, o.routes).catch(async (error: unknown) => {
    await stopAll();
    throw error;
  });
  const crawlWatch = setInterval(
    () => endCrawlingUploads(lifetime.open.keys()),
    o.crawlWindowMs ?? defaultCrawlWindowMs,
  );
  o.logger.info({ address: url, adminAddress: adminSide?.url }, 'listening');
  return {
    url,
    port,
    adminUrl: adminSide?.url ?? url,
    drain: async () => {
      beginToStop(lifetime);
      const giveUpAt = performance.now() + (o.drainMs ?? defaultDrainMs);
      while (lifetime.open.size > 0 && performance.now() < giveUpAt) await pause(50);
    },
    [Symbol.asyncDispose]: async () => {
      await stopAll();
      clearInterval(crawlWatch);
    },
  };
}

function createHttpServer(o: HttpServerOptions, lifetime: Lifetime, receive: Serve): Server {
  const uploadMs = o.uploadMs ?? defaultUploadMs;
  const server = createServer({
    headersTimeout: Math.min(10_000, uploadMs),
    requestTimeout: uploadMs,
    connectionsCheckingInterval: Math.min(1_000, uploadMs),
    keepAliveTimeout: announcedIdleMs,
    keepAliveTimeoutBuffer: keepAliveMs - announcedIdleMs,
    maxHeaderSize: 16 * 1024,
    // Node's own refusal has neither a body nor a request id: see `refuseAmbiguous`.
    requireHostHeader: false,
  });
  server.maxHeadersCount = 100;
  server.maxConnections = maxConnections;
  server.timeout = o.stallMs ?? defaultStallMs;
  server.on('connection', (socket: Socket) => {
    lifetime.open.set(socket, performance.now());
    socket.once('close', () => lifetime.open.delete(socket));
  });
  const serve = onePerConnection((req, res) => {
    endStalledUploads(req, res);
    endUnreadBody(req, res);
    receive(req, res);
  });
  server.on('request', (req, res) => {
    noteLatest(req, res);
    serve(req, res);
  });
  // Ignore unknown `Expect` headers: Node's own refusal would lack the headers that every reply has.
  server.on('checkExpectation', (req, res) => server.emit('request', req, res));
  answerBadRequests(server);
  return server;
}

type Lifetime = {
  /** Connections, and when they were opened. */
  readonly open: Map<Socket, number>;
  stoppingSinceMs: number | undefined;
};

/** From now on each reply closes its connection, also replies to requests in progress. */
function beginToStop(lifetime: Lifetime): number {
  if (lifetime.stoppingSinceMs === undefined) {
    lifetime.stoppingSinceMs = performance.now();
    for (const socket of lifetime.open.keys()) {
      const res = responseUnderWay(socket);
      if (res !== undefined) res.shouldKeepAlive = false;
    }
  }
  return lifetime.stoppingSinceMs;
}

/** Adds facts, the reply's request id, access log and metrics to every request, then passes it to its handler. */
function receiveRequests(
  o: Pick<HttpServerOptions, 'logger' | 'metrics' | 'clock' | 'publicUrl'> & {
    readonly fastPath: FastPath | undefined;
  },
  app: Express,
  lifetime: Lifetime,
): Serve {
  const isSecure = o.publicUrl?.startsWith('https://') === true;
  const durations = o.metrics.histogram({
    name: 'http_request_duration_seconds',
    help: 'Requests answered, by route and status.',
    labelNames: ['method', 'route', 'status'],
  });

  // One function for all requests: `this` is the response.
  function answered(this: ServerResponse): void {
    const { req } = this;
    const request = acceptedOf(req);
    const durationMs = performance.now() - request.startedAtMs;
    const aborted = !this.writableFinished;
    if (aborted) request.callerLeft();
    const status = aborted && !this.headersSent ? callerGoneStatus : this.statusCode;
    const { method = '' } = req;
    const route = routeTemplate(req);
    durations.observe({ method: usualMethod(method), route, status }, durationMs / 1_000);
    const { logged, requestId } = request;
    const line = { ...logged, requestId, method, route, status, durationMs: Math.round(durationMs), aborted };
    o.logger.info(line, 'request');
  }

  function receive(req: IncomingMessage, res: ServerResponse): void {
    const request = accept(req, o.clock.now());
    res.setHeader('X-Request-Id', request.requestId);
    if (isSecure) res.setHeader('Strict-Transport-Security', strictTransport);
    if (lifetime.stoppingSinceMs !== undefined) res.shouldKeepAlive = false;
    res.on('close', answered);
    // A stream that is piped to an admin's reply has seven beside ours.
    res.setMaxListeners(20);
    if (refuseAmbiguous(req, res)) return;
    req.url = toOriginForm(req.url ?? '');
    const serve = o.fastPath?.(req) ?? null;
    if (serve === null) app(req, res);
    else serve(res).catch((error: unknown) => answerFault(o.logger, error, res));
  }

  return (req, res) => {
    if (probes.has(req.url ?? '')) receive(req, res);
    else inTraceOf(req.headers, () => receive(req, res));
  };
}

/** Refuses new connections, waits for requests in progress, and cuts the rest after `stopMs`. */
async function stop(server: Server, { open }: Lifetime, stopMs: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const endIdle = () => {
    server.closeIdleConnections();
    // Node does not count a connection without any request as idle. Load balancers and browsers open such connections.
    for (const [socket, sinceMs] of open)
      if (socket.bytesRead === 0 && performance.now() - sinceMs > silentMs) socket.destroy();
  };
  endIdle();
  // Connections that become idle after their last reply do not close by themselves.
  const idle = setInterval(endIdle, 100);
  const bound = setTimeout(() => server.closeAllConnections(), stopMs);
  await closed;
  clearInterval(idle);
  clearTimeout(bound);
}
