/** An HTTP server of the platform for routes under test. */
import { type HttpServer, type HttpServerOptions, startHttpServer } from '@offer-ads/platform/http/server';
import { systemClock } from '@offer-ads/platform/process/clock';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { silentLogger } from './logger.ts';

/** On a free port, silent and always ready, unless `overrides` say otherwise. */
export function startTestServer(
  routes: HttpServerOptions['routes'],
  overrides: Partial<HttpServerOptions> = {},
): Promise<HttpServer> {
  return startHttpServer({
    host: '127.0.0.1',
    port: 0,
    logger: silentLogger,
    metrics: createMetrics('test'),
    clock: systemClock,
    readiness: async () => [],
    routes,
    ...overrides,
  });
}
