/** What replies tell of the limit: on every kind of status, and from the first second of a window to its last. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { composeKey } from '../../src/domain/keys/api-key.ts';
import { answerJson } from '../forwarding/fake-upstream.ts';
import { sendRawUntil } from '../forwarding/raw-client.ts';
import { type GatewayUnderTest, type Reply, startGatewayUnderTest, unusedIp } from '../gateway-under-test.ts';

let gateway: GatewayUnderTest;
let organisationId: number;
let key: string;
/** How long limits think that it has been. */
let elapsedMs = 1_000_000;

beforeAll(async () => {
  gateway = await startGatewayUnderTest({ overrides: { elapsedMs: () => elapsedMs } });
  organisationId = await gateway.register();
  ({ key } = await gateway.createKey(organisationId));
});
afterAll(async () => gateway[Symbol.asyncDispose]());

async function answeredBy(status: number): Promise<Reply> {
  const before = gateway.offers.respond;
  gateway.offers.respond = answerJson(() => ({ status, body: { message: 'of the service' } }));
  const reply = await gateway.call('/categories', { key });
  gateway.offers.respond = before;
  return reply;
}

function fieldsOf({ headers }: Reply) {
  return {
    limit: headers.get('x-ratelimit-limit'),
    remaining: headers.get('x-ratelimit-remaining'),
    reset: headers.get('x-ratelimit-reset'),
    policy: headers.get('ratelimit-policy'),
    standing: headers.get('ratelimit'),
  };
}

const firstOfSixty = {
  limit: '60',
  remaining: '59',
  reset: '60',
  policy: '"ip";q=60;w=60',
  standing: '"ip";r=59;t=60',
};

describe('the fields of the limit are in a reply with', () => {
  it.each<[number, string, () => Promise<Reply>]>([
    [200, 'success', () => gateway.call('/categories', { key })],
    [401, 'no key', () => gateway.call('/categories')],
    [401, 'a key that does not exist', () => gateway.call('/categories', { key: `${key.slice(0, -1)}!` })],
    [
      401,
      'a key without a mode',
      async () => {
        const old = await gateway.createKey(organisationId, { mode: null });
        return gateway.call('/categories', { key: old.key });
      },
    ],
    [404, 'an unknown path', () => gateway.call('/nowhere', { key })],
    [404, 'a method that the path does not have', () => gateway.call('/categories', { key, method: 'PUT' })],
    [500, 'a fault of the service', () => answeredBy(500)],
    [413, 'too much for the service', () => answeredBy(413)],
    [415, 'a media type that the service does not take', () => answeredBy(415)],
    [409, 'a conflict', () => answeredBy(409)],
    [422, 'another use of an idempotency key', () => answeredBy(422)],
  ])('%i, %s', async (status, _case, call) => {
    const reply = await call();
    expect([reply.status, fieldsOf(reply)]).toEqual([status, firstOfSixty]);
    expect(reply.headers.get('x-request-id')).toMatch(/^[A-Za-z0-9._-]{8,64}$/);
  });

  it('503, a service that is away', async () => {
    const before = gateway.offers.respond;
    gateway.offers.respond = (req) => req.socket.resetAndDestroy();
    const reply = await gateway.call('/categories', { key, once: true });
    gateway.offers.respond = before;
    expect([reply.status, fieldsOf(reply)]).toEqual([503, firstOfSixty]);
    expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  });

  it('500, a fault of the gateway itself, which tells nothing of it', async () => {
    const database = new pg.Client({ connectionString: gateway.databaseUrl });
    await database.connect();
    await database.query('ALTER TABLE api_keys RENAME COLUMN expires_at TO expires_at_away');
    const fresh = composeKey(
      'TEST',
      Array.from({ length: 32 }, () => 7),
    );
    const reply = await gateway.call('/categories', { key: fresh });
    await database.query('ALTER TABLE api_keys RENAME COLUMN expires_at_away TO expires_at');
    await database.end();
    expect([reply.status, reply.body]).toEqual([500, { message: 'Internal server error' }]);
    expect(fieldsOf(reply)).toEqual(firstOfSixty);
    expect(reply.headers.has('x-request-id')).toBe(true);
  });

  it('400, a body that breaks while it is passed on', async () => {
    const begun = Promise.withResolvers<void>();
    const before = gateway.offers.respond;
    gateway.offers.respond = (req) => {
      req.on('error', () => {}).once('data', () => begun.resolve());
    };
    const head = ['POST /offers HTTP/1.1', 'Host: a', `X-Api-Key: ${key}`, `X-Forwarded-For: ${unusedIp()}`];
    const { socket, answer } = await sendRawUntil(
      begun.promise,
      gateway.url,
      [...head, 'Transfer-Encoding: chunked', '', '4', 'half', ''].join('\r\n'),
    );
    socket.write('zz\r\n');
    const text = await answer;
    gateway.offers.respond = before;
    expect(text).toMatch(/^HTTP\/1\.1 400 .*\{"message":"Bad request"\}$/s);
    for (const name of ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'X-Request-Id'])
      expect(text).toMatch(new RegExp(`^${name}: .+\r$`, 'im'));
  });
});

