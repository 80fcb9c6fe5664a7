import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { adminToken, testAdminGuard } from '@offer-ads/testing/admin';
import { startTestServer } from '@offer-ads/testing/http-server';
import { silentLogger } from '@offer-ads/testing/logger';
import { testNamespace } from '@offer-ads/testing/stores/broker';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { mountParkedRoutes } from '../src/admin/parked-routes.ts';
import type { HttpServer } from '../src/http/server.ts';
import { type Broker, on } from '../src/messaging/broker/broker.ts';
import { Counted, connectTestBroker, counted } from './test-events.ts';

describe('the routes of parked events', () => {
  let offers: Broker;
  let billing: Broker;
  let server: HttpServer;
  beforeAll(async () => {
    const corner = testNamespace();
    offers = await connectTestBroker(corner, 'offers');
    billing = await connectTestBroker(corner, 'billing', { retryDelaysMs: [] });
    await billing.consume([on(Counted, () => Promise.reject(new Error('always broken')))]);
    server = await startTestServer((app) =>
      mountParkedRoutes(app, { broker: billing, admin: testAdminGuard(), logger: silentLogger }),
    );
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await billing[Symbol.asyncDispose]();
    await offers[Symbol.asyncDispose]();
  });

  async function call(method: string, path: string, body?: unknown, token = adminToken) {
    const response: Response = await fetch(`${server.url}/admin/parked${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  }

  it('list, replay and drop them', async () => {
    const event = counted(1);
    await offers.publish([event]);
    const listed = () =>
      eventually(async () => {
        const reply = await call('GET', '?limit=5');
        expect(reply).toMatchObject({
          status: 200,
          body: { parked: [{ id: event.id, reason: 'always broken' }] },
        });
      });
    await listed();
    expect(await call('POST', '/replay', { ids: [event.id] })).toEqual({
      status: 200,
      body: { replayed: 1 },
    });
    await listed();
    expect(await call('POST', '/drop', { ids: 'all' })).toEqual({ status: 200, body: { dropped: 1 } });
    expect(await call('GET', '')).toEqual({ status: 200, body: { parked: [] } });
  });

  it('refuse a caller without the credential', async () => {
    expect(await call('POST', '/drop', { ids: 'all' }, 'guessed')).toMatchObject({ status: 401 });
  });

  it.each([
    ['GET', '?limit=0', undefined],
    ['POST', '/replay', {}],
    ['POST', '/drop', { ids: [] }],
  ])('refuse %s %s with a wrong selection', async (method, path, body) => {
    expect(await call(method, path, body)).toMatchObject({
      status: 400,
      body: { message: expect.any(String) },
    });
  });

  it('have nothing to show for a service that consumes no event', async () => {
    expect(await offers.parked.list(10)).toEqual([]);
    expect(await offers.parked.replay('all')).toBe(0);
  });
});
