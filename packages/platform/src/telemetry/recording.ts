/** Recording of spans, for a process with a collector: OpenTelemetry's SDK, and its instrumentations of HTTP and of the two drivers. */
import type { IncomingMessage } from 'node:http';
import {
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  type TextMapPropagator,
  trace,
} from '@opentelemetry/api';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { MongoDBInstrumentation } from '@opentelemetry/instrumentation-mongodb';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { NodeSDK } from '@opentelemetry/sdk-node';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { register } from 'import-in-the-middle/register-hooks.mjs';
import { probes, routeTemplate, usualMethod } from '../http/request.ts';
import { restingTrace, traceIn } from './traces.ts';

/** How long the end of the process waits until the last spans are sent. */
const lastSpansMs = 3_000;

export async function startRecording(env: NodeJS.ProcessEnv): Promise<void> {
  // Without it, drivers that are imported as ES modules would be loaded unchanged.
  register({ include: ['mongodb', 'pg', /^(node:)?https?$/] });
  const sdk = new NodeSDK({
    // `services/offers/src/main.ts` is `offers`.
    ...(env.OTEL_SERVICE_NAME === undefined && {
      serviceName: /services[\\/]([a-z]+)[\\/]/.exec(process.argv[1] ?? '')?.[1] ?? 'offer-ads',
    }),
    traceExporter: tellingLittle(await exporterFor(env.OTEL_EXPORTER_OTLP_PROTOCOL)),
    textMapPropagator: intoThisProcess,
    instrumentations: [
      new HttpInstrumentation({
        ignoreIncomingRequestHook: ({ url = '' }) => probes.has(url),
        requireParentforOutgoingSpans: true,
        applyCustomAttributesOnSpan: (span, request) => {
          if ('httpVersion' in request) nameByRoute(span, request);
        },
      }),
      new UndiciInstrumentation({ requireParentforSpans: true, requestHook: callIsParent }),
      new PgInstrumentation({ requireParentSpan: true, ignoreConnectSpans: true }),
      new MongoDBInstrumentation({ dbStatementSerializer: () => '' }),
    ],
    // Logs go to standard output, where the platform collects them; metrics are scraped.
    logRecordProcessors: [],
    metricReaders: [],
  });
  sdk.start();
  // The event loop is empty and everything is disposed: send the last spans.
  process.once('beforeExit', () => {
    setTimeout(() => process.exit(), lastSpansMs).unref();
    void sdk.shutdown();
  });
}

/** Calls carry the trace only where our code adds it, so other companies cannot get it by mistake. */
const intoThisProcess: TextMapPropagator = {
  inject: () => {},
  extract: (context: Context, headers: Record<string, unknown>) => {
    const parent = traceIn(headers);
    return parent === null ? context : trace.setSpanContext(context, parent);
  },
  fields: () => [],
};

/** Where our code has added the trace, the called service continues the call instead of the request that makes the call. */
function callIsParent(span: Span, request: { headers: unknown }): void {
  if (!Array.isArray(request.headers)) return;
  const headers: unknown[] = request.headers;
  const at = headers.indexOf('traceparent');
  const { traceparent } = restingTrace(trace.setSpan(ROOT_CONTEXT, span));
  if (at !== -1 && traceparent !== undefined) headers[at + 1] = traceparent;
}

function nameByRoute(span: Span, request: IncomingMessage): void {
  const route = routeTemplate(request);
  span.updateName(`${usualMethod(request.method)} ${route}`);
  span.setAttribute('http.route', route);
}

async function exporterFor(protocol = 'http/protobuf'): Promise<SpanExporter> {
  switch (protocol) {
    case 'http/protobuf':
      return new (await import('@opentelemetry/exporter-trace-otlp-proto')).OTLPTraceExporter();
    case 'http/json':
      return new (await import('@opentelemetry/exporter-trace-otlp-http')).OTLPTraceExporter();
    case 'grpc':
      return new (await import('@opentelemetry/exporter-trace-otlp-grpc')).OTLPTraceExporter();
    default:
      throw new Error(
        `OTEL_EXPORTER_OTLP_PROTOCOL is ${protocol}, and must be http/protobuf, http/json or grpc`,
      );
  }
}

/** Everything else stays here: paths and query strings hold ids and credentials, addresses identify callers. */
const told: ReadonlySet<string> = new Set([
  'db.collection.name',
  'db.operation.name',
  'db.query.text',
  'db.system.name',
  'error.type',
  'http.request.method',
  'http.response.status_code',
  'http.route',
  'mail.attempt',
  'mail.event',
  'mail.outcome',
  'messaging.batch.message_count',
  'webhook.attempt',
  'webhook.outcome',
  'webhook.type',
]);

/** An exporter that gets no more attributes than these, and no texts of errors. */
function tellingLittle(exporter: SpanExporter): SpanExporter {
  const reduced = (span: ReadableSpan): ReadableSpan => {
    const attributes = Object.entries(span.attributes).filter(
      // That of a server is what its caller sent as `Host`.
      ([name]) => told.has(name) || (name === 'server.address' && span.kind === SpanKind.CLIENT),
    );
    return Object.create(span, {
      attributes: { value: Object.fromEntries(attributes) },
      events: { value: [] },
      status: { value: { code: span.status.code } },
    }) as ReadableSpan;
  };
  return {
    export: (spans, done) => exporter.export(spans.map(reduced), done),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
