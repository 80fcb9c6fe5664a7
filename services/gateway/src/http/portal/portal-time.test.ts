import { describe, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { startTestServer } from '@offer-ads/testing/http-server';
import { collectingLogger } from '@offer-ads/testing/logger';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Express } from 'express';
import { ignoreLateReplies, liftTime, limitTime } from './portal-time.ts';

const budgetMs = 10;
const { logger, lines } = collectingLogger();
const { promise: work, resolve: finishWork } = Promise.withResolvers<void>();
let worked = 0;

const server = forAllTests(() => {
  const routes = (app: Express) => {
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
  };
  return startTestServer(routes, { logger });
});

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
