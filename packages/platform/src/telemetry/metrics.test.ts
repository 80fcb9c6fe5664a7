import { describe, expect, it } from '@jest/globals';
import { createFoundation } from '../process/foundation.ts';
import { createMetrics } from './metrics.ts';

describe('metrics', () => {
  it('of the process are in the metrics of each service, with its name', async () => {
    for (const service of ['offers', 'billing'])
      expect(await createFoundation(service, 'silent', {}).metrics.registry.metrics()).toContain(
        `process_cpu_seconds_total{service="${service}"} `,
      );
  });

  it('start a counter at 0, so that Prometheus sees the first increase', async () => {
    const metrics = createMetrics('billing');
    const from0 = { mode: ['TEST', 'LIVE'], outcome: ['paid'] };
    metrics.counter({ name: 'payments_total', help: 'Payments.', labelNames: ['mode', 'outcome'], from0 });
    const text = await metrics.registry.metrics();
    expect(text).toContain('payments_total{mode="TEST",outcome="paid",service="billing"} 0');
    expect(text).toContain('payments_total{mode="LIVE",outcome="paid",service="billing"} 0');
  });

  it('start a histogram at 0', async () => {
    const metrics = createMetrics('moderation');
    const from0 = { verdict: ['allowed', 'none'] };
    metrics.histogram({ name: 'verdict_seconds', help: 'Time.', labelNames: ['verdict'], from0 });
    const text = await metrics.registry.metrics();
    expect(text).toMatch(/^verdict_seconds_count\{.*verdict="allowed".*\} 0$/m);
    expect(text).toMatch(/^verdict_seconds_bucket\{le="5".*verdict="none".*\} 0$/m);
  });

  it('measure a gauge at each scrape, with all its readers', async () => {
    const metrics = createMetrics('offers');
    const declared = { name: 'waiting', help: 'Waiting.', labelNames: ['pool'] };
    let waiting = 1;
    metrics.readGauge(declared, (gauge) => gauge.set({ pool: 'main' }, waiting));
    metrics.readGauge(declared, (gauge) => gauge.set({ pool: 'keys' }, 10 * waiting));
    waiting = 2;
    const text = await metrics.registry.metrics();
    expect(text).toContain('waiting{pool="main",service="offers"} 2');
    expect(text).toContain('waiting{pool="keys",service="offers"} 20');
  });
});
