/**
 * Loaded before everything else: `node --import @offer-ads/platform/telemetry src/main.ts`. The hooks must be registered before any
 * instrumented package is imported. Therefore the SDK is imported dynamically, after them.
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
const { skipOutsideCalls } = await import('./traces.ts');

/** Does nothing, but without any processor the SDK would create no ids. */
const keepNothing = {
  onStart: () => {},
  onEnd: () => {},
  forceFlush: async () => {},
  shutdown: async () => {},
};

/** Without a collector, requests still have trace ids in logs and in calls to other services. Nothing else is recorded. */
const idsOnly = {
  spanProcessors: [keepNothing],
  sampler: { shouldSample: () => ({ decision: SamplingDecision.NOT_RECORD }), toString: () => 'ids only' },
};

const probes = new Set(['/livez', '/readyz', '/metrics']);

/**
 * Spans leave this machine, so they must not hold paths (these contain ids and credentials) and network addresses (these identify callers).
 * A span of a request has its route, a span of a call has the service's name.
 */
const noAddresses = { 'url.full': '', 'url.path': '', 'url.query': '', 'user_agent.original': '' };
const nothingOfTheCaller = { ...noAddresses, 'client.address': '', 'network.peer.address': '' };

const sdk = new NodeSDK({
  // `services/offers/src/main.ts` is `offers`, unless OTEL_SERVICE_NAME says otherwise.
  ...(process.env.OTEL_SERVICE_NAME
    ? {}
    : { serviceName: /services[\\/]([a-z]+)[\\/]/.exec(process.argv[1] ?? '')?.[1] ?? 'offer-ads' }),
  // Without an endpoint the default exporters would delay every exit by seconds.
  ...(telemetryEndpoint() === undefined ? idsOnly : {}),
  // A caller's trace is continued, but its `baggage` is dropped: it may be any text, and it would be passed on to every service and stored
  // with events and mails.
  textMapPropagator: skipOutsideCalls(new W3CTraceContextPropagator()),
  // Logs go to standard output, where the platform collects them; metrics are scraped.
  logRecordProcessors: [],
  metricReaders: [],
  // Repeated background work, such as polling a store, has no parent span and creates no spans.
  instrumentations: [
    new HttpInstrumentation({
      ignoreIncomingRequestHook: (req) => probes.has(req.url ?? ''),
      startIncomingSpanHook: () => nothingOfTheCaller,
      startOutgoingSpanHook: () => noAddresses,
      requireParentforOutgoingSpans: true,
    }),
    // Only for the names of routes: a span for each middleware function would be useless.
    new ExpressInstrumentation({
      ignoreLayersType: [
        ExpressLayerType.ROUTER,
        ExpressLayerType.MIDDLEWARE,
        ExpressLayerType.REQUEST_HANDLER,
      ],
    }),
    new PgInstrumentation({ requireParentSpan: true, ignoreConnectSpans: true }),
    // Without the statement: its keys may be personal data.
    new MongoDBInstrumentation({ requireParentSpan: true, dbStatementSerializer: () => '' }),
    new AmqplibInstrumentation(),
    new UndiciInstrumentation({ startSpanHook: () => noAddresses, requireParentforSpans: true }),
  ],
});
sdk.start();

// The event loop is empty and everything is disposed: send the last spans.
process.once('beforeExit', () => void sdk.shutdown());
