/** Stores the trace of work that is continued later: with an event in the outbox or a mail in a store. */
import {
  type Attributes,
  type Context,
  context,
  createContextKey,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  type TextMapPropagator,
  trace,
} from '@opentelemetry/api';

/** W3C trace context as text fields; empty when nothing is traced. */
export type RestingTrace = Readonly<Record<string, string>>;

/** The current trace. */
export function restingTrace(): RestingTrace {
  const fields: Record<string, string> = {};
  propagation.inject(context.active(), fields);
  return fields;
}

/** Runs the work in the trace stored in `fields`; other fields are ignored. */
export function inTraceOf<T>(fields: Readonly<Record<string, unknown>>, work: () => T): T {
  return context.with(propagation.extract(ROOT_CONTEXT, fields), work);
}

/** Runs the work outside of the current trace: for shared work that a request merely triggers. */
export function inNoTrace<T>(work: () => T): T {
  return context.with(ROOT_CONTEXT, work);
}

const outside = createContextKey('offer-ads: of others');

/**
 * For calls to other companies' hosts, such as the card provider's. They have spans like all calls, but the header with the trace is
 * not sent.
 */
export function calledOutside<T>(work: () => T): T {
  return context.with(context.active().setValue(outside, true), work);
}

/** Like the given propagator, but adds no header to calls inside `calledOutside`. */
export function skipOutsideCalls(propagator: TextMapPropagator): TextMapPropagator {
  return {
    inject: (active: Context, carrier, setter) => {
      if (active.getValue(outside) !== true) propagator.inject(active, carrier, setter);
    },
    extract: (active, carrier, getter) => propagator.extract(active, carrier, getter),
    fields: () => propagator.fields(),
  };
}

/** A span around a call that no instrumentation covers. The outcome of the work gives its attributes. */
export async function traceCall<T>(
  o: { readonly name: string; readonly attributes: Attributes },
  work: () => Promise<T>,
  outcomeOf: (result: T) => Attributes,
): Promise<T> {
  const { name, attributes } = o;
  return trace
    .getTracer('offer-ads')
    .startActiveSpan(name, { kind: SpanKind.CLIENT, attributes }, async (span) => {
      try {
        const result = await work();
        span.setAttributes(outcomeOf(result));
        return result;
      } finally {
        span.end();
      }
    });
}
