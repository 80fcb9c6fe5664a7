/**
 * Trace ids and their W3C headers without OpenTelemetry's SDK, so that a process without a collector does not pay for it.
 * Format: https://www.w3.org/TR/trace-context/
 */
import { randomUUID } from 'node:crypto';
import {
  type Context,
  context,
  createTraceState,
  INVALID_TRACEID,
  isSpanContextValid,
  type Span,
  type SpanContext,
  type SpanOptions,
  type TextMapPropagator,
  TraceFlags,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';

/** A later version may have more fields; version `ff` is invalid. */
const traceparent =
  /^(?:00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})|(?!00|ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?)$/;

/** Reads and writes `traceparent` and `tracestate`. It drops `baggage`: that may be any text, and it would be stored with events and mails. */
export const traceContext: TextMapPropagator = {
  inject: (active, carrier, setter) => {
    const own = trace.getSpanContext(active);
    if (own === undefined || own.traceId === INVALID_TRACEID) return;
    const flags = (own.traceFlags & TraceFlags.SAMPLED) === 0 ? '00' : '01';
    setter.set(carrier, 'traceparent', `00-${own.traceId}-${own.spanId}-${flags}`);
    const state = own.traceState?.serialize() ?? '';
    if (state !== '') setter.set(carrier, 'tracestate', state);
  },
  extract: (active, carrier, getter) => {
    const given = getter.get(carrier, 'traceparent');
    if (typeof given !== 'string') return active;
    const [, ...fields] = traceparent.exec(given) ?? [];
    const [traceId = '', spanId = '', flags = ''] = fields.filter((field) => field !== undefined);
    const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
    const remote: SpanContext = { traceId, spanId, traceFlags, isRemote: true };
    if (!isSpanContextValid(remote)) return active;
    const state = getter.get(carrier, 'tracestate');
    // Anything over 512 characters is dropped, as the format allows.
    const traceState = typeof state === 'string' ? createTraceState(state) : undefined;
    return trace.setSpanContext(active, { ...remote, ...(traceState && { traceState }) });
  },
  fields: () => ['traceparent', 'tracestate'],
};

/** For a process without a collector: spans have ids, and nothing is recorded. */
export const idsOnly: TracerProvider = { getTracer: () => tracer };

const tracer: Tracer = {
  startSpan: (_name, _options, parent = context.active()) => trace.wrapSpanContext(below(parent)),
  startActiveSpan: (name: string, ...rest: readonly unknown[]) => {
    const work = rest.at(-1) as (span: Span) => never;
    const [options, parent = context.active()] = rest.slice(0, -1) as [SpanOptions?, Context?];
    const span = tracer.startSpan(name, options, parent);
    return context.with(trace.setSpan(parent, span), work, undefined, span);
  },
};

function below(parent: Context): SpanContext {
  const above = trace.getSpanContext(parent);
  const random = randomUUID();
  // Without the digits that say that it is a UUID.
  const spanId = `${random.slice(0, 8)}${random.slice(28)}`;
  return above !== undefined && above.traceId !== INVALID_TRACEID
    ? { ...above, spanId, isRemote: false }
    : { traceId: randomUUID().replaceAll('-', ''), spanId, traceFlags: TraceFlags.NONE };
}
