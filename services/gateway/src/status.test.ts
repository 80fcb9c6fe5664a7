import { describe, expect, it } from '@jest/globals';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { testClock } from '@offer-ads/testing/clock';
import { silentLogger } from '@offer-ads/testing/logger';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { type Probe, probeState, watchDependencies } from './status.ts';

function watch(probes: Readonly<Record<string, Probe>>) {
  const metrics = createMetrics('gateway');
  const time = { ms: 0 };
  const read = watchDependencies({
    probes,
    clock: testClock(),
    logger: silentLogger,
    metrics,
    elapsedMs: () => time.ms,
  });
  return { read, metrics, time };
}

describe('looking at dependencies', () => {
  it('reports a hanging one as down after a second, even if it ignores its signal', async () => {
    const { read } = watch({ offers: () => new Promise(() => {}), pricing: async () => {} });
    const startedAt = performance.now();
    expect(await read()).toMatchObject({
      overall: 'down',
      dependencies: [
        { name: 'offers', state: 'down' },
        { name: 'pricing', state: 'up' },
      ],
    });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('a scrape asks too, so the metric is current though nobody reads the status', async () => {
    let rabbitmq = false;
    const { metrics, time } = watch({
      rabbitmq: probeState(() => rabbitmq),
      pricing: probeState(() => true),
    });
    const scraped = (line: RegExp) =>
      eventually(async () => expect(await metrics.registry.metrics()).toMatch(line));
    await scraped(/dependency_up\{dependency="rabbitmq".*\} 0/);
    await scraped(/dependency_up\{dependency="pricing".*\} 1/);
    rabbitmq = true;
    time.ms = 15_000;
    await scraped(/dependency_up\{dependency="rabbitmq".*\} 1/);
  });
});
