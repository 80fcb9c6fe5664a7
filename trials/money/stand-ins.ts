/**
 * Stand-ins for pricing and moderation. They follow the contracts of the real services, with delays that the trial sets (moderation) and
 * prices that do not divide evenly (pricing).
 */
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

/** Amounts that do not divide evenly, so that credits must be rounded; a radius of 30 costs nothing. */
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

/**
 * @param takesMs how long the next verdict takes; while a creation waits for it, the trial can cause faults in the middle of the creation
 */
export function startModeration(clock: Clock, takesMs: () => number): Promise<HttpServer> {
  return serve('moderation', clock, (app) => {
    app.post('/internal/verdicts', express.raw({ limit: '6mb' }), async (req, res) => {
      await pause(takesMs());
      // The picture as reply: allowed.
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
