/** Services, or the store of keys, that are away: what callers get, what goes on, and what the call log has afterwards. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { startTcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { startGatewayUnderTest, unusedIp } from '../gateway-under-test.ts';
import { sendRawUntil } from './raw-client.ts';

const gateway = forAllTests(() => startGatewayUnderTest());
let organisationId: number;
let key: string;

beforeEach(async () => {
  gateway.resetUpstreams();
  organisationId = await gateway.register();
  ({ key } = await gateway.createKey(organisationId));
});

const unavailable = { status: 503, body: { message: 'Service unavailable' } };

describe('a service that is away', () => {
  it('is a 503 for its endpoints, and other endpoints go on', async () => {
    // Nothing listens there.
    await using replica = await gateway.startReplica({ config: { OFFERS_URL: 'http://127.0.0.1:9' } });
    const ask = (path: string, o = {}) => gateway.call(path, { key, base: replica.url, once: true, ...o });
    const refused = await ask('/categories');
    expect(refused).toMatchObject(unavailable);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect((await ask('/offers/price-estimate', { method: 'POST', body: '{}' })).status).toBe(200);
  });

  it('is not asked while the breaker is open; a probe finds it back, so that a slow first upload keeps nobody waiting', async () => {
    await using replica = await gateway.startReplica();
    const ask = () => gateway.call('/categories', { key, base: replica.url, once: true });
    let reached = 0;
    gateway.offers.respond = (req) => {
      reached += 1;
      req.socket.resetAndDestroy();
    };
    for (let count = 0; count < 12; count += 1) expect(await ask()).toMatchObject(unavailable);
    expect(reached).toBeLessThan(12);
    const arrived = Promise.withResolvers<void>();
    gateway.offers.respond = (req, res) => {
      if (req.method !== 'POST') return void res.end('{}');
      arrived.resolve();
      req.on('error', () => {});
    };
    const upload = ['POST /offers HTTP/1.1', 'Host: a', `X-Forwarded-For: ${unusedIp()}`];
    upload.push(`X-Api-Key: ${key}`, 'Connection: close', 'Content-Length: 99999', '', 'begun');
    // No other request comes until the service has the upload.
    const slow = await sendRawUntil(arrived.promise, replica.url, upload.join('\r\n'));
    try {
      const statuses: number[] = [];
      for (let count = 0; count < 5; count += 1) statuses.push((await ask()).status);
      expect(statuses).toEqual([200, 200, 200, 200, 200]);
    } finally {
      slow.socket.destroy();
    }
  });
});

describe('while the store of keys', () => {
  /** A replica whose way to the store can be cut. */
  async function startCutOff() {
    await using opened = new AsyncDisposableStack();
    const wire = opened.use(await startTcpProxy(gateway.databaseUrl));
    const { url } = opened.use(await gateway.startReplica({ config: { GATEWAY_DATABASE_URL: wire.url } }));
    const running = opened.move();
    const ask = (path: string, sent = key) =>
      fetch(url + path, { headers: { 'x-api-key': sent, 'x-forwarded-for': unusedIp() } });
    return { wire, ask, [Symbol.asyncDispose]: () => running.disposeAsync() };
  }
  const answerOf = async (response: Response) => ({ status: response.status, body: await response.json() });

  it('is away, requests with a key get 503, pages go on, the status says why, and every call is logged later', async () => {
    await using cutOff = await startCutOff();
    const { wire, ask } = cutOff;
    wire.takeDown();
    // These answers need no look-up.
    for (const noKey of [`${key}0`, key.toLowerCase()])
      expect((await ask('/categories', noKey)).status).toBe(401);
    expect((await ask('/nowhere')).status).toBe(404);
    const refused = await ask('/categories');
    expect(await answerOf(refused)).toEqual(unavailable);
    expect(refused.headers.get('x-ratelimit-limit')).toBe('60');
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect((await ask('/openapi.json')).status).toBe(200);
    // No other replica could do better, and somebody must show the status.
    expect((await ask('/readyz')).status).toBe(200);
    await eventually(async () => {
      expect(await answerOf(await ask('/status.json'))).toMatchObject({
        status: 503,
        body: {
          overall: 'down',
          dependencies: expect.arrayContaining([
            expect.objectContaining({ name: 'postgres', state: 'down' }),
          ]),
        },
      });
    });
    const page = await ask('/status');
    expect([page.status, await page.text()]).toEqual([503, expect.stringContaining('Keys and accounts')]);
    wire.bringBack();
    const logged = async () =>
      (await gateway.callsOf(organisationId)).map(({ route, status }) => `${route} ${status}`).toSorted();
    await eventually(async () =>
      expect(await logged()).toEqual(['GET /categories 503', 'GET unmatched 404']),
    );
    await eventually(async () => expect((await ask('/categories')).status).toBe(200));
  });

  it('is frozen, requests with a key get 503 in under a second', async () => {
    await using cutOff = await startCutOff();
    const { wire, ask } = cutOff;
    const categories = () => ask('/categories');
    await eventually(async () => expect((await categories()).status).toBe(200));
    // Connections that are opened meanwhile freeze during their start.
    const freezing = setInterval(wire.freeze, 1);
    try {
      await eventually(async () => expect((await categories()).status).toBe(503));
      expect(await answerOf(await inTime(1_000, categories))).toEqual(unavailable);
    } finally {
      clearInterval(freezing);
      wire.cut();
    }
    await eventually(async () => expect((await categories()).status).toBe(200));
  });
});
