import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type HttpServer, startHttpServer } from '@offer-ads/platform/http/server';
import { systemClock } from '@offer-ads/platform/process/clock';
import { createLogger } from '@offer-ads/platform/telemetry/logging';
import { createMetrics } from '@offer-ads/platform/telemetry/metrics';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { ignoreLateReplies, liftTime, limitTime } from './portal-time.ts';

const budgetMs = 10;
const lines: string[] = [];
const logger = createLogger({
  service: 'gateway',
  level: 'info',
  destination: { write: (line) => void lines.push(line) },
});
let server: HttpServer;
let finishWork = () => {};
let worked = 0;

beforeAll(async () => {
  const work = new Promise<void>((resolve) => {
    finishWork = resolve;
  });
  server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    logger,
    metrics: createMetrics('gateway'),
    clock: systemClock,
    readiness: async () => [],
    routes: (app) => {
      app.get('/timed', limitTime(logger, budgetMs), async (_req, res) => {
        await work;
        worked += 1;
        res.json({ done: true });
      });
      app.get('/lifted', limitTime(logger, budgetMs), liftTime, async (_req, res) => {
        await work;
        res.json({ done: true });
      });
      app.use(ignoreLateReplies);
    },
  });
});
afterAll(async () => server[Symbol.asyncDispose]());

describe('the time of a portal request', () => {
  it('ends with a 503, unless it was lifted; a later reply is not logged as a fault', async () => {
    const lifted = fetch(`${server.url}/lifted`);
    const timed = await fetch(`${server.url}/timed`);
    expect([timed.status, await timed.json()]).toEqual([503, { message: 'Service unavailable' }]);
    expect(timed.headers.get('retry-after')).not.toBeNull();

    finishWork();
    expect((await lifted).status).toBe(200);
    await eventually(() => expect(worked).toBe(1));
    expect((await fetch(`${server.url}/timed`)).status).toBe(200);
    expect(lines.filter((line) => line.includes('the time of the request is used up'))).toHaveLength(1);
    expect(lines.join('')).not.toContain('unexpected error');
  });
});
