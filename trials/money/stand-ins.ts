/** Stand-ins for pricing and moderation: they keep to their contracts, with random delays and odd prices. */
import { setTimeout as pause } from 'node:timers/promises';
import { type PriceReply, priceRequest } from '@offer-ads/contracts/internal/pricing-api';
import type { ServiceName } from '@offer-ads/contracts/values/primitives';
import { requireCaller } from '@offer-ads/platform/calls/caller-context';
import { type HttpServer, startHttpServer } from '@offer-ads/platform/http/server';
import type { Clock } from '@offer-ads/platform/process/clock';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { testContextSecret } from '@offer-ads/testing/caller';
import { silentLogger } from '@offer-ads/testing/logger';
import express, { type Express } from 'express';

/** Odd amounts, so that credits have remainders; a radius of 30 costs nothing. */
export function priceMinor(durationMs: number, radiusMiles: number): bigint {
  return radiusMiles === 30 ? 0n : BigInt((durationMs * radiusMiles) % 9_973);
}

export function startPricing(clock: Clock): Promise<HttpServer> {
  return serve('pricing', clock, (app) => {
    app.post('/internal/price', express.json(), (req, res) => {
      const { startAt, endAt, radiusMiles } = priceRequest.parse(req.body);
      const durationMs = Date.parse(endAt) - Date.parse(startAt);
      res.json({
        matchingUsers: 50,
        adUnitsHundredths: '5000',
        money: {
          costMinor: `${priceMinor(durationMs, radiusMiles)}`,
          adUnitPriceE8: '100000',
          exchangeRatePerGbpE6: '1000000',
          exchangeRateDate: null,
        },
      } satisfies PriceReply);
    });
  });
}

/** `takesMs`: how long the next verdict takes. Faults happen while creations wait for it. */
export function startModeration(clock: Clock, takesMs: () => number): Promise<HttpServer> {
  return serve('moderation', clock, (app) => {
    app.post('/internal/verdicts', express.raw({ limit: '6mb' }), async (req, res) => {
      await pause(takesMs());
      res.type('image/jpeg').send(req.body);
    });
  });
}

function serve(service: ServiceName, clock: Clock, routes: (app: Express) => void): Promise<HttpServer> {
  return startHttpServer({
    host: '127.0.0.1',
    port: 0,
    logger: silentLogger,
    metrics: createMetrics(service),
    clock,
    readiness: async () => [],
    routes: (app) => {
      app.use(requireCaller({ secret: testContextSecret, audience: service, clock }));
      routes(app);
    },
  });
}
