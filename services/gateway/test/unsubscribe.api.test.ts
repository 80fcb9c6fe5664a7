/** The unsubscribe link in mails: forwarded to the notifier without a caller, for anyone who holds the mail. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { startGatewayUnderTest } from './gateway-under-test.ts';

const path = '/portal/unsubscribe/1.2.offerEnded.0123456789abcdefghij-_';
const upstreamPath = '/unsubscribe/1.2.offerEnded.0123456789abcdefghij-_';

const gateway = forAllTests(() => startGatewayUnderTest());
beforeEach(() => gateway.resetUpstreams());

describe('the unsubscribe link', () => {
  it('works by GET, and by POST as mailbox providers send it (RFC 8058), and forwards nothing but the token', async () => {
    const headers = {
      cookie: 'session=x',
      'x-caller-context': 'forged',
      'content-type': 'application/x-www-form-urlencoded',
    };
    const replies = [
      await gateway.call(path),
      await gateway.call(path, { method: 'POST', headers, body: 'List-Unsubscribe=One-Click' }),
    ];
    for (const reply of replies) expect(reply).toMatchObject({ status: 200, body: { return_code: 'S1' } });
    const { seen } = gateway.notifier;
    expect(seen.map(({ method, url, body }) => [method, url, body.toString()])).toEqual([
      ['GET', upstreamPath, ''],
      ['POST', upstreamPath, ''],
    ]);
    expect(Object.keys(headers).filter((name) => name in (seen[1]?.headers ?? {}))).toEqual([]);
  });

  it("returns the notifier's page with its headers", async () => {
    const policy = "default-src 'none'; form-action 'self'";
    gateway.notifier.respond = (_req, res) => {
      res.writeHead(404, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy });
      res.end('<h1>Not found</h1>');
    };
    const { status, headers, body } = await gateway.call(path);
    expect([status, body]).toEqual([404, '<h1>Not found</h1>']);
    expect(headers.get('content-security-policy')).toBe(policy);
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  it('is 503 while the notifier is away, and the portal goes on', async () => {
    gateway.notifier.respond = (req) => req.socket.destroy();
    const { status, headers } = await gateway.call(path, { method: 'POST', once: true });
    expect([status, headers.has('retry-after')]).toEqual([503, true]);
    expect((await gateway.call('/portal')).status).toBe(200);
  });

  it('is answered 600 times a minute for a network, and reaches nothing else of the notifier', async () => {
    expect((await gateway.call(path)).headers.get('x-ratelimit-limit')).toBe('600');
    gateway.notifier.reset();
    for (const other of ['/portal/unsubscribe', '/portal/unsubscribe/', '/portal/unsubscribe/a/b'])
      expect((await gateway.call(other)).status).toBe(404);
    expect((await gateway.call(path, { method: 'PUT' })).status).toBe(404);
    await gateway.call('/portal/unsubscribe/..%2f..%2fadmin%2fparked');
    expect(gateway.notifier.seen.map(({ url }) => url)).toEqual(['/unsubscribe/..%2f..%2fadmin%2fparked']);
  });
});
