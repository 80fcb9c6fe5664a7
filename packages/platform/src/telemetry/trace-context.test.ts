import { describe, expect, it } from '@jest/globals';
import { newSpanId, newTraceId, restingTraceOf, traceIn } from './trace-context.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';

const passedOn = (headers: Record<string, unknown>) => restingTraceOf(traceIn(headers) ?? undefined);

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
    `01-${traceId}-${spanId}-01more`,
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

  it.each(['', 'rojo', 'Rojo=1', 'rojo=1,', 'rojo=\u00e9', 'rojo=1\n', `${'a=1,'.repeat(32)}a=1`])(
    'drops the statement %p, which other systems would not understand',
    (tracestate) => {
      const traceparent = `00-${traceId}-${spanId}-01`;
      expect(passedOn({ traceparent, tracestate })).toEqual({ traceparent });
    },
  );

  it('makes valid ids, each once', () => {
    const ids = Array.from({ length: 1_000 }, () => ({ traceId: newTraceId(), spanId: newSpanId() }));
    for (const each of ids) {
      const resting = restingTraceOf({ ...each, isSampled: false, state: undefined });
      expect(traceIn(resting)).toMatchObject(each);
    }
    expect(new Set(ids.map((each) => each.traceId)).size).toBe(1_000);
    expect(new Set(ids.map((each) => each.spanId)).size).toBe(1_000);
  });
});
