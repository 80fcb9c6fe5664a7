import { describe, expect, it } from '@jest/globals';
import { createMetrics } from '@offer-ads/platform/metrics';
import { eventually } from '@offer-ads/testing/eventually';
import { silentLogger } from '@offer-ads/testing/logger';
import { startCallLog } from './call-log.ts';
import type { Call } from './calls-store.ts';

const call = (route: string) => ({ route }) as Call;

/** A store that can be away, and remembers what it was given. */
function startWith(o: { spoolSize?: number } = {}) {
  const store = { away: false, written: [] as string[], batches: 0 };
  const metrics = createMetrics('gateway');
  const log = startCallLog({
    write: async (calls) => {
      if (store.away) throw new Error('store away');
      store.batches += 1;
      store.written.push(...calls.map(({ route }) => route));
    },
    logger: silentLogger,
    metrics,
    retryMs: 20,
    ...o,
  });
  return { store, log, metrics };
}

describe('the call log', () => {
  it('writes calls in batches, in order, soon after they were made', async () => {
    const { store, log } = startWith();
    for (const route of ['a', 'b', 'c']) log.record(call(route));
    await eventually(() => expect(store).toMatchObject({ written: ['a', 'b', 'c'], batches: 1 }));
    await log[Symbol.asyncDispose]();
  });

  it('keeps calls while the store is away and writes them when it is back', async () => {
    const { store, log, metrics } = startWith();
    store.away = true;
    log.record(call('during the outage'));
    await eventually(async () =>
      expect(await metrics.registry.metrics()).toContain('call_log_spooled{service="gateway"} 1'),
    );
    log.record(call('still away'));
    store.away = false;
    await eventually(() => expect(store.written).toEqual(['during the outage', 'still away']));
    await log[Symbol.asyncDispose]();
  });

  it('is bounded: what does not fit is counted as lost', async () => {
    const { store, log, metrics } = startWith({ spoolSize: 2 });
    for (const route of ['a', 'b', 'c']) log.record(call(route));
    await log[Symbol.asyncDispose]();
    expect(store.written).toEqual(['a', 'b']);
    expect(await metrics.registry.metrics()).toContain('call_log_lost_total{service="gateway"} 1');
  });

  it('is drained when the service stops', async () => {
    const { store, log } = startWith();
    log.record(call('the last one'));
    await log[Symbol.asyncDispose]();
    expect(store.written).toEqual(['the last one']);
  });

  it('does not hold up the stop for a store that stays away', async () => {
    const { store, log, metrics } = startWith();
    store.away = true;
    log.record(call('lost'));
    await log[Symbol.asyncDispose]();
    expect(await metrics.registry.metrics()).toContain('call_log_lost_total{service="gateway"} 1');
  });
});
