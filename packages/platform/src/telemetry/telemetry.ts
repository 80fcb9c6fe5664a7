/**
 * Loaded before everything else: `node --import @offer-ads/platform/telemetry src/main.ts`. The hooks must be in place
 * before any instrumented package is imported, therefore the SDK is imported dynamically, after them.
 */
import { register } from 'import-in-the-middle/register-hooks.mjs';
import { telemetryEndpoint } from '../config/config.ts';

register();

const { SamplingDecision } = await import('@opentelemetry/api');
const { W3CTraceContextPropagator } = await import('@opentelemetry/core');
const { NodeSDK } = await import('@opentelemetry/sdk-node');
const { HttpInstrumentation } = await import('@opentelemetry/instrumentation-http');
const { ExpressInstrumentation, ExpressLayerType } = await import('@opentelemetry/instrumentation-express');
const { PgInstrumentation } = await import('@opentelemetry/instrumentation-pg');
const { MongoDBInstrumentation } = await import('@opentelemetry/instrumentation-mongodb');
const { AmqplibInstrumentation } = await import('@opentelemetry/instrumentation-amqplib');
const { UndiciInstrumentation } = await import('@opentelemetry/instrumentation-undici');
const { tellingOwnAlone } = await import('./traces.ts');

/** Never called, but with no processor at all the SDK would make no ids. */
const keepNothing = {
  onStart: () => {},
  onEnd: () => {},
  forceFlush: async () => {},
  shutdown: async () => {},
};

/** Without a collector requests have their trace ids, in logs and towards other services, and nothing else is recorded. */
const idsOnly = {
  spanProcessors: [keepNothing],
  sampler: { shouldSample: () => ({ decision: SamplingDecision.NOT_RECORD }), toString: () => 'ids only' },
};

const probes = new Set(['/livez', '/readyz', '/metrics']);

/**
 * Paths hold ids and what opens something, and addresses tell who called. Spans leave this machine: of requests they know the
 * route, of calls the service.
 */
const noAddresses = { 'url.full': '', 'url.path': '', 'url.query': '', 'user_agent.original': '' };
const nothingOfTheCaller = { ...noAddresses, 'client.address': '', 'network.peer.address': '' };

const sdk = new NodeSDK({
  // `services/offers/src/main.ts` is `offers`, unless OTEL_SERVICE_NAME says otherwise.
  ...(process.env.OTEL_SERVICE_NAME
    ? {}
    : { serviceName: /services[\\/]([a-z]+)[\\/]/.exec(process.argv[1] ?? '')?.[1] ?? 'offer-ads' }),
  // Without an endpoint the default exporters would hold up every exit by seconds.
  ...(telemetryEndpoint() === undefined ? idsOnly : {}),
  // A caller's trace is taken up, its `baggage` is not: that is any text of anybody, and would be passed on to every service, into
  // outboxes and mails that wait.
  textMapPropagator: tellingOwnAlone(new W3CTraceContextPropagator()),
  // Logs go to standard output, where the platform collects them; metrics are scraped.
  logRecordProcessors: [],
  metricReaders: [],
  // What repeats by itself, such as a look into a store, belongs to nobody's request: without a parent it makes no spans.
  instrumentations: [
    new HttpInstrumentation({
      ignoreIncomingRequestHook: (req) => probes.has(req.url ?? ''),
      startIncomingSpanHook: () => nothingOfTheCaller,
      startOutgoingSpanHook: () => noAddresses,
      requireParentforOutgoingSpans: true,
    }),
    // For the names of routes alone: a span for each function that a request passes tells nobody anything.
    new ExpressInstrumentation({
      ignoreLayersType: [
        ExpressLayerType.ROUTER,
        ExpressLayerType.MIDDLEWARE,
        ExpressLayerType.REQUEST_HANDLER,
      ],
    }),
    new PgInstrumentation({ requireParentSpan: true, ignoreConnectSpans: true }),
    // Without the statement: its keys may be anybody's data.
    new MongoDBInstrumentation({ requireParentSpan: true, dbStatementSerializer: () => '' }),
    new AmqplibInstrumentation(),
    new UndiciInstrumentation({ startSpanHook: () => noAddresses, requireParentforSpans: true }),
  ],
});
sdk.start();

// The event loop is empty: everything has been disposed of, the last spans may leave.
process.once('beforeExit', () => void sdk.shutdown());
