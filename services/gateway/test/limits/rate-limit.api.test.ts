/** The limit of 60 requests a minute per client address: what replies show of it, when it ends, and who counts as one client. */
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { composeKey } from '../../src/domain/keys/api-key.ts';
import { sendRaw, sendRawUntil } from '../forwarding/raw-client.ts';
import { type Reply, startGatewayUnderTest, unusedIp } from '../gateway-under-test.ts';

const gateway = forAllTests(() => startGatewayUnderTest());
let organisationId: number;
let key: string;
beforeAll(async () => {
  organisationId = await gateway.register();
  ({ key } = await gateway.createKey(organisationId));
});
beforeEach(() => gateway.resetUpstreams());

const categories = (sent: object = {}) => gateway.call('/categories', { key, once: true, ...sent });
const answeredByService = (status: number) => {
  gateway.offers.answer(status, {});
  return categories();
};

function fieldsOf({ headers }: Reply) {
  return {
    limit: headers.get('x-ratelimit-limit'),
    remaining: headers.get('x-ratelimit-remaining'),
    reset: headers.get('x-ratelimit-reset'),
    policy: headers.get('ratelimit-policy'),
    state: headers.get('ratelimit'),
  };
}

describe('the fields of the limit are in a reply with', () => {
  it.each<[number, string, () => Promise<Reply>]>([
    [200, 'success', () => categories()],
    [401, 'no key', () => categories({ key: null })],
    [404, 'an unknown path', () => gateway.call('/nowhere', { key })],
    [405, 'a method that the path does not have', () => categories({ method: 'PUT' })],
    [409, 'a refusal of the service', () => answeredByService(409)],
    [500, 'a fault of the service', () => answeredByService(500)],
    [
      503,
      'an unavailable service',
      () => {
        gateway.offers.respond = (req) => req.socket.resetAndDestroy();
        return categories();
      },
    ],
    [
      500,
      'a fault of the gateway, which tells no details',
      async () => {
        const renamed = 'ALTER TABLE api_keys RENAME COLUMN';
        await gateway.database.query(`${renamed} expires_at TO away`);
        const unknown = Array.from({ length: 32 }, () => 7);
        const reply = await categories({ key: composeKey('TEST', unknown) });
        await gateway.database.query(`${renamed} away TO expires_at`);
        expect(reply.body).toEqual({ message: 'Internal server error' });
        return reply;
      },
    ],
  ])('%i, %s', async (status, _case, call) => {
    const reply = await call();
    expect([reply.status, fieldsOf(reply)]).toEqual([
      status,
      { limit: '60', remaining: '59', reset: '60', policy: '"ip";q=60;w=60', state: '"ip";r=59;t=60' },
    ]);
    expect(reply.headers.has('retry-after')).toBe(status === 503);
    expect(reply.headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{8,64}$/);
  });

  it('400, a body that breaks while it is forwarded', async () => {
    const begun = Promise.withResolvers<void>();
    gateway.offers.respond = (req) => {
      req.on('error', () => {}).once('data', () => begun.resolve());
    };
    const head = ['POST /offers HTTP/1.1', 'Host: a', `X-Api-Key: ${key}`, `X-Forwarded-For: ${unusedIp()}`];
    const bytes = [...head, 'Transfer-Encoding: chunked', '', '4', 'half', ''].join('\r\n');
    const { socket, answer } = await sendRawUntil(begun.promise, gateway.url, bytes);
    socket.write('zz\r\n');
    const text = await answer;
    expect(text).toMatch(/^HTTP\/1\.1 400 .*\{"message":"Bad request"\}$/s);
    for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'])
      expect(text).toMatch(new RegExp(`^${name}: .+\r$`, 'im'));
  });
});

describe('the limit', () => {
  // Only the time of day stands still: all timers go on.
  const timers = [
    'hrtime',
    'nextTick',
    'performance',
    'queueMicrotask',
    'setImmediate',
    'setInterval',
    'setTimeout',
  ] as const;
  const clearing = ['clearImmediate', 'clearInterval', 'clearTimeout'] as const;
  beforeEach(() => void jest.useFakeTimers({ doNotFake: [...timers, ...clearing] }));
  afterEach(() => void jest.useRealTimers());

  it('refuses the 61st request of a minute, and ends 60 seconds after the first, to the millisecond', async () => {
    const ip = unusedIp();
    const begin = Date.now();
    const ask = async (atMs: number) => {
      jest.setSystemTime(begin + atMs);
      const reply = await gateway.call('/nowhere', { ip });
      return { status: reply.status, retryAfter: reply.headers.get('retry-after'), ...fieldsOf(reply) };
    };
    expect(await ask(0)).toMatchObject({ status: 404, remaining: '59', reset: '60', retryAfter: null });
    for (let count = 2; count <= 59; count += 1) await ask(30_000);
    expect(await ask(30_001)).toMatchObject({ status: 404, remaining: '0', reset: '30' });
    const refused = { status: 429, remaining: '0', reset: '30', retryAfter: '30', state: '"ip";r=0;t=30' };
    expect(await ask(30_002)).toMatchObject(refused);
    expect(await ask(59_999)).toMatchObject({ status: 429, reset: '1', retryAfter: '1' });
    for (const path of ['/openapi.json', '/docs', '/portal', '/livez']) {
      const page = await gateway.call(path, { ip });
      expect([path, page.status, page.headers.has('x-ratelimit-limit')]).toEqual([path, 200, false]);
    }
    expect(await ask(60_000)).toMatchObject({ status: 404, remaining: '59', reset: '60', retryAfter: null });
  });
});

describe('one client', () => {
  const left = async (ip: string, o: { base?: string; headers?: Record<string, string> } = {}) =>
    (await gateway.call('/nowhere', { ip, ...o })).headers.get('x-ratelimit-remaining');

  it('is an address in every notation, read over all lines of X-Forwarded-For', async () => {
    const notations = [
      '203.0.113.77',
      '[::ffff:cb00:714d]:443',
      '198.51.100.1, 203.0.113.77:5678, 127.0.0.9',
    ];
    const counts: (string | null)[] = [];
    for (const notation of notations) counts.push(await left(notation));
    expect(counts).toEqual(['59', '58', '57']);
    const lines = ['GET /nowhere HTTP/1.1', 'Host: a', 'Connection: close'];
    const forwarded = ['X-Forwarded-For: 198.51.100.1', 'X-Forwarded-For: 203.0.113.77'];
    const answer = await sendRaw(gateway.url, [...lines, ...forwarded, '', ''].join('\r\n')).answer;
    expect(answer).toMatch(/X-RateLimit-Remaining: 56\r\n/i);
  });

  it('is an IPv6 network of 64 bits', async () => {
    expect(await left('2001:db8:77:1::1')).toBe('59');
    expect(await left('[2001:DB8:77:1:ffff::9]:443')).toBe('58');
    expect(await left('2001:db8:77:2::1')).toBe('59');
  });

  it('is the peer itself if that is no trusted proxy, whatever its headers claim', async () => {
    await using direct = await gateway.startReplica({ config: { TRUSTED_PROXIES: ['10.0.0.0/8'] } });
    const counts: (string | null)[] = [];
    for (const ip of ['203.0.113.90', '10.0.0.1', '2001:db8::1', '127.0.0.1']) {
      const headers = { 'x-real-ip': ip, forwarded: `for=${ip}`, 'true-client-ip': ip };
      counts.push(await left(ip, { base: direct.url, headers }));
    }
    expect(counts).toEqual(['59', '58', '57', '56']);
  });
});
