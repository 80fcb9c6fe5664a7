import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ParkedMessage } from '@offer-ads/contracts/admin/events-api';
import { adminToken, testAdminGuard } from '@offer-ads/testing/admin';
import { startTestServer } from '@offer-ads/testing/http-server';
import type { HttpServer } from '../http/server.ts';
import { mountParkedRoutes } from './parked-routes.ts';

const message: ParkedMessage = {
  id: 'e1',
  type: null,
  subject: null,
  reason: 'always broken',
  attempts: 5,
  parkedAt: null,
  body: '{}',
};
let asked: unknown[];
let server: HttpServer;
beforeAll(async () => {
  const answer = (result: unknown) => async (of: unknown) => {
    asked.push(of);
    return result as never;
  };
  const parked = { list: answer([message]), replay: answer(2), drop: answer(3) };
  server = await startTestServer((app) =>
    mountParkedRoutes(app, { broker: { parked }, admin: testAdminGuard() }),
  );
});
beforeEach(() => {
  asked = [];
});
afterAll(async () => server[Symbol.asyncDispose]());

async function call(method: string, path: string, body?: unknown, token = adminToken) {
  const response = await fetch(`${server.url}/admin/parked${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return [response.status, await response.json()];
}

describe('the routes of parked events', () => {
  it('list, replay and drop those that are named', async () => {
    expect(await call('GET', '?limit=5')).toEqual([200, { parked: [message] }]);
    expect(await call('POST', '/replay', { ids: ['e1', 'e2'] })).toEqual([200, { replayed: 2 }]);
    expect(await call('POST', '/drop', { ids: 'all' })).toEqual([200, { dropped: 3 }]);
    expect(asked).toEqual([5, ['e1', 'e2'], 'all']);
  });

  it.each([
    ['GET', '?limit=0', undefined, adminToken, 400],
    ['POST', '/replay', {}, adminToken, 400],
    ['POST', '/drop', { ids: [] }, adminToken, 400],
    ['POST', '/drop', { ids: 'all' }, 'guessed', 401],
  ])('refuse %s %s with %j by %s', async (method, path, body, token, status) => {
    expect(await call(method, path, body, token)).toEqual([status, { message: expect.any(String) }]);
    expect(asked).toEqual([]);
  });
});
