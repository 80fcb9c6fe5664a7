import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { type Browser, type PortalUnderTest, startPortalUnderTest } from '../portal/portal-under-test.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const signInFirst = { message: 'Sign in first' };

let portal: PortalUnderTest;
let people = 0;
/** Of an organisation of its own, and signed in. */
let email: string;
let organisationId: number;
let browser: Browser;

beforeAll(async () => {
  portal = await startPortalUnderTest();
});
afterAll(async () => portal[Symbol.asyncDispose]());
beforeEach(async () => {
  email = `member-${(people += 1)}@cafe.test`;
  organisationId = await portal.organisationOf(email);
  browser = await signedIn();
});

async function signedIn(address = email): Promise<Browser> {
  const browser = portal.browser();
  const reply = await browser.signIn(address);
  expect(reply.status).toBe(200);
  return browser;
}

/** Another window with the cookie that the browser has now. */
function copyOf(original: Browser): Browser {
  const copy = portal.browser();
  copy.cookie = original.cookie;
  copy.csrfToken = original.csrfToken;
  return copy;
}

const see = (browser: Browser) => browser.call('/portal/api/session');
const post = (browser: Browser, path: string, json?: unknown) =>
  browser.call(`/portal/api${path}`, { method: 'POST', ...(json === undefined ? {} : { json }) });

async function expectSignedOut(browser: Browser) {
  const reply = await see(browser);
  expect([reply.status, reply.body]).toEqual([401, signInFirst]);
}

