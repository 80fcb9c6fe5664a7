import { describe, expect, it } from '@jest/globals';
import { createMetrics } from './metrics.ts';

describe('metrics', () => {
  it('belong to one instance, so that two services in a process do not mix', async () => {
    const [first, second] = [createMetrics('offers'), createMetrics('billing')];
    first.counter({ name: 'things_total', help: 'Things.' }).inc();
    expect(await first.registry.metrics()).toContain('things_total{service="offers"} 1');
    expect(await second.registry.metrics()).not.toContain('things_total');
  });

  it('give the same instrument again under the same name', () => {
    const metrics = createMetrics('offers');
    const declared = { name: 'queue_depth', help: 'Depth.', labelNames: ['queue'] };
    expect(metrics.gauge(declared)).toBe(metrics.gauge(declared));
  });
});
