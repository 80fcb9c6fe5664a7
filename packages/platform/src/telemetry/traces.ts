/** Traces of work that rests: in the outbox as an event, in a store as a mail, until somebody goes on with it. */
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

/** W3C trace context as fields of text; empty when nothing is traced. */
export type RestingTrace = Readonly<Record<string, string>>;

/** The trace that is being worked for now. */
export function restingTrace(): RestingTrace {
  const fields: Record<string, string> = {};
  propagation.inject(context.active(), fields);
  return fields;
}

/** Goes on in that trace, with whatever other fields there are beside it. */
export function inTraceOf<T>(fields: Readonly<Record<string, unknown>>, work: () => T): T {
  return context.with(propagation.extract(ROOT_CONTEXT, fields), work);
}

/** Whoever wakes work that belongs to many must not find all of it in their own trace. */
export function inNoTrace<T>(work: () => T): T {
  return context.with(ROOT_CONTEXT, work);
}

const outside = createContextKey('offer-ads: of others');

/**
 * For calls to hosts of others, such as the card provider: they have spans like all calls, but the header that would tell those
 * others of the trace, and whether we record it, stays here.
 */
export function calledOutside<T>(work: () => T): T {
  return context.with(context.active().setValue(outside, true), work);
}

/** As the one given, but tells nobody outside. */
export function tellingOwnAlone(propagator: TextMapPropagator): TextMapPropagator {
  return {
    inject: (active: Context, carrier, setter) => {
      if (active.getValue(outside) !== true) propagator.inject(active, carrier, setter);
    },
    extract: (active, carrier, getter) => propagator.extract(active, carrier, getter),
    fields: () => propagator.fields(),
  };
}

/** A span around a call to something outside that no instrumentation knows. The outcome of the work tells its attributes. */
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
