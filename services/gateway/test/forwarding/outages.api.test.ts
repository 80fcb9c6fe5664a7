import type { RequestListener } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { startTcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { type GatewayUnderTest, type Reply, startGatewayUnderTest, unusedIp } from '../gateway-under-test.ts';
import { answerJson } from './fake-upstream.ts';
import { sendRawUntil } from './raw-client.ts';

let gateway: GatewayUnderTest;
let organisationId: number;
let key: string;

beforeEach(async () => {
  gateway = await startGatewayUnderTest();
  organisationId = await gateway.register();
  ({ key } = await gateway.createKey(organisationId));
});
afterEach(async () => gateway[Symbol.asyncDispose]());

/** What a caller needs of a reply to know what to do next. */
function gist({ status, body, headers }: Reply) {
  const mayRetry = /^[1-9]\d*$/.test(headers.get('retry-after') ?? '');
  return {
    status,
    body,
    mayRetry,
    limit: headers.get('x-ratelimit-limit'),
    hasId: headers.has('x-request-id'),
  };
}
const unavailable = {
  status: 503,
  body: { message: 'Service unavailable' },
  mayRetry: true,
  limit: '60',
  hasId: true,
};

describe('503 Service unavailable', () => {
  it('answers when nothing listens, and other services go on working', async () => {
    await gateway.offers[Symbol.asyncDispose]();
    expect(gist(await gateway.call('/categories', { key, once: true }))).toEqual(unavailable);
    expect((await gateway.call('/offers/price-estimate', { method: 'POST', key, body: '{}' })).status).toBe(
      200,
    );
  });

  it.each<[string, RequestListener]>([
    ['resets the connection', (req) => req.socket.resetAndDestroy()],
    [
      'breaks off before the first byte',
      (_req, res) => {
        res.writeHead(200, { 'content-length': '10', 'content-type': 'application/json' });
        res.flushHeaders();
        setTimeout(() => res.destroy(), 20);
      },
    ],
    ['answers what is not HTTP', (req) => req.socket.end('nonsense\r\n\r\n')],
  ])('answers when the service %s', async (_case, respond) => {
    gateway.offers.respond = respond;
    expect(gist(await gateway.call('/categories', { key, once: true }))).toEqual(unavailable);
  });

  it('answers within 3 seconds when the service hangs', async () => {
    gateway.offers.respond = () => {};
    await inTime(3_000, async () =>
      expect(gist(await gateway.call('/categories', { key, once: true }))).toEqual(unavailable),
    );
  });

  it('answers within 3 seconds when the service stops reading an upload', async () => {
    gateway.offers.respond = () => {};
    const body = Buffer.alloc(20_000_000);
    await inTime(5_000, async () =>
      expect(gist(await gateway.call('/offers', { method: 'POST', key, body, once: true }))).toEqual(
        unavailable,
      ),
    );
  });

  it('answers at once while the breaker is open, and stops soon after the recovery', async () => {
    let reached = 0;
    gateway.offers.respond = (req) => {
      reached += 1;
      req.socket.resetAndDestroy();
    };
    for (let count = 0; count < 12; count += 1)
      expect(gist(await gateway.call('/categories', { key, once: true }))).toEqual(unavailable);
    expect(reached).toBeLessThan(12);
    gateway.offers.respond = answerJson(() => ({ status: 200, body: {} }));
    await eventually(async () => expect((await gateway.call('/categories', { key })).status).toBe(200));
  });
});

describe('a service that is back after an outage', () => {
  it('is found by a probe, so that a slow upload, the first request to come, keeps nobody else waiting', async () => {
    gateway.offers.respond = (req) => void req.socket.resetAndDestroy();
    for (let count = 0; count < 12; count += 1) await gateway.call('/categories', { key, once: true });
    const arrived = Promise.withResolvers<void>();
    gateway.offers.respond = (req, res) => {
      if (req.method !== 'POST') return void res.end('{}');
      arrived.resolve();
      req.on('error', () => {});
    };
    const upload = [
      'POST /offers HTTP/1.1',
      'Host: a',
      `X-Forwarded-For: ${unusedIp()}`,
      `X-Api-Key: ${key}`,
      'Connection: close',
      'Content-Length: 100',
      '',
      'begun',
    ];
    // No other request comes until the service has the upload.
    const slow = await sendRawUntil(arrived.promise, gateway.url, upload.join('\r\n'));
    try {
      const statuses: number[] = [];
      for (let count = 0; count < 5; count += 1)
        statuses.push((await gateway.call('/categories', { key, once: true })).status);
      expect(statuses).toEqual([200, 200, 200, 200, 200]);
    } finally {
      slow.socket.destroy();
    }
  });
});

describe('while the store is away', () => {
  it('requests with a key get 503, pages go on, the status page says why, and every call is in the log when it is back', async () => {
    const wire = await startTcpProxy(gateway.databaseUrl);
    await using _wire = wire;
    await using cutOff = await gateway.startReplica({ config: { GATEWAY_DATABASE_URL: wire.url } });
    const ask = (path: string, sent = key) =>
      fetch(cutOff.url + path, { headers: { 'x-api-key': sent, 'x-forwarded-for': unusedIp() } });
    wire.takeDown();
    // What can be told without a look-up is told.
    expect((await ask('/categories', `${key}0`)).status).toBe(401);
    expect((await ask('/categories', key.toLowerCase())).status).toBe(401);
    expect((await ask('/nowhere')).status).toBe(404);
    const refused = await ask('/categories');
    expect([refused.status, await refused.json()]).toEqual([503, { message: 'Service unavailable' }]);
    expect(refused.headers.get('x-ratelimit-limit')).toBe('60');
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect((await ask('/openapi.json')).status).toBe(200);
    // No other replica could do better: whoever is taken out could show nobody the status.
    expect((await ask('/readyz')).status).toBe(200);
    await eventually(async () => {
      const status = await ask('/status.json');
      expect([status.status, await status.json()]).toEqual([
        503,
        expect.objectContaining({
          overall: 'down',
          dependencies: expect.arrayContaining([
            expect.objectContaining({ name: 'postgres', state: 'down' }),
          ]),
        }),
      ]);
    });
    const page = await ask('/status');
    expect([page.status, await page.text()]).toEqual([503, expect.stringContaining('Keys and accounts')]);
    wire.bringBack();
    await eventually(async () => {
      const { body } = await gateway.admin('GET', `/organisations/${organisationId}/calls`);
      expect(body).toMatchObject({
        calls: [
          { route: 'GET /categories', status: 503 },
          { route: 'GET unmatched', status: 404 },
        ],
      });
    });
    await eventually(async () => expect((await ask('/categories')).status).toBe(200));
  });
});

describe('while the store is frozen', () => {
  it('requests with a key get 503 in under a second, once what is remembered of the key is forgotten', async () => {
    const wire = await startTcpProxy(gateway.databaseUrl);
    await using _wire = wire;
    await using cutOff = await gateway.startReplica({ config: { GATEWAY_DATABASE_URL: wire.url } });
    const ask = () =>
      fetch(`${cutOff.url}/categories`, { headers: { 'x-api-key': key, 'x-forwarded-for': unusedIp() } });
    await eventually(async () => expect((await ask()).status).toBe(200));
    // Connections that are made meanwhile freeze too, in the middle of their greeting.
    const freezing = setInterval(wire.freeze, 1);
    try {
      await eventually(async () => expect((await ask()).status).toBe(503));
      const refused = await inTime(1_000, ask);
      expect([refused.status, await refused.json()]).toEqual([503, { message: 'Service unavailable' }]);
    } finally {
      clearInterval(freezing);
      wire.cut();
    }
    await eventually(async () => expect((await ask()).status).toBe(200));
  });
});

describe('a long creation', () => {
  it('is waited for longer than any other request', async () => {
    gateway.offers.respond = (req, res) => {
      req.resume().once('end', () => setTimeout(() => res.end('{}'), 3_500));
    };
    expect((await gateway.call('/offers', { method: 'POST', key, body: 'form' })).status).toBe(200);
  });
});
