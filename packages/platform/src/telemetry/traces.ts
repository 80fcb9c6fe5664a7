/** Traces: their spans, and how they go on in other services and in work that is done later. */
import {
  type Attributes,
  type Context,
  context,
  INVALID_TRACEID,
  propagation,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

/** W3C trace context as text fields (`traceparent`, `tracestate`); empty when nothing is traced. */
export type RestingTrace = Readonly<Record<string, string>>;

/** The current trace: for the headers of a call to our own services, or stored with an event or a mail until the work goes on. */
export function restingTrace(): RestingTrace {
  return restingTraceOf(context.active());
}

function restingTraceOf(active: Context): RestingTrace {
  const fields: Record<string, string> = {};
  propagation.inject(active, fields);
  return fields;
}

/**
 * Adds the trace to headers in which names and values alternate.
 * @param span by default the current one
 */
export function addTraceTo(headers: string[], span?: Span): void {
  const active = span === undefined ? context.active() : trace.setSpan(ROOT_CONTEXT, span);
  propagation.inject(active, headers, { set: (pairs, name, value) => void pairs.push(name, value) });
}

/** The trace in these fields or headers; other fields are ignored. */
export function traceIn(fields: Readonly<Record<string, unknown>>): Context {
  return propagation.extract(ROOT_CONTEXT, fields);
}

/** Runs the work outside of the current trace: for shared work that a request merely triggers. */
export function inNoTrace<T>(work: () => T): T {
  return context.with(ROOT_CONTEXT, work);
}

export type Spanned = Pick<SpanOptions, 'attributes' | 'links'> & {
  readonly kind: 'SERVER' | 'CLIENT' | 'PRODUCER' | 'CONSUMER';
  /** Without ids and without texts of advertisers. */
  readonly name: string;
  /** The trace that the span continues; by default the current one. */
  readonly parent?: Context;
};

/** A span that the caller ends. Make it the current one with `inSpanOf`. */
export function beginSpan({ name, kind, parent = context.active(), ...more }: Spanned): Span {
  return trace.getTracer('offer-ads').startSpan(name, { kind: SpanKind[kind], ...more }, parent);
}

/** Runs the work in the trace of this span. */
export function inSpanOf<T>(span: Span, work: () => T): T {
  return context.with(trace.setSpan(ROOT_CONTEXT, span), work);
}

/** W3C trace context of a span, as text fields. */
export function restingTraceIn(span: Span): RestingTrace {
  return restingTraceOf(trace.setSpan(ROOT_CONTEXT, span));
}

/** Runs the work in a span that ends with it. The outcome gives further attributes. Of an error only the fact is recorded: its text may be personal. */
export async function inSpan<T>(
  spanned: Spanned,
  work: () => Promise<T>,
  outcomeOf?: (result: T) => Attributes,
): Promise<T> {
  const span = beginSpan(spanned);
  try {
    const result = await inSpanOf(span, work);
    if (outcomeOf !== undefined) span.setAttributes(outcomeOf(result));
    return result;
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

/**
 * A span around a call to another process. Only for work that is recorded itself: repeated background work would else begin a trace at
 * each call. It sends no header: only calls to our own services tell their trace (`restingTrace`).
 * @param name what is called, such as `GET offers` or `Stripe`
 */
export function traceCall<T>(name: string, work: () => Promise<T>): Promise<T> {
  return isRecorded() ? inSpan({ name, kind: 'CLIENT' }, work) : work();
}

/** The span of such a call that is no promise. */
export type CallSpan = Span;

/** Undefined if the work is not recorded. */
export function beginCall(name: string): CallSpan | undefined {
  return isRecorded() ? beginSpan({ name, kind: 'CLIENT' }) : undefined;
}

export function endCall(span: CallSpan | undefined, hasFailed: boolean): void {
  if (hasFailed) span?.setStatus({ code: SpanStatusCode.ERROR });
  span?.end();
}

function isRecorded(): boolean {
  return trace.getActiveSpan()?.isRecording() === true;
}

/** The ids of a span, or of the current one; undefined outside of a trace. */
export function traceIds(span = trace.getActiveSpan()): SpanContext | undefined {
  const ids = span?.spanContext();
  return ids?.traceId === INVALID_TRACEID ? undefined : ids;
}
