import { request } from 'node:http';
import { expect, it } from '@jest/globals';
import { startTestServer } from '@offer-ads/testing/http-server';
import { createMetrics } from '../telemetry/metrics.ts';

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

it('labels of request metrics have few values, and none that a stranger sent', async () => {
  const metrics = createMetrics('offers');
  await using server = await startTestServer(
    (app) => app.get('/offers/:offer_id', (_req, res) => void res.json({})),
    { metrics },
  );
  for (const path of hostile) await Promise.all(methods.map((method) => send(server.port, method, path)));
  const metric = await metrics.registry.getSingleMetric('http_request_duration_seconds')?.get();
  const labels = (metric?.values ?? []).map(({ labels }) => labels);
  const valuesOf = (name: string) => [...new Set(labels.map((each) => String(each[name])))].toSorted();
  expect(valuesOf('route')).toEqual(['/offers/:offer_id', 'unmatched']);
  expect(valuesOf('method')).toEqual(['DELETE', 'GET', 'HEAD', 'OPTIONS', 'other']);
  const series = labels.map(({ method, route, status }) => `${method} ${route} ${status}`);
  expect(new Set(series).size).toBeLessThan(20);
});

/** Sends the path unchanged; `fetch` would normalise it. */
function send(port: number, method: string, path: string): Promise<void> {
  return new Promise((resolve) => {
    const sent = request(
      { host: '127.0.0.1', port, method, path, headers: { connection: 'close' } },
      (reply) => {
        reply.resume().on('close', () => resolve());
      },
    );
    // The server may also cut the connection.
    sent.on('error', () => resolve());
    sent.end();
  });
}