describe('a session', () => {
  it.each([
    ['no cookie', undefined],
    ['a made-up token', `__Host-session=${'x'.repeat(43)}`],
    ['no token at all', '__Host-session='],
    ['the name of development', 'session'],
  ])('is asked for by every route: %s', async (_case, cookie) => {
    const stranger = portal.browser();
    stranger.cookie = cookie === 'session' ? browser.cookie?.replace('__Host-', '') : cookie;
    await expectSignedOut(stranger);
    expect((await stranger.call('/portal/api/nowhere')).status).toBe(401);
  });

  it('is kept with the hash of its token only', async () => {
    const token = browser.cookie?.split('=')[1];
    const { rows } = await portal.database.query('SELECT * FROM portal_sessions WHERE email = $1', [email]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it('ends when it has not been used for twelve hours, at that instant', async () => {
    portal.clock.advance(12 * hour - 1);
    expect((await see(browser)).status).toBe(200);
    portal.clock.advance(12 * hour);
    await expectSignedOut(browser);
  });

  it('ends seven days after the sign-in, however much it is used', async () => {
    for (let hours = 0; hours < 7 * 24 - 8; hours += 8) {
      portal.clock.advance(8 * hour);
      expect((await see(browser)).status).toBe(200);
    }
    portal.clock.advance(8 * hour - 1);
    const last = await see(browser);
    expect(last.body).toMatchObject({ expiresAt: new Date(portal.clock.now().getTime() + 1).toISOString() });
    portal.clock.advance(1);
    await expectSignedOut(browser);
  });

  it('ends with a disabled person or organisation at once, and does not come back', async () => {
    for (const path of [`/organisations/${organisationId}`, `/organisations/${organisationId}/people`]) {
      const out = await signedIn();
      await portal.gateway.admin('POST', `${path}/disable`, { email });
      await expectSignedOut(out);
      await portal.gateway.admin('POST', `${path}/enable`, { email });
      await expectSignedOut(out);
    }
  });

  it('of a disabled organisation does not come back either when nobody used it meanwhile, nor does a link', async () => {
    await portal.browser().ask(email);
    const link = await portal.nextToken(email);
    for (const verb of ['disable', 'enable'])
      await portal.gateway.admin('POST', `/organisations/${organisationId}/${verb}`);
    await expectSignedOut(browser);
    expect((await portal.browser().complete(link)).status).toBe(401);
    await signedIn();
  });

  it('shows a changed role at the very next request', async () => {
    await portal.database.query(`UPDATE people SET role = 'marketer' WHERE email = $1`, [email]);
    expect((await see(browser)).body).toMatchObject({ role: 'marketer', permissions: ['offers'] });
  });

  it('ends when the person gets another address, so that nobody reaches what the new address owns', async () => {
    const victim = `victim-${email}`;
    await portal.organisationOf(victim);
    await portal.database.query('UPDATE people SET email = $2 WHERE email = $1 AND organisation_id = $3', [
      email,
      victim,
      organisationId,
    ]);
    expect((await browser.call('/portal/api/sessions')).status).toBe(401);
    await expectSignedOut(browser);
  });

  it('may be opened twenty times by an address; the one used longest ago ends', async () => {
    portal.clock.advance(1);
    const others = [];
    for (let count = 1; count < 20; count += 1) {
      others.push(await signedIn());
      portal.clock.advance(5 * minute);
    }
    expect((await see(browser)).status).toBe(200);
    await signedIn();
    await expectSignedOut(others[0]!);
    expect((await see(others[1]!)).status).toBe(200);
    expect((await see(browser)).status).toBe(200);
  });
});

describe('the token of a session', () => {
  it('changes every 15 minutes while it is used, once for requests that come together', async () => {
    const before = browser.cookie;
    portal.clock.advance(15 * minute - 1);
    await see(browser);
    expect(browser.cookie).toBe(before);
    portal.clock.advance(1);
    const windows = Array.from({ length: 8 }, () => copyOf(browser));
    const replies = await Promise.all(windows.map(see));
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const cookies = replies.flatMap((reply) => reply.headers.getSetCookie());
    expect(cookies).toHaveLength(1);
    expect(cookies[0]).toMatch(
      /^__Host-session=[\w-]{43}; Max-Age=603900; .*; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect(cookies[0]).not.toContain(before);
  });

  it('that was replaced serves requests under way for 30 seconds', async () => {
    const underWay = copyOf(browser);
    portal.clock.advance(15 * minute);
    await see(browser);
    await see(browser);
    portal.clock.advance(30 * second - 1);
    expect((await see(underWay)).status).toBe(200);
    expect((await see(browser)).status).toBe(200);
  });

  it('that was replaced ends the session when it is shown later, for the thief and for the owner', async () => {
    const thief = copyOf(browser);
    portal.clock.advance(15 * minute);
    await see(browser);
    await see(browser);
    portal.clock.advance(30 * second);
    await expectSignedOut(thief);
    await expectSignedOut(browser);
  });

  it('is found out as stolen also when the thief was the first to get the new one', async () => {
    const thief = copyOf(browser);
    portal.clock.advance(15 * minute);
    await see(thief);
    await see(thief);
    portal.clock.advance(30 * second);
    await expectSignedOut(browser);
    await expectSignedOut(thief);
  });

  it('is sent again, the same, when the reply that carried it was lost', async () => {
    const beforeRotation = copyOf(browser);
    portal.clock.advance(15 * minute);
    await see(browser);
    portal.clock.advance(hour);
    expect((await see(beforeRotation)).status).toBe(200);
    expect(beforeRotation.cookie).toBe(browser.cookie);
    expect((await see(beforeRotation)).status).toBe(200);
  });
});

describe('one’s own sessions', () => {
  it('are listed with their times and nothing else, the one used last first', async () => {
    portal.clock.advance(5 * minute);
    const second = await signedIn();
    const startedAt = portal.clock.now();
    portal.clock.advance(5 * minute);
    await see(second);
    const { status, body } = await browser.call('/portal/api/sessions');
    expect(status).toBe(200);
    const organisation = { id: organisationId, name: expect.any(String) };
    expect(body).toEqual({
      sessions: expect.arrayContaining([
        {
          id: expect.any(String),
          organisation,
          createdAt: startedAt.toISOString(),
          lastUsedAt: portal.clock.now().toISOString(),
          current: false,
        },
        {
          id: expect.any(String),
          organisation,
          createdAt: new Date(startedAt.getTime() - 5 * minute).toISOString(),
          lastUsedAt: portal.clock.now().toISOString(),
          current: true,
        },
      ]),
    });
    expect((body as { sessions: unknown[] }).sessions).toHaveLength(2);
  });

  it('can be ended one by one', async () => {
    const other = await signedIn();
    const { body } = await browser.call('/portal/api/sessions');
    const { sessions } = body as { sessions: { id: string; current: boolean }[] };
    const idOf = (current: boolean) => sessions.find((session) => session.current === current)?.id;
    const end = (id: string | undefined) => browser.call(`/portal/api/sessions/${id}`, { method: 'DELETE' });
    expect((await end(idOf(false))).status).toBe(204);
    await expectSignedOut(other);
    expect((await end(idOf(false))).status).toBe(404);
    const last = await end(idOf(true));
    expect([last.status, last.headers.getSetCookie()]).toEqual([
      204,
      ['__Host-session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure'],
    ]);
  });

  it('are all that can be ended: others and nonsense are not found', async () => {
    const stranger = `stranger-${email}`;
    await portal.organisationOf(stranger);
    const other = await signedIn(stranger);
    const { rows } = await portal.database.query('SELECT id FROM portal_sessions WHERE email = $1', [
      stranger,
    ]);
    for (const id of [rows[0].id, 'nonsense']) {
      const reply = await browser.call(`/portal/api/sessions/${id}`, { method: 'DELETE' });
      expect([reply.status, reply.body]).toEqual([404, { message: 'Not found' }]);
    }
    expect((await see(other)).status).toBe(200);
  });

  it('end by signing out; the cookie is useless from then on', async () => {
    const copy = copyOf(browser);
    const other = await signedIn();
    const reply = await post(browser, '/sign-out');
    expect(reply.status).toBe(204);
    expect(reply.headers.getSetCookie()).toEqual([expect.stringMatching(/^__Host-session=; Max-Age=0; /)]);
    await expectSignedOut(copy);
    expect((await see(other)).status).toBe(200);
  });

  it('end everywhere at once: every session of the address, in all organisations, on all replicas', async () => {
    const replica = await portal.startReplica();
    await portal.organisationOf(email);
    const elsewhere = await signedIn();
    elsewhere.url = replica;
    expect((await see(elsewhere)).status).toBe(200);
    const stranger = await portal
      .organisationOf(`bystander-${email}`)
      .then(() => signedIn(`bystander-${email}`));
    const copy = copyOf(browser);
    expect((await post(browser, '/sign-out-everywhere')).status).toBe(204);
    await expectSignedOut(elsewhere);
    await expectSignedOut(copy);
    expect((await see(stranger)).status).toBe(200);
  });
});

describe('POST /portal/api/session/organisation', () => {
  let second: number;
  beforeEach(async () => {
    second = await portal.organisationOf(email, `Second of ${email}`);
  });
  const switchTo = (browser: Browser, id: unknown) =>
    post(browser, '/session/organisation', { organisationId: id });

  it('goes to another organisation of the same address, with a new token and a new CSRF token', async () => {
    expect((await see(browser)).body).toMatchObject({
      organisation: { id: organisationId },
      otherOrganisations: [
        { id: second, name: `Second of ${email}`, tradingName: `Second of ${email}`, role: 'admin' },
      ],
    });
    const before = { ...copyOf(browser) };
    const reply = await switchTo(browser, second);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      organisation: { id: second },
      otherOrganisations: [{ id: organisationId }],
    });
    expect(browser.cookie).not.toBe(before.cookie);
    expect(browser.csrfToken).not.toBe(before.csrfToken);
    expect((await see(browser)).body).toEqual(reply.body);
  });

  it('stops a page that still shows the other organisation from changing this one', async () => {
    const otherTab = copyOf(browser);
    await switchTo(browser, second);
    otherTab.cookie = browser.cookie;
    expect((await post(otherTab, '/sign-out')).status).toBe(403);
    expect((await see(browser)).status).toBe(200);
  });

  it('survives that its reply was lost', async () => {
    const beforeSwitch = copyOf(browser);
    await switchTo(browser, second);
    portal.clock.advance(minute);
    expect((await see(beforeSwitch)).body).toMatchObject({ organisation: { id: second } });
    expect(beforeSwitch.cookie).toBe(browser.cookie);
  });

  it('and ending all sessions at the same time never wait for each other in a ring', async () => {
    for (let round = 0; round < 5; round += 1) {
      // One after the other: a link that is used ends the person's other links.
      const windows = [await signedIn(), await signedIn(), await signedIn()] as const;
      const replies = await Promise.all([
        switchTo(windows[0], second),
        post(windows[1], '/sign-out-everywhere'),
        switchTo(windows[2], organisationId),
      ]);
      for (const { status } of replies) expect([200, 204, 401, 404]).toContain(status);
      for (const window of windows) await expectSignedOut(window);
      // An address has five links in a quarter of an hour.
      portal.clock.advance(15 * minute);
    }
  });

  it('is only for organisations of the address, and only while they are enabled', async () => {
    const foreign = await portal.organisationOf(`foreign-${email}`);
    await portal.gateway.admin('POST', `/organisations/${second}/disable`);
    for (const id of [foreign, second, 999_999]) {
      const reply = await switchTo(browser, id);
      expect([reply.status, reply.body]).toEqual([404, { message: 'Not found' }]);
    }
    expect((await switchTo(browser, 'nonsense')).status).toBe(400);
    expect((await see(browser)).body).toMatchObject({
      organisation: { id: organisationId },
      otherOrganisations: [],
    });
  });
});

describe('the portal API', () => {
  it('has a limit of its own per session: the 301st request of a minute is 429', async () => {
    const other = await signedIn();
    const first = await see(browser);
    expect(first.headers.get('x-ratelimit-limit')).toBe('300');
    expect(first.headers.get('x-ratelimit-remaining')).toBe('299');
    for (let sent = 1; sent < 300; sent += 20) {
      await Promise.all(Array.from({ length: Math.min(20, 300 - sent) }, () => see(browser)));
    }
    const refused = await see(browser);
    expect([refused.status, refused.body]).toEqual([429, { message: 'Too many requests' }]);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect((await see(other)).status).toBe(200);
  });

  it.each([
    [202, (browser: Browser) => browser.ask('nobody@nowhere.test')],
    [200, see],
    [401, (browser: Browser) => browser.complete('nonsense')],
    [
      403,
      (browser: Browser) =>
        browser.call('/portal/api/sign-out', { method: 'POST', headers: { 'x-csrf-token': '' } }),
    ],
    [404, (browser: Browser) => browser.call('/portal/api/nowhere')],
  ])('is never cached or sniffed, and tells its limit: %i', async (status, call) => {
    const reply = await call(browser);
    expect(reply.status).toBe(status);
    expect(Object.fromEntries(reply.headers)).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'x-ratelimit-limit': expect.any(String),
      'x-ratelimit-remaining': expect.any(String),
      'x-ratelimit-reset': expect.any(String),
      'x-request-id': expect.any(String),
    });
  });

  it.each([
    ['too large', 413, { json: { email: 'x'.repeat(17_000) } }],
    ['no JSON', 400, { body: '{"token', headers: { 'content-type': 'application/json' } }],
    [
      'of another type',
      415,
      { body: 'organisationId=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    ],
    [
      'compressed',
      415,
      { body: '{}', headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
    ],
  ])('refuses a body that is %s', async (_case, status, sent) => {
    for (const path of ['/sign-in', '/session/organisation']) {
      const reply = await browser.call(`/portal/api${path}`, { method: 'POST', ...sent });
      expect([path, reply.status, reply.body]).toEqual([path, status, { message: expect.any(String) }]);
      for (const name of ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'x-request-id'])
        expect([path, name, reply.headers.has(name)]).toEqual([path, name, true]);
    }
  });

  it('answers 503 in time when the store hangs, and goes on when it is back', async () => {
    await portal.database.query('BEGIN');
    await portal.database.query('LOCK TABLE portal_sessions');
    const reply = await inTime(3_500, () => browser.call('/portal/api/session', { once: true }));
    expect([reply.status, reply.body]).toEqual([503, { message: 'Service unavailable' }]);
    expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    await portal.database.query('ROLLBACK');
    expect((await see(browser)).status).toBe(200);
  });
});
