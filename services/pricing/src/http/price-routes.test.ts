import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from '@jest/globals';
import { priceReply } from '@offer-ads/contracts/internal/pricing-api';
import { estimateReply } from '@offer-ads/contracts/public/api';
import { createDeadline } from '@offer-ads/platform/calls/deadline';
import { type HttpServer, startHttpServer } from '@offer-ads/platform/http/server';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { signedCaller, testContextSecret } from '@offer-ads/testing/caller';
import { testClock } from '@offer-ads/testing/clock';
import { fc, runs } from '@offer-ads/testing/profile';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { AudienceEngine } from '../audience/audience-engine.ts';
import { audienceShown } from '../domain/cohort.ts';
import type { ReferenceRates } from '../domain/rates/exchange-rate.ts';
import { holdRates } from '../rates/held-rates.ts';
import { estimateFastPath } from './estimate-fast-path.ts';
import { mountPriceRoutes } from './price-routes.ts';

const lines: string[] = [];
let server: HttpServer;
afterEach(async () => {
  lines.length = 0;
  await server[Symbol.asyncDispose]();
});

const clock = testClock('2026-11-20T18:00:00.000Z');

const fixing: ReferenceRates = {
  date: '2026-11-20',
  perEuroE8: new Map([
    ['GBP', 87_325_000n],
    ['USD', 115_820_000n],
    ['HUF', 38_563_000_000n],
    ['JPY', 17_893_000_000n],
  ]),
};
const rates = await holdRates({ newest: async () => [fixing] });

/** Pricing's routes with an engine of the test. */
async function start(audience: AudienceEngine, minCohort = 1): Promise<void> {
  const destination = { write: (line: string) => lines.push(line) };
  const parts = {
    contextSecret: testContextSecret,
    clock,
    audience,
    sandbox: { count: async () => 0 },
    privacyBudgets: {
      discloseCount: ({ counted }: { counted: number }) => audienceShown(counted, minCohort),
    },
    minCohort,
    rates,
    interests: { active: () => new Set([1, 2, 3]) },
  };
  server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    logger: createLogger({ service: 'pricing', level: 'info', destination }),
    metrics: createMetrics('pricing'),
    clock,
    readiness: async () => [],
    fastPath: estimateFastPath(parts),
    routes: (app) => mountPriceRoutes(app, parts),
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
])('a caller of %s who disconnects while members are counted', (path, question) => {
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
    await eventually(() => {
      expect(lines.join()).toContain('the caller has gone');
      expect(lines.join()).toContain(`"route":"${path}","status":499`);
    });
    expect(lines.join()).not.toContain('"level":"error"');
  });
});

describe.each([1, 7])(
  'an estimate and the creation of the same offer, with a minimum cohort of %i',
  (minCohort) => {
    /** The question determines the count. */
    const audience: AudienceEngine = {
      count: async ({ latitude, longitude, radiusMiles, gender, interests }) => {
        const asked = [latitude, longitude, radiusMiles, gender, interests];
        return createHash('sha256').update(JSON.stringify(asked)).digest().readUInt32BE() % 1_000;
      },
    };

    it('have the same figures, whatever the inputs', async () => {
      await start(audience, minCohort);
      const ask = async (path: string, currency: string, json: object) => {
        const headers = {
          ...signedCaller({ audience: 'pricing', currency }),
          'content-type': 'application/json',
        };
        const reply = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(json) });
        expect(reply.status).toBe(200);
        return reply.json();
      };
      const earliestMs = Date.parse('2026-11-20T17:59:00Z');
      await fc.assert(
        fc.asyncProperty(
          fc.record({
            currency: fc.constantFrom('GBP', 'USD', 'EUR', 'HUF', 'JPY', 'AED'),
            startMs: fc.integer({ min: earliestMs, max: earliestMs + 400 * 86_400_000 }),
            durationMs: fc.integer({ min: 1, max: 400 * 86_400_000 }),
            latitude: fc.integer({ min: -90_000, max: 90_000 }).map((e3) => e3 / 1_000),
            longitude: fc.integer({ min: -180_000, max: 180_000 }).map((e3) => e3 / 1_000),
            radius: fc.integer({ min: 5, max: 30 }),
            gender: fc.uniqueArray(fc.constantFrom('Male', 'Female', 'Non-binary')),
            interests: fc.uniqueArray(fc.constantFrom(1, 2, 3)),
          }),
          async ({ currency, startMs, durationMs, latitude, longitude, radius, gender, interests }) => {
            const startAt = new Date(startMs).toISOString();
            const endAt = new Date(startMs + durationMs).toISOString();
            const estimate = estimateReply.parse(
              await ask('/offers/price-estimate', currency, {
                start_datetime: startAt,
                end_datetime: endAt,
                location: [latitude, longitude],
                radius,
                gender,
                interests,
              }),
            );
            const target = { latitude, longitude, radiusMiles: radius, gender, interests };
            const price = priceReply.parse(
              await ask('/internal/price', currency, { startAt, endAt, ...target }),
            );
            expect(estimate.matching_users).toBe(price.matchingUsers);
            expect(price.matchingUsers % minCohort).toBe(0);
            expect(estimate.ad_units).toBe(Number(price.adUnitsHundredths) / 100);
            expect(estimate.estimated_cost).toBe(price.money && Number(price.money.costMinor) / 100);
            expect(estimate.exchange_rate_date).toBe(price.money && price.money.exchangeRateDate);
          },
        ),
        { numRuns: runs(40, 1_000) },
      );
    });
  },
);
