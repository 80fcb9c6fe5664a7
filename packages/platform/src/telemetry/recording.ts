/** Recording of spans by OpenTelemetry's SDK, for a process with a collector. */
import {
  type Context,
  type ContextManager,
  createTraceState,
  isSpanContextValid,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { MongoDBInstrumentation } from '@opentelemetry/instrumentation-mongodb';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { newSpanId, newTraceId, type TraceIds } from './trace-context.ts';
import { currentSpan, inNoTrace, inSpanOf, type Recorded, type Recorder, type Span } from './traces.ts';

/**
 * Starts the SDK and its hooks for drivers, which must not have been imported yet. The last spans are sent before the process ends.
 * @param o.sampler `OTEL_TRACES_SAMPLER`
 */
export function startRecording(o: {
  serviceName: string | undefined;
  sampler: string | undefined;
}): Recorder {
  const sdk = new NodeSDK({
    ...(o.serviceName !== undefined && { serviceName: o.serviceName }),
    contextManager,
    idGenerator: { generateTraceId: newTraceId, generateSpanId: newSpanId },
    // Headers are read and written by trace-context.ts.
    textMapPropagator: null,
    // Logs go to standard output, where the platform collects them; metrics are scraped.
    logRecordProcessors: [],
    metricReaders: [],
    // Requests, calls and events have spans by hand (traces.ts), because hooks for these double the processor time of a small request,
    // recorded or not. Work that is not recorded has no parent span for the hooks, so they do nothing.
    instrumentations: [
      new PgInstrumentation({ requireParentSpan: true, ignoreConnectSpans: true }),
      // Without the statement: its keys may be personal data.
      new MongoDBInstrumentation({ requireParentSpan: true, dbStatementSerializer: () => '' }),
    ],
  });
  sdk.start();
  // The event loop is empty and everything is disposed: send the last spans.
  process.once('beforeExit', () => void sdk.shutdown());
  const tracer = trace.getTracer('offer-ads');
  // Asked again, the sampler would answer the same after ten times as long.
  const parentDecides = !samplersWithoutParent.has(o.sampler ?? '');
  return {
    begin: ({ name, kind, attributes, links }, parent) => {
      if (parentDecides && parent !== null && 'traceId' in parent && !parent.isSampled) return undefined;
      const options = {
        kind: SpanKind[kind],
        ...(attributes !== undefined && { attributes }),
        ...(links !== undefined && { links: links.map((ids) => ({ context: spanContextOf(ids) })) }),
      };
      const span = tracer.startSpan(name, options, contextOf(parent));
      const ids = span.spanContext();
      if (span.isRecording()) return spanOf(ids, { span, context: trace.setSpan(ROOT_CONTEXT, span) });
      return isSpanContextValid(ids) ? spanOf(ids, undefined) : undefined;
    },
    end: (span, { name, attributes, hasFailed = false }) => {
      if (name !== undefined) span.updateName(name);
      if (attributes !== undefined) span.setAttributes(attributes);
      if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

/** All others keep to the decision of a remote parent. */
const samplersWithoutParent: ReadonlySet<string> = new Set(['always_on', 'always_off', 'traceidratio']);

/** Only recorded spans are in OpenTelemetry's context; a context without a span is the empty one. */
const contextManager: ContextManager = Object.assign(new AsyncLocalStorageContextManager(), {
  active: () => currentSpan()?.recorded?.context ?? ROOT_CONTEXT,
  with: <A extends unknown[], F extends (...args: A) => ReturnType<F>>(
    context: Context,
    work: F,
    thisArg?: ThisParameterType<F>,
    ...args: A
  ): ReturnType<F> => {
    const span = trace.getSpan(context);
    const run = () => work.apply(thisArg, args);
    return span === undefined ? inNoTrace(run) : inSpanOf(spanOf(span.spanContext(), { span, context }), run);
  },
});

function spanOf(ids: SpanContext, recorded: Recorded | undefined): Span {
  const { traceId, spanId, traceFlags, traceState } = ids;
  const isSampled = (traceFlags & TraceFlags.SAMPLED) !== 0;
  return { traceId, spanId, isSampled, state: traceState?.serialize(), recorded };
}

function contextOf(parent: Context | TraceIds | null): Context {
  if (parent === null) return ROOT_CONTEXT;
  return 'traceId' in parent ? trace.setSpanContext(ROOT_CONTEXT, spanContextOf(parent)) : parent;
}

function spanContextOf({ traceId, spanId, isSampled, state }: TraceIds): SpanContext {
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  const traceState = state === undefined ? undefined : createTraceState(state);
  return { traceId, spanId, traceFlags, isRemote: true, ...(traceState && { traceState }) };
}
