/** The thread in which OpenTelemetry's SDK records and sends spans, with its own settings. They arrive ended, in arrays; null is the last. */
import { parentPort, workerData } from 'node:worker_threads';
import {
  type Context,
  createTraceState,
  type HrTime,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { NodeSDK } from '@opentelemetry/sdk-node';
import { AlwaysOnSampler } from '@opentelemetry/sdk-trace';
import type { TraceIds } from './trace-context.ts';
import type { SpanRecord } from './traces.ts';

/** The SDK makes ids when a span starts. It gets those that the span has already. */
let started: TraceIds | undefined;
const sdk = new NodeSDK({
  ...(typeof workerData === 'string' && { serviceName: workerData }),
  idGenerator: {
    generateTraceId: () => started?.traceId ?? '',
    generateSpanId: () => started?.spanId ?? '',
  },
  // What arrives was chosen already.
  sampler: new AlwaysOnSampler(),
  // Headers are read and written by trace-context.ts.
  textMapPropagator: null,
  // Logs go to standard output, where the platform collects them; metrics are scraped.
  logRecordProcessors: [],
  metricReaders: [],
});
sdk.start();
const tracer = trace.getTracer('offer-ads');

parentPort?.on('message', (ended: readonly SpanRecord[] | null) => {
  if (ended === null) {
    parentPort?.close();
    return void sdk.shutdown();
  }
  for (const span of ended) record(span);
  parentPort?.postMessage('recorded');
});

function record({ ids, parent, kind, name, attributes, links, startMs, endMs, hasFailed }: SpanRecord): void {
  started = ids;
  const options = {
    kind: SpanKind[kind],
    startTime: timeOf(startMs),
    attributes,
    links: links.map((linked) => ({ context: spanContextOf(linked, true) })),
  };
  const span = tracer.startSpan(name, options, contextOf(ids, parent));
  if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(endMs === undefined ? undefined : timeOf(endMs));
}

function contextOf(ids: TraceIds, parent: SpanRecord['parent']): Context {
  if (parent === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(
    ROOT_CONTEXT,
    spanContextOf({ ...ids, spanId: parent.spanId }, parent.isRemote),
  );
}

function spanContextOf({ traceId, spanId, isSampled, state }: TraceIds, isRemote: boolean): SpanContext {
  const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  const traceState = state === undefined ? undefined : createTraceState(state);
  return { traceId, spanId, traceFlags, isRemote, ...(traceState && { traceState }) };
}

/** A single number would be read as a time of the other thread's clock. */
function timeOf(unixMs: number): HrTime {
  const seconds = Math.floor(unixMs / 1_000);
  return [seconds, Math.round((unixMs - seconds * 1_000) * 1e6)];
}
