import { describe, expect, it } from '@jest/globals';
import { samplerOf } from './sampling.ts';
import { newSpanId, newTraceId } from './trace-context.ts';

const parent = (isSampled: boolean) => ({
  traceId: newTraceId(),
  spanId: newSpanId(),
  isSampled,
  state: undefined,
});

/** Of 10,000 new traces. */
function recorded(env: NodeJS.ProcessEnv): number {
  const sampler = samplerOf(env);
  return Array.from({ length: 10_000 }, newTraceId).filter((traceId) => sampler(traceId, null)).length;
}

describe('the choice of traces to record', () => {
  it('is everything unless something else is set', () => {
    expect(recorded({})).toBe(10_000);
    expect(recorded({ OTEL_TRACES_SAMPLER: 'parentbased_always_off' })).toBe(0);
  });

  it('takes the given share of new traces, and the same ones in all processes', () => {
    const env = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.05' };
    // Six standard deviations.
    expect(Math.abs(recorded(env) - 500)).toBeLessThan(131);
    const traceId = newTraceId();
    expect(samplerOf(env)(traceId, null)).toBe(samplerOf(env)(traceId, null));
    expect(recorded({ ...env, OTEL_TRACES_SAMPLER_ARG: '0' })).toBe(0);
    expect(recorded({ ...env, OTEL_TRACES_SAMPLER_ARG: '1' })).toBe(10_000);
  });

  it('leaves the decision to the parent, unless the setting says otherwise', () => {
    const decide = (name: string, isSampled: boolean) =>
      samplerOf({ OTEL_TRACES_SAMPLER: name })(newTraceId(), parent(isSampled));
    expect([decide('parentbased_always_off', true), decide('parentbased_always_on', false)]).toEqual([
      true,
      false,
    ]);
    expect([decide('always_off', true), decide('always_on', false)]).toEqual([false, true]);
  });

  it.each([
    [{ OTEL_TRACES_SAMPLER: 'ratio' }, 'OTEL_TRACES_SAMPLER is ratio, and must be one of always_on'],
    [{ OTEL_TRACES_SAMPLER: 'parentbased_toString' }, 'OTEL_TRACES_SAMPLER is parentbased_toString'],
    [{ OTEL_TRACES_SAMPLER_ARG: '5 %' }, 'OTEL_TRACES_SAMPLER_ARG is 5 %, and must be a number from 0 to 1'],
    [{ OTEL_TRACES_SAMPLER_ARG: '2' }, 'OTEL_TRACES_SAMPLER_ARG is 2, and must be a number from 0 to 1'],
  ])('refuses %j by name', (env, problem) => {
    expect(() => samplerOf(env)).toThrow(problem);
  });
});
