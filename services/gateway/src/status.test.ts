import { setImmediate as settled } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { testClock } from '@offer-ads/testing/clock';
import { silentLogger } from '@offer-ads/testing/logger';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Dependency } from './domain/status.ts';
import { type Probe, probeState, watchDependencies } from './status.ts';

function watch(
  probes: Readonly<Record<string, Probe>>,
  save: (dependency: Dependency) => Promise<void> = async () => {},
) {
  const metrics = createMetrics('gateway');
  const time = { ms: 0 };
  const read = watchDependencies({
    probes,
    outages: { save, list: async () => [] },
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

  it('stores each change once, also when the store was away', async () => {
    let isUp = true;
    const saved: string[] = [];
    const { read, time } = watch({ postgres: probeState(() => isUp) }, async ({ state }) => {
      if (!isUp) throw new Error('no connection');
      saved.push(state);
    });
    const look = async (up: boolean) => {
      isUp = up;
      time.ms += 2_000;
      await read();
      await settled();
    };
    for (const up of [true, true, false, false, true, true]) await look(up);
    expect(saved).toEqual(['up', 'down', 'up']);
  });
});
