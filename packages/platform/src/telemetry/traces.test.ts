import { describe, expect, it } from '@jest/globals';
import { idsToLog, inNoTrace, inSpan, restingTrace, startTracing, traceIn } from './traces.ts';

startTracing();
const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${spanId}-01`;

const passedOn = (headers: Record<string, unknown>) =>
  inSpan({ kind: 'SERVER', name: 'test', parent: traceIn(headers) }, async () => restingTrace());

describe('the trace context without a collector', () => {
  it.each([
    [traceparent, '01'],
    [`00-${traceId}-${spanId}-00`, '00'],
    // Flags of later versions are not passed on.
    [`00-${traceId}-${spanId}-ff`, '01'],
    [`01-${traceId}-${spanId}-01-more`, '01'],
  ])('is read from %s and passed on', async (given, flags) => {
    expect(await passedOn({ traceparent: given })).toEqual({
      traceparent: `00-${traceId}-${spanId}-${flags}`,
    });
  });

  it.each([
    undefined,
    'nonsense',
    `ff-${traceId}-${spanId}-01`,
    `${traceparent}-more`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
  ])('is new for %p', async (given) => {
    const { traceparent: made } = await passedOn({ traceparent: given, tracestate: 'rojo=1' });
    expect(made).toMatch(/^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-00$/);
    expect(made).not.toContain(traceId);
    expect(made).not.toBe((await passedOn({})).traceparent);
  });

  it('keeps what other systems state about the trace, up to 512 characters, and no baggage', async () => {
    const baggage = 'person=ann%40example.com';
    const state = { traceparent, tracestate: 'rojo=1,congo=2' };
    expect(await passedOn({ ...state, baggage })).toEqual(state);
    expect(await passedOn({ traceparent, tracestate: `rojo=${'1'.repeat(512)}`, baggage })).toEqual({
      traceparent,
    });
    expect(await passedOn({ traceparent, tracestate: 'Rojo=1\n', baggage })).toEqual({ traceparent });
  });

  it('is that of the work, until the work leaves it', async () => {
    await inSpan({ kind: 'SERVER', name: 'test', parent: traceIn({ traceparent }) }, async () => {
      expect(idsToLog()).toEqual({ traceId });
      expect(inNoTrace(idsToLog)).toEqual({});
      await inSpan({ kind: 'CLIENT', name: 'test' }, async () => expect(idsToLog()).toEqual({ traceId }));
    });
  });
});
