/** What a service gets of a request, and a caller of its reply. */
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { everyEndpoint } from '../every-endpoint.ts';
import { startGatewayUnderTest, unusedIp } from '../gateway-under-test.ts';
import { lastCallerAt } from './fake-upstream.ts';
import { sendRawUntil } from './raw-client.ts';

const gateway = forAllTests(() => startGatewayUnderTest());
let key: string;

beforeAll(async () => {
  ({ key } = await gateway.createKey(await gateway.register()));
});
beforeEach(() => gateway.resetUpstreams());

describe('every endpoint of the specification', () => {
  it.each([
    ['GET', '/categories', 'offers', '2000'],
    ['GET', '/interests', 'offers', '2000'],
    ['GET', '/balance', 'billing', '2000'],
    ['GET', '/balance/entries?limit=5', 'billing', '2000'],
    ['POST', '/offers/price-estimate', 'pricing', '2000'],
    ['POST', '/offers', 'offers', '25000'],
    ['GET', '/offers?environment=test&limit=5', 'offers', '2000'],
    ['GET', '/offers/17', 'offers', '2000'],
    ['POST', '/offers/17/pause', 'offers', '2000'],
    ['POST', '/offers/17/resume', 'offers', '2000'],
    ['GET', '/offers/17/analytics?interval=7d', 'offers', '2000'],
    ['GET', '/offers/17/analytics/series?interval=7d&granularity=day', 'offers', '2000'],
    ['GET', '/offers/17/results', 'offers', '2000'],
    ['GET', '/offers/17/changes?limit=5', 'offers', '2000'],
    ['GET', '/results?interval=30d', 'offers', '2000'],
    ['POST', '/offers/17/credit-estimate', 'offers', '2000'],
    ['PATCH', '/offers/17', 'offers', '15000'],
    ['DELETE', '/offers/17', 'offers', '10000'],
    ['GET', '/test/clock', 'offers', '2000'],
    ['POST', '/test/clock', 'offers', '10000'],
    ['DELETE', '/test/clock', 'offers', '10000'],
    ['POST', '/webhooks', 'notifier', '2000'],
    ['PUT', '/webhooks/we_1', 'notifier', '2000'],
    ['GET', '/webhooks/we_1/messages?limit=5', 'notifier', '2000'],
    ['POST', '/webhooks/we_1/messages/msg_1/resend', 'notifier', '2000'],
  ] as const)('%s %s reaches %s with its path and its budget', async (method, path, service, budgetMs) => {
    expect((await gateway.call(path, { method, key })).status).toBe(200);
    const { url, headers, ...seen } = gateway[service].seen.at(-1)!;
    expect([seen.method, url, headers['x-request-budget-ms']]).toEqual([method, path, budgetMs]);
  });

  it('forwards ids as the caller wrote them, even with invalid escapes', async () => {
    for (const path of ['/offers/abc%20def/pause', '/offers/%FF/pause'])
      expect((await gateway.call(path, { method: 'POST', key })).status).toBe(200);
    expect(gateway.offers.seen.map(({ url }) => url)).toEqual([
      '/offers/abc%20def/pause',
      '/offers/%25FF/pause',
    ]);
  });

  it.each(['/internal/price', '/portal/offers/17', '/offers/../internal/price', '/images/x'])(
    'is the only way to a service: %s is 404',
    async (path) => {
      expect((await gateway.call(path, { key })).status).toBe(404);
      expect(gateway.offers.seen).toEqual([]);
    },
  );
});

describe('an estimate', () => {
  const estimate = async (withKey: string) => {
    await gateway.call('/offers/price-estimate', { method: 'POST', key: withKey, body: '{}' });
    return lastCallerAt(gateway.pricing).testClockAheadSeconds;
  };

  it("of a TEST key has the organisation's test clock, as offers tells it now", async () => {
    for (const ahead of [0, 3_600, 7_200]) {
      gateway.offers.testClockAheadSeconds = ahead;
      expect(await estimate(key)).toBe(ahead);
    }
  });

  it('of a LIVE key has none, and offers is not asked', async () => {
    const { key: liveKey } = await gateway.createKey(await gateway.register(), { mode: 'LIVE' });
    gateway.offers.testClockAheadSeconds = 3_600;
    expect(await estimate(liveKey)).toBeUndefined();
  });

  it('is by the real time while offers answers nothing sensible', async () => {
    gateway.offers.testClockAheadSeconds = -1;
    expect(await estimate(key)).toBeUndefined();
  });
});

