/** The optional limit of a key, beside that of the client IP, over two replicas. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { testValkey } from '@offer-ads/testing/stores/valkey';
import {
  type GatewayUnderTest,
  startGatewayUnderTest,
  unusedIp,
  whenCountedTogether,
} from '../gateway-under-test.ts';

const open = new AsyncDisposableStack();
let gateway: GatewayUnderTest;
let second: { readonly url: string };
let organisationId: number;

beforeAll(async () => {
  const valkey = testValkey();
  const overrides = { limitsNamespace: valkey.namespace, limitsAnswerMs: 1_000 };
  gateway = open.use(await startGatewayUnderTest({ settings: { VALKEY_URL: valkey.url }, overrides }));
  second = open.use(await gateway.startReplica());
  organisationId = await gateway.register();
  for (const replica of [gateway, second]) await whenCountedTogether(replica.url);
});
afterAll(async () => open.disposeAsync());

const setLimit = (id: number, requestsPerMinute: unknown) =>
  gateway.admin('POST', `/keys/${id}/limit`, { requestsPerMinute });

/** Every call from an address of its own, to both replicas in turn. */
async function callTimes(times: number, key: string) {
  const replies = [];
  for (let index = 0; index < times; index += 1)
    replies.push(
      await gateway.call('/categories', { key, base: index % 2 === 0 ? gateway.url : second.url }),
    );
  return replies;
}

describe('the limit of a key', () => {
  it('counts the requests made with it from whatever addresses, on all replicas together', async () => {
    const { key } = await gateway.createKey(organisationId, { requestsPerMinute: 5 });
    const replies = await callTimes(7, key);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429]);
    const refused = replies.at(-1);
    expect(refused?.body).toEqual({ message: 'Too many requests' });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(30);
    expect(Number(refused?.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });

  it('is told beside that of the client IP; the X-RateLimit fields describe the nearer one', async () => {
    const { key } = await gateway.createKey(organisationId, { requestsPerMinute: 3 });
    const [first] = await callTimes(1, key);
    expect(first?.headers.get('ratelimit-policy')).toBe('"ip";q=60;w=60, "key";q=3;w=60');
    expect(first?.headers.get('ratelimit')).toBe('"ip";r=59;t=60, "key";r=2;t=60');
    expect(first?.headers.get('x-ratelimit-limit')).toBe('3');
    const wide = await gateway.createKey(organisationId, { requestsPerMinute: 600 });
    const [other] = await callTimes(1, wide.key);
    expect(other?.headers.get('x-ratelimit-limit')).toBe('60');
    expect(other?.headers.get('x-ratelimit-remaining')).toBe('59');
  });

  it('leaves the client IP its own: a request that the key refuses has counted there too', async () => {
    const { key } = await gateway.createKey(organisationId, { requestsPerMinute: 1 });
    const ip = unusedIp();
    await gateway.call('/categories', { key, ip });
    const refused = await gateway.call('/categories', { key, ip });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('ratelimit')).toMatch(/^"ip";r=58;t=\d+, "key";r=0;t=\d+$/);
  });

  it('is not touched by requests that are refused before it: without the key, or over the limit of the address', async () => {
    const { id, key } = await gateway.createKey(organisationId, { requestsPerMinute: 62 });
    const ip = unusedIp();
    for (let count = 0; count < 60; count += 1) await gateway.call('/categories', { ip });
    expect((await gateway.call('/categories', { ip, key })).headers.get('ratelimit-policy')).toBe(
      '"ip";q=60;w=60',
    );
    await gateway.admin('POST', `/keys/${id}/disable`);
    const disabled = await gateway.call('/categories', { key });
    expect([disabled.status, disabled.headers.get('ratelimit-policy')]).toEqual([401, '"ip";q=60;w=60']);
  });

  it('is in force on every replica once its setting has answered, and gone once it is taken away', async () => {
    const { id, key } = await gateway.createKey(organisationId);
    const statuses = async () => (await callTimes(4, key)).map(({ status }) => status);
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    const set = await setLimit(id, 1);
    expect([set.status, set.body]).toEqual([200, expect.objectContaining({ id, requestsPerMinute: 1 })]);
    expect(await statuses()).toEqual([200, 429, 429, 429]);
    await setLimit(id, null);
    expect(await statuses()).toEqual([200, 200, 200, 200]);
  });

  it('stays with the key when it is rolled, and is listed', async () => {
    const { id } = await gateway.createKey(organisationId, { requestsPerMinute: 2 });
    const { body } = await gateway.admin('POST', `/keys/${id}/roll`);
    const rolled = body as { id: number; key: string };
    const replies = await callTimes(3, rolled.key);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 429]);
    const { keys } = (await gateway.admin('GET', `/organisations/${organisationId}/keys`)).body as {
      keys: { id: number; requestsPerMinute: number | null }[];
    };
    expect(keys.find((one) => one.id === rolled.id)?.requestsPerMinute).toBe(2);
  });

  it.each([0, -1, 1.5, 100_001, '600', undefined])('cannot be %s', async (requestsPerMinute) => {
    const { id } = await gateway.createKey(organisationId);
    const { status, body } = await setLimit(id, requestsPerMinute);
    expect([status, body]).toEqual([400, { message: expect.stringContaining('requestsPerMinute') }]);
  });

  it('of a key that does not exist is 404', async () => {
    expect((await setLimit(999_999, 5)).status).toBe(404);
  });
});
