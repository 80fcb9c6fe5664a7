import { request } from 'node:http';
import { expect, it } from '@jest/globals';
import { silentLogger } from '@offer-ads/testing/logger';
import { systemClock } from '../process/clock.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { startHttpServer } from './server.ts';

const hostile = [
  '/offers/4711',
  '/OFFERS/4712',
  '/offers/%F0%9F%92%A9',
  '/offers/4711?key=pk_live_leaked',
  '//evil.example/4711',
  '/offers/../4711/%00',
  '/4711',
  '/metrics/4711',
  '*',
];
const methods = ['GET', 'HEAD', 'DELETE', 'PROPFIND', 'M-SEARCH', 'REBIND', 'UNLOCK', 'OPTIONS'];

it('labels of requests hold nothing that a stranger sent, and are few whatever that is', async () => {
  const metrics = createMetrics('offers');
  await using server = await startHttpServer({
    service: 'offers',
    host: '127.0.0.1',
    port: 0,
    logger: silentLogger,
    metrics,
    clock: systemClock,
    readiness: async () => [],
    routes: (app) => app.get('/offers/:offer_id', (_req, res) => void res.json({})),
  });
  for (const path of hostile) await Promise.all(methods.map((method) => send(server.port, method, path)));
  const told = await metrics.registry.getSingleMetric('http_request_duration_seconds')?.get();
  const labels = (told?.values ?? []).map(({ labels }) => labels);
  const valuesOf = (name: string) => [...new Set(labels.map((each) => String(each[name])))].toSorted();
  expect(valuesOf('route')).toEqual(['/offers/:offer_id', 'unmatched']);
  expect(valuesOf('method')).toEqual(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'other']);
  const series = labels.map(({ method, route, status }) => `${method} ${route} ${status}`);
  expect(new Set(series).size).toBeLessThan(20);
});

/** As it is written: fetch would tidy the path up. */
function send(port: number, method: string, path: string): Promise<void> {
  return new Promise((resolve) => {
    const sent = request(
      { host: '127.0.0.1', port, method, path, headers: { connection: 'close' } },
      (reply) => {
        reply.resume().on('close', () => resolve());
      },
    );
    // Being cut off is an answer too.
    sent.on('error', () => resolve());
    sent.end();
  });
}
