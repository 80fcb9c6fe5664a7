/** Traces: their spans, and how they go on in other services and in work that is done later. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Sampler } from './sampling.ts';
import {
  newSpanId,
  newTraceId,
  type RestingTrace,
  restingTraceOf,
  type TraceIds,
  traceparentOf,
} from './trace-context.ts';

/** A piece of work in its trace. It always has ids, and it is recorded if there is a collector and the head of the trace chose so. */
export type Span = TraceIds & { readonly recorded: SpanRecord | undefined };

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** What is told of a span: plain values, because they go to another thread. */
export type SpanRecord = {
  readonly ids: TraceIds;
  /** Undefined for the first span of a trace. `isRemote`: of another process, or of the past. */
  readonly parent: { readonly spanId: string; readonly isRemote: boolean } | undefined;
  readonly kind: Spanned['kind'];
  readonly links: readonly TraceIds[];
  /** Unix milliseconds, with fractions. */
  readonly startMs: number;
  name: string;
  attributes: Attributes;
  hasFailed: boolean;
  endMs: number | undefined;
};

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

export type Recorder = { readonly samples: Sampler; readonly record: (ended: SpanRecord) => void };

const current = new AsyncLocalStorage<Span | undefined>();
let isTracing = false;
let recorder: Recorder | undefined;

/** Called once, by telemetry.ts. Without it nothing has a trace. */
export function startTracing(withRecorder?: Recorder): void {
  isTracing = true;
  recorder = withRecorder;
}

/** Whether this process has a collector. */
export function hasRecorder(): boolean {
  return recorder !== undefined;
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
  const traceId = parent === null ? newTraceId() : parent.traceId;
  const isOfProcess = parent !== null && 'recorded' in parent;
  // The head of a trace decides for all that follows.
  const isSampled =
    recorder === undefined || isOfProcess ? parent?.isSampled === true : recorder.samples(traceId, parent);
  const ids = { traceId, spanId: newSpanId(), isSampled, state: parent === null ? undefined : parent.state };
  const isRecorded = recorder !== undefined && isSampled;
  return { ...ids, recorded: isRecorded ? recordOf(ids, parent, spanned) : undefined };
}

function recordOf(ids: TraceIds, parent: TraceIds | null, spanned: Spanned): SpanRecord {
  const { kind, name, attributes = {}, links = [] } = spanned;
  return {
    ids,
    parent: parent === null ? undefined : { spanId: parent.spanId, isRemote: !('recorded' in parent) },
    kind,
    links,
    startMs: nowMs(),
    name,
    attributes,
    hasFailed: false,
    endMs: undefined,
  };
}

/** More exact than `Date.now()`, for spans that take less than a millisecond. */
const nowMs = () => performance.timeOrigin + performance.now();

export type SpanEnd = {
  /** Replaces the name, if it is known only now. */
  readonly name?: string;
  readonly attributes?: Attributes | undefined;
  /** Only the fact is recorded: the text of an error may be personal. */
  readonly hasFailed?: boolean;
};

export function endSpan(span: Span | undefined, end: SpanEnd): void {
  if (!isRecorded(span)) return;
  const { recorded } = span;
  recorded.name = end.name ?? recorded.name;
  recorded.attributes = { ...recorded.attributes, ...end.attributes };
  recorded.hasFailed = end.hasFailed === true;
  recorded.endMs = nowMs();
  recorder?.record(recorded);
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
export function traceCall<T>(
  name: string,
  work: () => Promise<T>,
  attributesOf?: () => Attributes,
): Promise<T> {
  if (!isRecorded(currentSpan())) return work();
  return inSpan({ name, kind: 'CLIENT', attributes: attributesOf?.() ?? {} }, work);
}

/** Whether it is being recorded; not after its end. */
export function isRecorded(span: Span | undefined): span is Span & { readonly recorded: SpanRecord } {
  return span?.recorded !== undefined && span.recorded.endMs === undefined;
}