describe('a request body', () => {
  it('arrives byte for byte with its type, its idempotency key and the request id', async () => {
    const body = Buffer.alloc(3_000_000, 'offer');
    const headers = {
      'content-type': 'multipart/form-data; boundary=b',
      'idempotency-key': 'k-1',
      'x-request-id': 'my-request-1',
    };
    await gateway.call('/offers', { method: 'POST', key, body, headers });
    const seen = gateway.offers.seen[0];
    expect(seen?.body.equals(body)).toBe(true);
    expect(seen?.headers).toMatchObject({ ...headers, 'content-length': '3000000' });
  });

  it('is a stream: the service gets its first part before its last part was sent', async () => {
    const first = Promise.withResolvers<string>();
    gateway.offers.respond = (req, res) => {
      req.once('data', (chunk: Buffer) => first.resolve(chunk.toString()));
      req.resume().once('end', () => res.end('{}'));
    };
    // A stream cannot be sent again after a 503, which a busy machine may give, so each try has its own.
    const { reply, finish } = await eventually(async () => {
      let finish = () => {};
      const body = new ReadableStream({
        start: (controller) => {
          controller.enqueue(new TextEncoder().encode('first'));
          finish = () => controller.close();
        },
      });
      const reply = gateway.call('/offers', { method: 'POST', key, body });
      expect(await Promise.race([first.promise, reply])).toBe('first');
      return { reply, finish };
    });
    finish();
    expect((await reply).status).toBe(200);
  });

  it('that the service refuses before reading it still gets the refusal', async () => {
    gateway.offers.respond = (_req, res) => {
      res.writeHead(400, { 'content-type': 'application/json' });
      res.end('{"return_code":"E1"}');
    };
    const reply = await gateway.call('/offers', { method: 'POST', key, body: Buffer.alloc(10_000_000) });
    expect([reply.status, reply.body]).toEqual([400, { return_code: 'E1' }]);
  });

  it('that breaks off ends the request at the service too', async () => {
    const broken = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    gateway.offers.respond = (req) => {
      req.on('data', () => begun.resolve());
      req.on('error', () => broken.resolve());
    };
    const bytes = `POST /offers HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${key}\r\nContent-Length: 99999\r\n\r\nhalf`;
    const { socket } = await sendRawUntil(begun.promise, gateway.url, bytes);
    socket.resetAndDestroy();
    await broken.promise;
    gateway.offers.reset();
    expect((await gateway.call('/categories', { key })).status).toBe(200);
  });
});

describe('a client that leaves before its reply', () => {
  it.each(everyEndpoint)('ends its request at the service, and is logged as 499: $route', async (sample) => {
    const organisationId = await gateway.register();
    const own = await gateway.createKey(organisationId);
    const { method, path, body = '' } = sample;
    const head = [`${method} ${path} HTTP/1.1`, 'Host: a', `X-Api-Key: ${own.key}`];
    head.push(`X-Forwarded-For: ${unusedIp()}`, ...(body === '' ? [] : [`Content-Length: ${body.length}`]));
    let left = 0;
    const leave = async () => {
      const working = Promise.withResolvers<void>();
      const ended = Promise.withResolvers<void>();
      for (const service of [gateway.offers, gateway.pricing, gateway.billing, gateway.notifier]) {
        service.respond = (req, res) => {
          res.once('close', () => ended.resolve());
          req.resume().once('end', () => working.resolve());
        };
      }
      const bytes = `${head.join('\r\n')}\r\n\r\n${body}`;
      const { socket } = await sendRawUntil(working.promise, gateway.url, bytes);
      socket.destroy();
      left += 1;
      await ended.promise;
    };
    // The end of the budget would come after two seconds at the earliest.
    await inTime(1_900, leave);
    await eventually(async () => {
      const calls = await gateway.callsOf(organisationId, 'status=499');
      for (const call of calls) expect(call).toMatchObject({ route: sample.route, returnCode: null });
      // A try that took too long may be logged as 503.
      expect(calls.length).toBeGreaterThan(0);
      expect(calls.length).toBeLessThanOrEqual(left);
    });
  });
});

describe('a reply', () => {
  it('comes back with its status, its body and its headers, and with the request id and limit of the gateway', async () => {
    const refusal = { return_code: 'E1', status: 'Error', code: 401, message: 'Offer not found' };
    const own = { 'retry-after': '1', 'idempotent-replayed': 'true' };
    gateway.offers.answer(401, refusal, { ...own, 'x-request-id': 'other' });
    const call = { method: 'DELETE', key, headers: { 'x-request-id': 'mine-12345' } };
    const { status, body, headers } = await gateway.call('/offers/17', call);
    expect([status, body]).toEqual([401, refusal]);
    expect(Object.fromEntries(headers)).toMatchObject({
      ...own,
      'x-request-id': 'mine-12345',
      'x-ratelimit-limit': '60',
    });
  });
});
