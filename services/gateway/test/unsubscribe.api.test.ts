/** The link in mails that ends mails of one kind: passed on to the notifier for whoever has it, and for nobody else's sake. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { answerJson } from './forwarding/fake-upstream.ts';
import { type GatewayUnderTest, startGatewayUnderTest, unusedIp } from './gateway-under-test.ts';

const path = '/portal/unsubscribe/1.2.offerEnded.0123456789abcdefghij-_';
const upstreamPath = '/unsubscribe/1.2.offerEnded.0123456789abcdefghij-_';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGatewayUnderTest();
});
afterAll(async () => gateway[Symbol.asyncDispose]());

beforeEach(() => {
  gateway.notifier.seen.length = 0;
  gateway.notifier.respond = answerJson((seen) => {
    gateway.notifier.seen.push(seen);
    return { status: 200, body: { from: 'notifier' } };
  });
});

describe('the link that ends mails', () => {
  it('is looked at and posted to without key, session and CSRF token, as mailbox providers do (RFC 8058)', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const replies = [
      await gateway.call(path),
      await gateway.call(path, { method: 'POST', headers, body: 'List-Unsubscribe=One-Click' }),
    ];
    expect(replies.map(({ status, body }) => [status, body])).toEqual([
      [200, { from: 'notifier' }],
      [200, { from: 'notifier' }],
    ]);
    expect(gateway.notifier.seen.map(({ method, url }) => [method, url])).toEqual([
      ['GET', upstreamPath],
      ['POST', upstreamPath],
    ]);
  });

  it('takes nothing along but the token: no caller, no cookie, no body', async () => {
    const headers = { cookie: 'session=x', 'x-caller-context': 'forged', 'content-type': 'text/plain' };
    await gateway.call(path, { method: 'POST', headers, body: 'a body' });
    const [seen] = gateway.notifier.seen;
    expect(Object.keys(seen?.headers ?? {})).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(cookie|x-caller-context|content-type)$/)]),
    );
    expect(seen?.body.toString()).toBe('');
  });

  it('passes the page as the notifier makes it, with its headers', async () => {
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

  it('is 503 while the notifier is away, and nothing else of the portal is', async () => {
    gateway.notifier.respond = (req) => req.socket.destroy();
    const { status, headers } = await gateway.call(path, { method: 'POST', once: true });
    expect([status, headers.has('retry-after')]).toEqual([503, true]);
    expect((await gateway.call('/portal')).status).toBe(200);
  });

  it('answers a network at most 600 times a minute, and reaches nothing else of the notifier', async () => {
    const ip = unusedIp();
    const limits = (await gateway.call(path, { ip })).headers;
    expect(limits.get('x-ratelimit-limit')).toBe('600');
    gateway.notifier.seen.length = 0;
    for (const other of ['/portal/unsubscribe', '/portal/unsubscribe/', '/portal/unsubscribe/a/b'])
      expect((await gateway.call(other)).status).toBe(404);
    expect((await gateway.call(path, { method: 'PUT' })).status).toBe(404);
    await gateway.call('/portal/unsubscribe/..%2f..%2fadmin%2fparked');
    expect(gateway.notifier.seen.map(({ url }) => url)).toEqual(['/unsubscribe/..%2f..%2fadmin%2fparked']);
  });
});
