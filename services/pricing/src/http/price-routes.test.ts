import { afterEach, describe, expect, it } from '@jest/globals';
import { createDeadline } from '@offer-ads/platform/deadline';
import { type HttpServer, startHttpServer } from '@offer-ads/platform/http-server';
import { createLogger } from '@offer-ads/platform/logging';
import { createMetrics } from '@offer-ads/platform/metrics';
import { signedCaller, testContextSecret } from '@offer-ads/testing/caller';
import { testClock } from '@offer-ads/testing/clock';
import { eventually } from '@offer-ads/testing/eventually';
import type { AudienceEngine } from '../audience-engine.ts';
import { mountPriceRoutes } from './price-routes.ts';

const lines: string[] = [];
let server: HttpServer;
afterEach(async () => {
  lines.length = 0;
  await server[Symbol.asyncDispose]();
});

const clock = testClock('2026-11-20T18:00:00.000Z');

/** Pricing's routes over a count that takes as long as it may. */
async function start(audience: AudienceEngine): Promise<void> {
  const destination = { write: (line: string) => lines.push(line) };
  server = await startHttpServer({
    service: 'pricing',
    host: '127.0.0.1',
    port: 0,
    logger: createLogger({ service: 'pricing', level: 'info', destination }),
    metrics: createMetrics('pricing'),
    clock,
    readiness: async () => [],
    routes: (app) =>
      mountPriceRoutes(app, {
        contextSecret: testContextSecret,
        clock,
        audience,
        rates: { exchangeRate: () => null },
        interests: { active: () => new Set() },
      }),
  });
}

describe.each([
  [
    '/offers/price-estimate',
    {
      start_datetime: '2026-12-01T00:00:00Z',
      end_datetime: '2026-12-08T00:00:00Z',
      location: [51.5, -0.1],
      radius: 10,
    },
  ],
  [
    '/internal/price',
    {
      startAt: '2026-12-01T00:00:00.000Z',
      endAt: '2026-12-08T00:00:00.000Z',
      latitude: 51.5,
      longitude: -0.1,
      radiusMiles: 10,
      gender: [],
      interests: [],
    },
  ],
])('a caller of %s who leaves while members are counted', (path, question) => {
  it('stops the count, and is logged as 499 and not as an error', async () => {
    const counting = Promise.withResolvers<void>();
    await start({
      count: (_target, deadline = createDeadline(60_000)) =>
        new Promise((_resolve, reject) => {
          const signal = deadline.signal(60_000);
          signal.addEventListener('abort', () => reject(signal.reason as Error));
          counting.resolve();
        }),
    });
    const hangUp = new AbortController();
    const reply = fetch(server.url + path, {
      method: 'POST',
      headers: { ...signedCaller({ audience: 'pricing' }), 'content-type': 'application/json' },
      body: JSON.stringify(question),
      signal: hangUp.signal,
    });
    const ended = reply.then(
      () => 'answered',
      (error: Error) => error.name,
    );
    await counting.promise;
    hangUp.abort();
    expect(await ended).toBe('AbortError');
    await eventually(() => expect(lines.join()).toContain('the caller has gone'));
    expect(lines.join()).toContain(`"route":"${path}","status":499`);
    expect(lines.join()).not.toContain('"level":"error"');
  });
});
