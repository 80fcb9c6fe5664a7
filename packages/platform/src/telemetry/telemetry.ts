/**
 * Loaded before everything else: `node --import @offer-ads/platform/telemetry/telemetry src/main.ts`. Without a collector it only gives requests
 * trace ids. With one, the SDK is loaded, and hooks for the drivers of databases: these must be registered before any driver is imported.
 */
import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { telemetryEndpoint } from '../config/config.ts';
import { idsOnly, traceContext } from './trace-context.ts';

if (telemetryEndpoint() === undefined) {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(traceContext);
  trace.setGlobalTracerProvider(idsOnly);
} else await startSdk();

async function startSdk(): Promise<void> {
  const { register } = await import('import-in-the-middle/register-hooks.mjs');
  // Only the drivers have hooks, so no other module needs to be wrapped.
  register({ include: ['pg', 'pg-pool', 'mongodb'] });
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const { PgInstrumentation } = await import('@opentelemetry/instrumentation-pg');
  const { MongoDBInstrumentation } = await import('@opentelemetry/instrumentation-mongodb');
  const sdk = new NodeSDK({
    // `services/offers/src/main.ts` is `offers`, unless OTEL_SERVICE_NAME says otherwise.
    ...(process.env.OTEL_SERVICE_NAME
      ? {}
      : { serviceName: /services[\\/]([a-z]+)[\\/]/.exec(process.argv[1] ?? '')?.[1] ?? 'offer-ads' }),
    textMapPropagator: traceContext,
    // Logs go to standard output, where the platform collects them; metrics are scraped.
    logRecordProcessors: [],
    metricReaders: [],
    // Requests, calls and events have spans by hand (traces.ts, http/server.ts, messaging/broker), because hooks for these double the
    // processor time of a small request, recorded or not. Repeated background work has no parent span and creates no spans.
    instrumentations: [
      new PgInstrumentation({ requireParentSpan: true, ignoreConnectSpans: true }),
      // Without the statement: its keys may be personal data.
      new MongoDBInstrumentation({ requireParentSpan: true, dbStatementSerializer: () => '' }),
    ],
  });
  sdk.start();
  // The event loop is empty and everything is disposed: send the last spans.
  process.once('beforeExit', () => void sdk.shutdown());
}
