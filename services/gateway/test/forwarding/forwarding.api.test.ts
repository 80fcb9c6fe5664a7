import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { everyEndpoint } from '../every-endpoint.ts';
import { type GatewayUnderTest, startGatewayUnderTest, unusedIp } from '../gateway-under-test.ts';
import { answerJson } from './fake-upstream.ts';
import { sendRawUntil } from './raw-client.ts';

let gateway: GatewayUnderTest;
let key: string;

beforeAll(async () => {
  gateway = await startGatewayUnderTest();
  ({ key } = await gateway.createKey(await gateway.register()));
});
afterAll(async () => gateway[Symbol.asyncDispose]());
beforeEach(() => {
  gateway.offers.seen.length = 0;
  gateway.offers.respond = answerJson((seen) => {
    gateway.offers.seen.push(seen);
    return { status: 200, body: { return_code: 'S1' } };
  });
});

describe('every endpoint of the specification', () => {
  it.each([
    ['GET', '/categories', 'offers', '2000'],
    ['GET', '/interests', 'offers', '2000'],
    ['POST', '/offers/price-estimate', 'pricing', '2000'],
    ['POST', '/offers', 'offers', '25000'],
    ['GET', '/offers?environment=test&limit=5', 'offers', '2000'],
    ['POST', '/offers/17/pause', 'offers', '2000'],
    ['POST', '/offers/17/resume', 'offers', '2000'],
    ['GET', '/offers/17/analytics?interval=7d', 'offers', '2000'],
    ['DELETE', '/offers/17', 'offers', '10000'],
  ] as const)('%s %s reaches %s as it is, with its budget', async (method, path, service, budgetMs) => {
    expect((await gateway.call(path, { method, key })).status).toBe(200);
    expect(gateway[service].seen.at(-1)).toMatchObject({ method, url: path });
    expect(gateway[service].seen.at(-1)?.headers['x-request-budget-ms']).toBe(budgetMs);
  });

  it('is told by when the service must commit, in the time that its replies have shown, which no caller sees', async () => {
    gateway.offers.respond = answerJson((seen) => {
      gateway.offers.seen.push(seen);
      return { status: 200, body: {}, headers: { 'x-store-time': '4000000000000' } };
    });
    const reply = await gateway.call('/categories', { key });
    expect(reply.headers.get('x-store-time')).toBeNull();
    const headers = { 'x-commit-by': '9000000000000' };
    await gateway.call('/offers/17/pause', { method: 'POST', key, headers });
    const commitByMs = Number(gateway.offers.seen.at(-1)?.headers['x-commit-by']);
    expect(commitByMs).toBeGreaterThanOrEqual(4_000_000_002_000);
    expect(commitByMs).toBeLessThan(4_000_000_062_000);
  });

  it('passes ids on as they were written, even when their escapes are broken', async () => {
    await gateway.call('/offers/abc%20def/pause', { method: 'POST', key });
    expect(gateway.offers.seen.at(-1)?.url).toBe('/offers/abc%20def/pause');
    expect((await gateway.call('/offers/%FF/pause', { method: 'POST', key })).status).toBe(200);
    expect(gateway.offers.seen.at(-1)?.url).toBe('/offers/%25FF/pause');
  });

  it('is all there is: internal routes of the services cannot be reached', async () => {
    for (const path of ['/internal/price', '/offers/17', '/offers/../internal/price', '/images/x']) {
      expect([path, (await gateway.call(path, { key })).status]).toEqual([path, 404]);
    }
    expect(gateway.offers.seen).toHaveLength(0);
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

  it('streams: the service sees the first part before the last was sent', async () => {
    const first = Promise.withResolvers<string>();
    gateway.offers.respond = (req, res) => {
      req.once('data', (chunk: Buffer) => first.resolve(chunk.toString()));
      req.resume().once('end', () => res.end('{}'));
    };
    // A stream cannot be sent again after a 503, which a busy machine may give: each try has its own.
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

  it('that is refused before it was read still gets the refusal', async () => {
    gateway.offers.respond = (_req, res) => {
      res.writeHead(400, { 'content-type': 'application/json' });
      res.end('{"return_code":"E1"}');
    };
    const body = Buffer.alloc(10_000_000);
    const reply = await gateway.call('/offers', { method: 'POST', key, body });
    expect([reply.status, reply.body]).toEqual([400, { return_code: 'E1' }]);
  });

  it('that breaks off ends the request at the service too', async () => {
    const broken = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    gateway.offers.respond = (req) => {
      req.on('data', () => begun.resolve());
      req.on('error', () => broken.resolve());
    };
    const { socket } = await sendRawUntil(
      begun.promise,
      gateway.url,
      `POST /offers HTTP/1.1\r\nHost: a\r\nX-Api-Key: ${key}\r\nContent-Length: 100\r\n\r\nhalf`,
    );
    socket.resetAndDestroy();
    await broken.promise;
    expect((await gateway.call('/categories', { key, once: true })).status).not.toBe(500);
  });
});

describe('a client that goes away while the service works', () => {
  it.each(everyEndpoint)(
    'takes the request to the service along, and is in the log: $route',
    async (sample) => {
      const organisationId = await gateway.register();
      const own = await gateway.createKey(organisationId);
      const { method, path, body = '' } = sample;
      const head = [
        `${method} ${path} HTTP/1.1`,
        'Host: a',
        `X-Api-Key: ${own.key}`,
        `X-Forwarded-For: ${unusedIp()}`,
        ...(body === '' ? [] : [`Content-Length: ${body.length}`]),
      ];
      let left = 0;
      const leave = async () => {
        const working = Promise.withResolvers<void>();
        const ended = Promise.withResolvers<void>();
        for (const service of [gateway.offers, gateway.pricing]) {
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
      // Not the end of the budget: that would be two seconds at least.
      await inTime(1_900, leave);
      gateway.pricing.respond = answerJson(() => ({ status: 200, body: {} }));
      await eventually(async () => {
        const path = `/organisations/${organisationId}/calls?status=499`;
        const { calls } = (await gateway.admin('GET', path)).body as { calls: object[] };
        const call = { route: sample.route, status: 499, returnCode: null };
        expect(calls).toMatchObject(calls.map(() => call));
        // Of a try that took too long it may say 503.
        expect(calls.length).toBeGreaterThan(0);
        expect(calls.length).toBeLessThanOrEqual(left);
      });
    },
  );
});

describe('a reply', () => {
  it('comes back with its status, body and own headers, without those of the connection', async () => {
    gateway.offers.respond = answerJson(() => ({
      status: 409,
      body: { message: 'still being processed' },
      headers: {
        'retry-after': '1',
        'idempotent-replayed': 'true',
        'x-request-id': 'other',
        'keep-alive': 'timeout=1',
      },
    }));
    const { status, body, headers } = await gateway.call('/offers', {
      method: 'POST',
      key,
      headers: { 'x-request-id': 'mine-12345' },
    });
    expect([status, body]).toEqual([409, { message: 'still being processed' }]);
    expect(headers.get('retry-after')).toBe('1');
    expect(headers.get('idempotent-replayed')).toBe('true');
    expect(headers.get('x-request-id')).toBe('mine-12345');
    expect(headers.get('x-ratelimit-limit')).toBe('60');
  });

  it('of a 401 from the service passes as it is', async () => {
    const refusal = { return_code: 'E1', status: 'Error', code: 401, message: 'Offer not found' };
    gateway.offers.respond = answerJson(() => ({ status: 401, body: refusal }));
    expect(await gateway.call('/offers/1', { method: 'DELETE', key })).toMatchObject({
      status: 401,
      body: refusal,
    });
  });
});
