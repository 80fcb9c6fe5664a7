import { describe, expect, it } from '@jest/globals';
import { defaultTextMapGetter, defaultTextMapSetter, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { idsOnly, traceContext } from './trace-context.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';

const extracted = (headers: Record<string, unknown>) =>
  traceContext.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
function passedOn(headers: Record<string, unknown>) {
  const carrier: Record<string, string> = {};
  traceContext.inject(extracted(headers), carrier, defaultTextMapSetter);
  return carrier;
}

describe('the trace context', () => {
  it.each([
    [`00-${traceId}-${spanId}-01`, '01'],
    [`00-${traceId}-${spanId}-00`, '00'],
    // Flags of later versions are not passed on.
    [`00-${traceId}-${spanId}-ff`, '01'],
    [`01-${traceId}-${spanId}-01-more`, '01'],
  ])('is read from %s and written again', (traceparent, flags) => {
    expect(passedOn({ traceparent })).toEqual({ traceparent: `00-${traceId}-${spanId}-${flags}` });
  });

  it.each([
    undefined,
    '',
    'nonsense',
    `ff-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01-more`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}`,
  ])('is not taken from %p', (traceparent) => {
    expect(passedOn({ traceparent })).toEqual({});
  });

  it('keeps what other systems state about the trace, up to 512 characters', () => {
    const traceparent = `00-${traceId}-${spanId}-01`;
    expect(passedOn({ traceparent, tracestate: 'rojo=1,congo=2' })).toMatchObject({
      tracestate: 'rojo=1,congo=2',
    });
    expect(passedOn({ traceparent, tracestate: `rojo=${'1'.repeat(512)}` })).toEqual({ traceparent });
  });

  it('of a process without a collector continues the trace of its caller, or begins one', () => {
    const tracer = idsOnly.getTracer('test');
    const child = tracer.startSpan('child', {}, extracted({ traceparent: `00-${traceId}-${spanId}-01` }));
    expect(child.spanContext()).toMatchObject({
      traceId,
      traceFlags: 1,
      spanId: expect.not.stringMatching(spanId),
    });
    const [first, second] = [
      tracer.startSpan('a', {}, ROOT_CONTEXT),
      tracer.startSpan('b', {}, ROOT_CONTEXT),
    ];
    expect(first.spanContext().traceId).not.toBe(second.spanContext().traceId);
    for (const span of [child, first, second]) {
      expect(trace.isSpanContextValid(span.spanContext())).toBe(true);
      expect(span.isRecording()).toBe(false);
    }
  });
});
