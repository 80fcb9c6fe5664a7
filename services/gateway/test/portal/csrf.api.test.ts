import { beforeAll, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { type Browser, publicUrl, startPortalUnderTest } from './portal-under-test.ts';

const email = 'owner@cafe.test';
const portal = forAllTests(() => startPortalUnderTest());
let browser: Browser;

beforeAll(async () => {
  await portal.organisationOf(email);
  browser = portal.browser();
  await browser.signIn(email);
});

const json = { organisationId: 999_999 };
/** The request passes all checks and finds no such organisation. */
const passed = 404;
const change = (headers: Record<string, string>) =>
  browser.call('/portal/api/session/organisation', { method: 'POST', json, headers });

const foreign: [string, Record<string, string>][] = [
  ['another origin', { origin: 'https://evil.test' }],
  ['a subdomain of ours', { origin: 'https://x.ads.example.test' }],
  ['our name without https', { origin: 'http://ads.example.test' }],
  ['our name on another port', { origin: 'https://ads.example.test:8443' }],
  ['a page without an origin', { origin: 'null' }],
  ['a referring page of another site', { referer: 'https://evil.test/portal' }],
  ['an unreadable referring page', { referer: 'nonsense' }],
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['another host of our site', { 'sec-fetch-site': 'same-site' }],
  ['another site that claims our origin', { 'sec-fetch-site': 'cross-site', origin: publicUrl }],
];
const ours: [string, Record<string, string>][] = [
  ['our origin', { origin: publicUrl, 'sec-fetch-site': 'same-origin' }],
  ['our referring page', { referer: `${publicUrl}/portal` }],
  ['a person who typed the address', { 'sec-fetch-site': 'none' }],
  ['a program that is no browser', {}],
];

describe('a change by a signed-in person', () => {
  it.each(foreign)('is refused from %s', async (_case, headers) => {
    const reply = await change(headers);
    expect([reply.status, reply.body]).toEqual([403, { message: expect.stringContaining('another site') }]);
  });

  it.each(ours)('is accepted from %s', async (_case, headers) => {
    expect((await change(headers)).status).toBe(passed);
  });

  it.each([
    ['missing', () => ''],
    ['made up', () => 'x'.repeat(43)],
    [
      'that of another session',
      async () => {
        const other = portal.browser();
        await other.signIn(email);
        return other.csrfToken ?? '';
      },
    ],
  ])('is refused if the CSRF token is %s', async (_case, token) => {
    const reply = await change({ 'x-csrf-token': await token() });
    expect([reply.status, reply.body]).toEqual([403, { message: expect.stringContaining('X-CSRF-Token') }]);
  });

  it.each(['PUT', 'PATCH', 'DELETE', 'GET'])(
    'by %s needs the token, unless it only reads',
    async (method) => {
      const reply = await browser.call('/portal/api/session', { method, headers: { 'x-csrf-token': '' } });
      expect(reply.status).toBe(method === 'GET' ? 200 : 403);
    },
  );
});

describe('signing in and signing up', () => {
  it.each(['/sign-in', '/sign-in/link', '/sign-in/complete', '/sign-up', '/sign-up/complete'])(
    'are refused from another site: %s',
    async (path) => {
      const json = { email, token: 'x'.repeat(43) };
      for (const [, headers] of foreign)
        expect((await browser.call(`/portal/api${path}`, { method: 'POST', json, headers })).status).toBe(
          403,
        );
      await portal.whenAllIsAnswered();
      expect(portal.mailsTo(email)).toHaveLength(2);
    },
  );

  it('are impossible by a form, which another site may send without permission', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const reply = await portal.browser().call('/portal/api/sign-in/complete', {
        method: 'POST',
        body: JSON.stringify({ token: 'x'.repeat(43) }),
        headers: { 'content-type': type },
      });
      expect([type, reply.status]).toEqual([type, 415]);
    }
  });
});

describe('without https, in development', () => {
  it('the cookie has neither Secure nor a prefix, because browsers would refuse it', async () => {
    await using local = await startPortalUnderTest({ settings: { PUBLIC_URL: 'http://127.0.0.1:8080' } });
    await local.organisationOf(email);
    const browser = local.browser();
    const reply = await browser.signIn(email);
    expect(reply.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);
    expect((await browser.call('/portal/api/session')).status).toBe(200);
  });
});
