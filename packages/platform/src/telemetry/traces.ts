/** Traces: their spans, and how they go on in other services and in work that is done later. */
import { AsyncLocalStorage } from 'node:async_hooks';
// Only types: OpenTelemetry is not loaded in a process without a collector.
import type { Attributes, Context, Span as OpenTelemetrySpan } from '@opentelemetry/api';
import {
  newSpanId,
  newTraceId,
  type RestingTrace,
  restingTraceOf,
  type TraceIds,
  traceparentOf,
} from './trace-context.ts';

/** A piece of work in its trace. It always has ids, and it is recorded if there is a collector and the head of the trace chose so. */
export type Span = TraceIds & { readonly recorded: Recorded | undefined };

/** `context` is what OpenTelemetry's hooks for drivers look for. */
export type Recorded = { readonly span: OpenTelemetrySpan; readonly context: Context };

export type Spanned = {
  readonly kind: 'SERVER' | 'CLIENT' | 'PRODUCER' | 'CONSUMER';
  /** Without ids and without texts of advertisers. */
  readonly name: string;
  readonly attributes?: Attributes;
  /** Other traces that this work belongs to. */
  readonly links?: readonly TraceIds[];
  /** What the span continues: a span, or work of another process or of the past. Null begins a new trace; by default the current span. */
  readonly parent?: Span | TraceIds | null;
};

export type Recorder = {
  /**
   * Records a span if OpenTelemetry's sampler says so. Undefined if it need not be asked, or OpenTelemetry is switched off: then the span
   * has ids only. `parent` is a span of this process, or else the ids of another one's.
   */
  readonly begin: (spanned: Spanned, parent: Context | TraceIds | null) => Span | undefined;
  readonly end: (span: OpenTelemetrySpan, end: SpanEnd) => void;
};

const current = new AsyncLocalStorage<Span | undefined>();
let isTracing = false;
let recorder: Recorder | undefined;

/** Called once, by telemetry.ts. Without it nothing has a trace. */
export function startTracing(withRecorder?: Recorder): void {
  isTracing = true;
  recorder = withRecorder;
}

export function currentSpan(): Span | undefined {
  return current.getStore();
}

/** The current trace: for the headers of a call to our own services, or stored with an event or a mail until the work goes on. */
export function restingTrace(): RestingTrace {
  return restingTraceOf(currentSpan());
}

/** Adds the trace to headers in which names and values alternate. */
export function addTraceTo(headers: string[], span: Span | undefined): void {
  if (span === undefined) return;
  headers.push('traceparent', traceparentOf(span));
  if (span.state !== undefined) headers.push('tracestate', span.state);
}

/** A span that the caller ends; undefined if nothing is traced. Make it the current one with `inSpanOf`. */
export function beginSpan(spanned: Spanned): Span | undefined {
  if (!isTracing) return undefined;
  const parent = spanned.parent === undefined ? (currentSpan() ?? null) : spanned.parent;
  const span = parent !== null && 'recorded' in parent ? (parent as Span) : undefined;
  // The head of a trace decides for all that follows. So work of a span that is not recorded costs its ids only.
  if (recorder === undefined || (span !== undefined && span.recorded === undefined)) return idsBelow(parent);
  return recorder.begin(spanned, span?.recorded?.context ?? parent) ?? idsBelow(parent);
}

function idsBelow(parent: TraceIds | null): Span {
  return {
    traceId: parent === null ? newTraceId() : parent.traceId,
    spanId: newSpanId(),
    isSampled: parent !== null && parent.isSampled,
    state: parent === null ? undefined : parent.state,
    recorded: undefined,
  };
}

export type SpanEnd = {
  /** Replaces the name, if it is known only now. */
  readonly name?: string;
  readonly attributes?: Attributes | undefined;
  /** Only the fact is recorded: the text of an error may be personal. */
  readonly hasFailed?: boolean;
};

export function endSpan(span: Span | undefined, end: SpanEnd): void {
  if (span?.recorded !== undefined) recorder?.end(span.recorded.span, end);
}

/** Runs the work in the trace of this span. */
export function inSpanOf<T>(span: Span | undefined, work: () => T): T {
  return span === undefined ? work() : current.run(span, work);
}

/** Runs the work outside of the current trace: for shared work that a request merely triggers. */
export function inNoTrace<T>(work: () => T): T {
  return current.run(undefined, work);
}

/** Runs the work in a span that ends with it. The outcome gives further attributes. */
export async function inSpan<T>(
  spanned: Spanned,
  work: () => Promise<T>,
  outcomeOf?: (result: T) => Attributes,
): Promise<T> {
  const span = beginSpan(spanned);
  if (span?.recorded === undefined) return inSpanOf(span, work);
  try {
    const result = await inSpanOf(span, work);
    endSpan(span, { attributes: outcomeOf?.(result) });
    return result;
  } catch (error) {
    endSpan(span, { hasFailed: true });
    throw error;
  }
}

/**
 * A span around a call to another process. Only for work that is recorded itself: repeated background work would else begin a trace at
 * each call. It sends no header: only calls to our own services tell their trace (`restingTrace`).
 * @param name what is called, such as `GET offers` or `Stripe`
 */
export function traceCall<T>(name: string, work: () => Promise<T>): Promise<T> {
  return isRecorded(currentSpan()) ? inSpan({ name, kind: 'CLIENT' }, work) : work();
}

/** Whether it is being recorded; not after its end. */
export function isRecorded(span: Span | undefined): span is Span & { readonly recorded: Recorded } {
  return span?.recorded?.span.isRecording() === true;
}
