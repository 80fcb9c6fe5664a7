import { describe, expect, it } from '@jest/globals';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from '@offer-ads/testing/logger';
import { type Limit, startRequestLimiter } from './request-limiter.ts';

const limit: Limit = { name: 'test', requests: 2, windowSeconds: 60 };

function start(maxClients = 100) {
  const foundation = { logger: silentLogger, metrics: createMetrics('gateway') };
  return startRequestLimiter({ storeUrl: undefined, namespace: 'test', maxClients, ...foundation });
}

describe('a limit that is counted in memory', () => {
  it('remembers a limited number of clients: those whose windows began first begin again, and nobody is refused because of others', async () => {
    await using limiter = await start(2);
    const left = async (client: string) => (await limiter.consume(limit, client)).remaining;
    expect([await left('a'), await left('b'), await left('a'), await left('c')]).toEqual([1, 1, 0, 1]);
    // The window of `a` began first.
    expect([await left('b'), await left('a')]).toEqual([0, 1]);
  });
});
