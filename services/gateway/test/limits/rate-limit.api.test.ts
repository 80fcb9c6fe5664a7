import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type GatewayUnderTest, startGatewayUnderTest, unusedIp } from '../gateway-under-test.ts';

let gateway: GatewayUnderTest;
let key: string;

beforeAll(async () => {
  gateway = await startGatewayUnderTest();
  ({ key } = await gateway.createKey(await gateway.register()));
});
afterAll(async () => gateway[Symbol.asyncDispose]());

async function useUp(ip: string) {
  for (let count = 0; count < 60; count += 1)
    await gateway.call(count % 2 ? '/categories' : '/nowhere', { ip });
}

describe('the rate limit', () => {
  it('refuses the 61st request of a minute over all endpoints with 429, whoever asks', async () => {
    const ip = unusedIp();
    await useUp(ip);
    const refused = await gateway.call('/categories', { ip, key });
    expect([refused.status, refused.body]).toEqual([429, { message: 'Too many requests' }]);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    expect((await gateway.call('/categories', { key })).status).toBe(200);
  });

  it('comes before the key: an unauthorised request counts and is refused alike', async () => {
    const ip = unusedIp();
    await useUp(ip);
    expect((await gateway.call('/categories', { ip })).status).toBe(429);
  });

  it('counts an IPv6 customer by their /64', async () => {
    await useUp('2001:db8:1:2::1');
    expect((await gateway.call('/categories', { ip: '2001:db8:1:2:ffff::9', key })).status).toBe(429);
    expect((await gateway.call('/categories', { ip: '2001:db8:1:3::1', key })).status).toBe(200);
  });

  it('leaves pages, health and the platform team alone', async () => {
    const ip = unusedIp();
    await useUp(ip);
    for (const path of ['/openapi.json', '/docs', '/portal', '/livez']) {
      const page = await gateway.call(path, { ip });
      expect([path, page.status, page.headers.has('x-ratelimit-limit')]).toEqual([path, 200, false]);
    }
    expect((await gateway.admin('GET', '/organisations')).status).toBe(200);
  });

  it.each([
    ['200', () => gateway.call('/categories', { key })],
    ['401', () => gateway.call('/categories')],
    ['404', () => gateway.call('/nowhere', { key })],
    ['405-like wrong methods, 404', () => gateway.call('/categories', { key, method: 'PUT' })],
  ])('is told in every reply: %s', async (status, call) => {
    const { status: got, headers } = await call();
    expect(status).toContain(String(got));
    expect(headers.get('x-ratelimit-limit')).toBe('60');
    expect(headers.get('x-ratelimit-remaining')).toBe('59');
    expect(headers.get('x-ratelimit-reset')).toBe('60');
    expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});