describe('a window of the limit', () => {
  it('ends sixty seconds after its first request, to the millisecond', async () => {
    const ip = unusedIp();
    const begin = elapsedMs;
    const ask = async (atMs: number) => {
      elapsedMs = begin + atMs;
      const reply = await gateway.call('/nowhere', { ip });
      return { status: reply.status, retryAfter: reply.headers.get('retry-after'), ...fieldsOf(reply) };
    };
    expect(await ask(0)).toMatchObject({ status: 404, remaining: '59', reset: '60', retryAfter: null });
    for (let count = 2; count <= 59; count += 1) await ask(30_000);
    expect(await ask(30_001)).toMatchObject({ status: 404, remaining: '0', reset: '30' });
    expect(await ask(30_002)).toMatchObject({
      status: 429,
      remaining: '0',
      reset: '30',
      retryAfter: '30',
      standing: '"ip";r=0;t=30',
    });
    expect(await ask(59_999)).toMatchObject({ status: 429, reset: '1', retryAfter: '1' });
    expect(await ask(60_000)).toMatchObject({ status: 404, remaining: '59', reset: '60', retryAfter: null });
  });
});

describe('the client that is counted', () => {
  const count = async (forwardedFor: string) =>
    (await gateway.call('/nowhere', { ip: forwardedFor })).headers.get('x-ratelimit-remaining');

  it('is the same in every notation of its address, with a port or without', async () => {
    expect(await count('203.0.113.77')).toBe('59');
    expect(await count('203.0.113.77:5678')).toBe('58');
    expect(await count('::ffff:203.0.113.77')).toBe('57');
    expect(await count('[::ffff:cb00:714d]:443')).toBe('56');
    expect(await count('203.0.113.77, 127.0.0.9')).toBe('55');
    expect(await count('invented, 198.51.100.1, 203.0.113.77')).toBe('54');
  });

  it('is an IPv6 network of 64 bits', async () => {
    expect(await count('2001:db8:77:1::1')).toBe('59');
    expect(await count('[2001:DB8:77:1:ffff::9]:443')).toBe('58');
    expect(await count('2001:db8:77:2::1')).toBe('59');
  });

  it('is the peer itself when that is no proxy of ours, whatever it claims', async () => {
    await using direct = await startGatewayUnderTest({ settings: { TRUSTED_PROXIES: '10.0.0.0/8' } });
    const claims = ['203.0.113.90', '203.0.113.91', '10.0.0.1', '2001:db8::1', '127.0.0.1'];
    const left = [];
    for (const ip of claims) {
      const headers = { 'x-real-ip': ip, forwarded: `for=${ip}`, 'true-client-ip': ip };
      const reply = await direct.call('/nowhere', { ip, headers });
      left.push(reply.headers.get('x-ratelimit-remaining'));
    }
    expect(left).toEqual(['59', '58', '57', '56', '55']);
  });

  it('is read over several lines of the header as if they were one', async () => {
    expect(await count('203.0.113.78')).toBe('59');
    const { hostname, port } = new URL(gateway.url);
    const reply = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(
          'GET /nowhere HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n' +
            'X-Forwarded-For: 198.51.100.1\r\nX-Forwarded-For: 203.0.113.78\r\n\r\n',
        ),
      );
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
      socket.once('close', () => resolve(text)).once('error', reject);
    });
    expect(reply).toMatch(/X-RateLimit-Remaining: 58\r\n/i);
  });
});
