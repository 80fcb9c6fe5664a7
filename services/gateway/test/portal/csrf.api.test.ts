import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Browser, type PortalUnderTest, publicUrl, startPortalUnderTest } from './portal-under-test.ts';

const email = 'owner@cafe.test';
let portal: PortalUnderTest;
let browser: Browser;

beforeAll(async () => {
  portal = await startPortalUnderTest();
  await portal.organisationOf(email);
  browser = portal.browser();
  await browser.signIn(email);
});
afterAll(async () => portal[Symbol.asyncDispose]());

const json = { organisationId: 999_999 };
/** Passes all checks and finds no such organisation. */
const passed = 404;
const change = (headers: Record<string, string>) =>
  browser.call('/portal/api/session/organisation', { method: 'POST', json, headers });

const foreign: [string, Record<string, string>][] = [
  ['another origin', { origin: 'https://evil.test' }],
  ['a subdomain of ours', { origin: 'https://x.ads.example.test' }],
  ['our name without https', { origin: 'http://ads.example.test' }],
  ['our name on another port', { origin: 'https://ads.example.test:8443' }],
  ['a page without an origin', { origin: 'null' }],
  ['a referring page elsewhere', { referer: 'https://evil.test/portal' }],
  ['an unreadable referring page', { referer: 'nonsense' }],
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['another host of the site', { 'sec-fetch-site': 'same-site' }],
  ['another site that claims our origin', { 'sec-fetch-site': 'cross-site', origin: publicUrl }],
];
const ours: [string, Record<string, string>][] = [
  ['our origin', { origin: publicUrl, 'sec-fetch-site': 'same-origin' }],
  ['our referring page', { referer: `${publicUrl}/portal` }],
  ['a person who typed the address', { 'sec-fetch-site': 'none' }],
  ['no browser', {}],
];

describe('a change by who is signed in', () => {
  it.each(foreign)('is refused from %s', async (_case, headers) => {
    const reply = await change(headers);
    expect([reply.status, reply.body]).toEqual([403, { message: expect.stringContaining('another site') }]);
  });

  it.each(ours)('is taken from %s', async (_case, headers) => {
    expect((await change(headers)).status).toBe(passed);
  });

  it.each([
    ['missing', ''],
    ['made up', 'x'.repeat(43)],
  ])('is refused when the CSRF token is %s', async (_case, token) => {
    const reply = await change({ 'x-csrf-token': token });
    expect([reply.status, reply.body]).toEqual([403, { message: expect.stringContaining('X-CSRF-Token') }]);
  });

  it('is refused with the CSRF token of another session', async () => {
    const other = portal.browser();
    await other.signIn(email);
    expect((await change({ 'x-csrf-token': other.csrfToken ?? '' })).status).toBe(403);
    expect((await change({})).status).toBe(passed);
  });

  it.each(['PUT', 'PATCH', 'DELETE'])('needs the token whatever the method: %s', async (method) => {
    const reply = await browser.call('/portal/api/nowhere', { method, headers: { 'x-csrf-token': '' } });
    expect(reply.status).toBe(403);
  });

  it('needs no token to read', async () => {
    const reply = await browser.call('/portal/api/session', { headers: { 'x-csrf-token': '' } });
    expect(reply.status).toBe(200);
  });
});

describe('signing in', () => {
  it.each(foreign)('cannot be started or completed from %s', async (_case, headers) => {
    const before = portal.mailsTo(email).length;
    const started = await browser.call('/portal/api/sign-in', { method: 'POST', json: { email }, headers });
    expect(started.status).toBe(403);
    const completed = await browser.call('/portal/api/sign-in/complete', {
      method: 'POST',
      json: { token: 'x'.repeat(43) },
      headers,
    });
    expect(completed.status).toBe(403);
    await portal.whenAllIsAnswered();
    expect(portal.mailsTo(email)).toHaveLength(before);
  });

  it('cannot be done by a form, which needs no leave to be sent from another site', async () => {
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

describe('in development, without https', () => {
  it('the cookie has no Secure and no prefix, which browsers would refuse there', async () => {
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
