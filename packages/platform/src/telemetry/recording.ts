/** Recording of spans, for a process with a collector: OpenTelemetry's SDK, and its instrumentations of HTTP and of the two drivers. */
import type { IncomingMessage } from 'node:http';
import { ROOT_CONTEXT, type Span, SpanKind, type TextMapPropagator, trace } from '@opentelemetry/api';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { MongoDBInstrumentation } from '@opentelemetry/instrumentation-mongodb';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { NodeSDK } from '@opentelemetry/sdk-node';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import { register } from 'import-in-the-middle/register-hooks.mjs';
import { probes, routeTemplate, usualMethod } from '../http/request.ts';
import { continued, restingTrace, traceIn } from './traces.ts';

const exporters = {
  'http/protobuf': () => import('@opentelemetry/exporter-trace-otlp-proto'),
  'http/json': () => import('@opentelemetry/exporter-trace-otlp-http'),
  grpc: () => import('@opentelemetry/exporter-trace-otlp-grpc'),
};

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

export async function startRecording(env: NodeJS.ProcessEnv): Promise<void> {
  // Without it, drivers that are imported as ES modules would be loaded unchanged.
  register({ include: ['mongodb', 'pg', /^(node:)?https?$/] });
  const protocol = env.OTEL_EXPORTER_OTLP_PROTOCOL ?? 'http/protobuf';
  if (!Object.hasOwn(exporters, protocol))
    throw new Error(`OTEL_EXPORTER_OTLP_PROTOCOL must be one of ${Object.keys(exporters).join(', ')}`);
  const { OTLPTraceExporter } = await exporters[protocol as keyof typeof exporters]();
  const exporter = new OTLPTraceExporter();
  const send = exporter.export.bind(exporter);
  exporter.export = (spans, done) => send(spans.map(reduced), done);
  // `services/offers/src/main.ts` is `offers`.
  const [, service = 'offer-ads'] = /services[\\/]([a-z]+)[\\/]/.exec(process.argv[1] ?? '') ?? [];
  const sdk = new NodeSDK({
    serviceName: env.OTEL_SERVICE_NAME ?? service,
    traceExporter: exporter,
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
  // The event loop is empty and everything is disposed: send the last spans, within the 3 s that a process has for its end.
  process.once('beforeExit', () => void sdk.shutdown());
}

/** Calls carry the trace only where our code adds it, so other companies cannot get it by mistake. */
const intoThisProcess: TextMapPropagator = {
  inject: () => {},
  extract: (context, headers) => continued(traceIn(headers as Record<string, unknown>), context),
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

/** The span with no more attributes than those told, and no texts of errors. */
function reduced(span: ReadableSpan): ReadableSpan {
  const attributes = Object.entries(span.attributes).filter(
    // The address of a server is what its caller sent as `Host`.
    ([name]) => told.has(name) || (name === 'server.address' && span.kind === SpanKind.CLIENT),
  );
  return Object.create(span, {
    attributes: { value: Object.fromEntries(attributes) },
    events: { value: [] },
    status: { value: { code: span.status.code } },
  }) as ReadableSpan;
}
