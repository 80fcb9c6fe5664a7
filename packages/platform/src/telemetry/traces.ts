/** Traces, by OpenTelemetry's API: ids of the current work, and how a trace goes on in other services and in work that is done later. */
import { randomUUID } from 'node:crypto';
import {
  type Attributes,
  type Context,
  context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';

/** W3C trace context as text fields (`traceparent`, `tracestate`); empty when nothing is traced. */
export type RestingTrace = { readonly traceparent?: string; readonly tracestate?: string };

export type Spanned = {
  readonly kind: 'SERVER' | 'CLIENT' | 'PRODUCER' | 'CONSUMER';
  /** Without ids and without texts of advertisers. */
  readonly name: string;
  readonly attributes?: Attributes;
  /** Other traces that this work belongs to. */
  readonly links?: readonly SpanContext[];
  /** Work of another process or of the past that this continues. Null begins a new trace; by default it continues the current one. */
  readonly parent?: SpanContext | null;
};

/** A span that is not recorded: with the ids of its parent, or new ones. */
const idsOf = (parent: SpanContext | null | undefined) =>
  trace.wrapSpanContext(
    parent ?? {
      // Node makes these out of a stock of random bytes, which costs a tenth of asking for the bytes.
      traceId: randomUUID().replaceAll('-', ''),
      spanId: randomUUID().replaceAll('-', '').slice(16),
      traceFlags: TraceFlags.NONE,
    },
  );
const idsOnly: Pick<Tracer, 'startSpan'> = {
  startSpan: (_name, _options, parent = context.active()) => idsOf(trace.getSpanContext(parent)),
};

/** For a process without a collector. Without it, as in tests, nothing has a trace. */
export function startTracing(): void {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider({ getTracer: () => idsOnly as Tracer });
}

/** Runs the work in a span that ends with it. The outcome gives further attributes. */
export async function inSpan<T>(
  { kind, name, attributes = {}, links = [], parent }: Spanned,
  work: () => Promise<T>,
  outcomeOf?: (result: T) => Attributes,
): Promise<T> {
  const before = parent === undefined ? context.active() : continued(parent);
  const options = { kind: SpanKind[kind], attributes, links: links.map((each) => ({ context: each })) };
  const span = trace.getTracer('offer-ads').startSpan(name, options, before);
  try {
    const result = await context.with(trace.setSpan(before, span), work);
    if (outcomeOf !== undefined) span.setAttributes(outcomeOf(result));
    return result;
  } catch (error) {
    // Only the fact: the text of an error may be personal.
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

/** Runs a request in its trace. With a collector the instrumentation of node:http has begun it already. */
export function inTraceOf(headers: Readonly<Record<string, unknown>>, work: () => void): void {
  if (trace.getActiveSpan() !== undefined) return work();
  context.with(trace.setSpan(ROOT_CONTEXT, idsOf(traceIn(headers))), work);
}

/** Runs the work outside of the current trace: for shared work that a request merely triggers. */
export function inNoTrace<T>(work: () => T): T {
  return context.with(ROOT_CONTEXT, work);
}

/** For work that continues a trace, or begins one. */
export function continued(parent: SpanContext | null, otherwise = ROOT_CONTEXT): Context {
  return parent === null ? otherwise : trace.setSpanContext(otherwise, parent);
}

/** For log lines. A span id finds something only if the span is recorded. */
export function idsToLog(): { traceId?: string; spanId?: string } {
  const span = trace.getActiveSpan();
  if (span === undefined) return {};
  const { traceId, spanId } = span.spanContext();
  return span.isRecording() ? { traceId, spanId } : { traceId };
}

const propagator = new W3CTraceContextPropagator();

/** The current trace: for the headers of a call to our own services, or stored with an event or a mail until the work goes on. */
export function restingTrace(of = context.active()): RestingTrace {
  const fields: { traceparent?: string; tracestate?: string } = {};
  propagator.inject(of, fields, defaultTextMapSetter);
  if (fields.tracestate === '') delete fields.tracestate;
  return fields;
}

/**
 * The trace in these fields or headers, or null if there is none. `baggage` is not read: it may be any text, and it would be stored with
 * events and mails.
 */
export function traceIn(fields: Readonly<Record<string, unknown>>): SpanContext | null {
  const found = trace.getSpanContext(propagator.extract(ROOT_CONTEXT, fields, defaultTextMapGetter));
  // The propagator would write flags that it does not know with one digit too many.
  return found === undefined ? null : { ...found, traceFlags: found.traceFlags & TraceFlags.SAMPLED };
}
