/** The optional limit of a key, beside that of the client address, over two replicas. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { testValkey } from '@offer-ads/testing/stores/valkey';
import type { Gateway } from '../../src/service.ts';
import { startGatewayUnderTest, unusedIp, whenCountedTogether } from '../gateway-under-test.ts';

const valkey = testValkey();
const gateway = forAllTests(() =>
  startGatewayUnderTest({
    settings: { VALKEY_URL: valkey.url },
    overrides: { limitsNamespace: valkey.namespace, limitsAnswerMs: 1_000 },
  }),
);
let second: Gateway;
let organisationId: number;
beforeAll(async () => {
  second = await gateway.startReplica();
  organisationId = await gateway.register();
  for (const replica of [gateway, second]) await whenCountedTogether(replica);
});

const keyWith = (requestsPerMinute: number) => gateway.createKey(organisationId, { requestsPerMinute });
const setLimit = (id: number, requestsPerMinute: unknown) =>
  gateway.admin('POST', `/keys/${id}/limit`, { requestsPerMinute });

/** Each call comes from an address of its own, to both replicas in turn. */
async function callTimes(times: number, key: string) {
  const replies = [];
  for (let index = 0; index < times; index += 1)
    replies.push(
      await gateway.call('/categories', { key, base: index % 2 === 0 ? gateway.url : second.url }),
    );
  return replies;
}
const statuses = async (times: number, key: string) =>
  (await callTimes(times, key)).map(({ status }) => status);

describe('the limit of a key', () => {
  it('counts the requests with the key from all addresses, on all replicas together', async () => {
    const { key } = await keyWith(5);
    const replies = await callTimes(7, key);
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429]);
    const refused = replies.at(-1);
    expect(refused?.body).toEqual({ message: 'Too many requests' });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(30);
    expect(Number(refused?.headers.get('retry-after'))).toBeLessThanOrEqual(60);
  });

  it('is shown beside that of the address; the X-RateLimit fields describe the nearer one', async () => {
    const [narrow, wide] = [await keyWith(3), await keyWith(600)];
    const headers = async (key: string) => (await callTimes(1, key))[0]?.headers;
    const first = await headers(narrow.key);
    expect(first?.get('ratelimit-policy')).toBe('"ip";q=60;w=60, "key";q=3;w=60');
    expect(first?.get('ratelimit')).toBe('"ip";r=59;t=60, "key";r=2;t=60');
    expect(first?.get('x-ratelimit-limit')).toBe('3');
    expect((await headers(wide.key))?.get('x-ratelimit-limit')).toBe('60');
  });

  it('does not replace that of the address: a request over the limit of the key counts there too, and the X-RateLimit fields describe the limit that refused', async () => {
    const { key } = await keyWith(1);
    const ip = unusedIp();
    await gateway.call('/categories', { key, ip });
    const refused = await gateway.call('/categories', { key, ip });
    expect(refused.status).toBe(429);
    expect(refused.headers.get('ratelimit')).toMatch(/^"ip";r=58;t=\d+, "key";r=0;t=\d+$/);
    for (let count = 3; count < 60; count += 1) await gateway.call('/categories', { ip });
    const { headers } = await gateway.call('/categories', { key, ip });
    expect(headers.get('ratelimit')).toMatch(/^"ip";r=0;/);
    expect(headers.get('x-ratelimit-limit')).toBe('1');
  });

  it('counts no request that is refused before it: over the limit of the address, or with a disabled key', async () => {
    const { id, key } = await keyWith(62);
    const ip = unusedIp();
    for (let count = 0; count < 60; count += 1) await gateway.call('/categories', { ip });
    const refused = [await gateway.call('/categories', { ip, key })];
    await gateway.admin('POST', `/keys/${id}/disable`);
    refused.push(await gateway.call('/categories', { key }));
    const ofAddressAlone = '"ip";q=60;w=60';
    expect(refused.map(({ status, headers }) => [status, headers.get('ratelimit-policy')])).toEqual([
      [429, ofAddressAlone],
      [401, ofAddressAlone],
    ]);
  });

  it('is in force on every replica once its setting has answered, and gone once it is removed', async () => {
    const { id, key } = await gateway.createKey(organisationId);
    expect(await statuses(4, key)).toEqual([200, 200, 200, 200]);
    expect(await setLimit(id, 1)).toMatchObject({ status: 200, body: { id, requestsPerMinute: 1 } });
    expect(await statuses(4, key)).toEqual([200, 429, 429, 429]);
    await setLimit(id, null);
    expect(await statuses(4, key)).toEqual([200, 200, 200, 200]);
  });

  it('stays when the key is rolled, and is listed', async () => {
    const { id } = await keyWith(2);
    const { body } = await gateway.admin('POST', `/keys/${id}/roll`);
    const rolled = body as { id: number; key: string };
    expect(await statuses(3, rolled.key)).toEqual([200, 200, 429]);
    const listed = (await gateway.admin('GET', `/organisations/${organisationId}/keys`)).body;
    expect((listed as { keys: object[] }).keys).toContainEqual(
      expect.objectContaining({ id: rolled.id, requestsPerMinute: 2 }),
    );
  });

  it.each([0, -1, 1.5, 100_001, '600', undefined])('cannot be %s', async (requestsPerMinute) => {
    const { status, body } = await setLimit(1, requestsPerMinute);
    expect([status, body]).toEqual([400, { message: expect.stringContaining('requestsPerMinute') }]);
  });
});
