import { beforeEach, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { callBy, signedIn, type TestMember } from '../portal/members.ts';
import { type Browser, startPortalUnderTest } from '../portal/portal-under-test.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

const portal = forAllTests(() => startPortalUnderTest());
let people = 0;
/** The admin of an organisation of its own, signed in. */
let member: TestMember;
let email: string;
let organisationId: number;
let browser: Browser;

beforeEach(async () => {
  email = `member-${(people += 1)}@cafe.test`;
  organisationId = await portal.organisationOf(email);
  member = await signedIn(portal, email);
  browser = member.browser;
});

const signInAgain = async (address = email) => (await signedIn(portal, address)).browser;

/** Another window with the cookie that the browser has now. */
function copyOf({ cookie, csrfToken }: Browser): Browser {
  return Object.assign(portal.browser(), { cookie, csrfToken });
}

const see = (browser: Browser) => browser.call('/portal/api/session');
const post = (browser: Browser, path: string, json?: unknown) => callBy(browser)('POST', path, json);

async function expectSignedOut(...browsers: Browser[]) {
  for (const browser of browsers)
    expect(await see(browser)).toMatchObject({ status: 401, body: { message: 'Sign in first' } });
}
async function expectSignedIn(...browsers: Browser[]) {
  for (const browser of browsers) expect((await see(browser)).status).toBe(200);
}

/** After this the browser has a new token, and has shown it once. */
async function rotate(browser: Browser) {
  portal.clock.advance(15 * minute);
  await see(browser);
  await see(browser);
}

describe('a session', () => {
  it.each([
    ['no cookie', () => undefined],
    ['a made-up token', () => `__Host-session=${'x'.repeat(43)}`],
    ['an empty token', () => '__Host-session='],
    ['the cookie name of development', () => browser.cookie?.replace('__Host-', '')],
  ])('is required by every route: %s', async (_case, cookie) => {
    const stranger = portal.browser();
    stranger.cookie = cookie();
    await expectSignedOut(stranger);
    expect((await stranger.call('/portal/api/nowhere')).status).toBe(401);
  });

  it('is stored with the hash of its token only', async () => {
    const token = browser.cookie?.split('=')[1];
    const { rows } = await portal.database.query('SELECT * FROM portal_sessions WHERE email = $1', [email]);
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  it('ends twelve hours after its last use', async () => {
    portal.clock.advance(12 * hour - 1);
    await expectSignedIn(browser);
    portal.clock.advance(12 * hour);
    await expectSignedOut(browser);
  });

  it('ends seven days after the sign-in, however often it is used', async () => {
    for (let hours = 0; hours < 7 * 24 - 8; hours += 8) {
      portal.clock.advance(8 * hour);
      await expectSignedIn(browser);
    }
    portal.clock.advance(8 * hour - 1);
    const expiresAt = new Date(portal.clock.now().getTime() + 1).toISOString();
    expect((await see(browser)).body).toMatchObject({ expiresAt });
    portal.clock.advance(1);
    await expectSignedOut(browser);
  });

  it('ends with a disabled person or organisation, and stays ended when they are enabled, whether used meanwhile or not', async () => {
    for (const path of [`/organisations/${organisationId}`, `/organisations/${organisationId}/people`]) {
      const [used, unused] = [await signInAgain(), await signInAgain()];
      await portal.browser().ask(email);
      const link = await portal.nextToken(email);
      await portal.gateway.admin('POST', `${path}/disable`, { email });
      await expectSignedOut(used);
      await portal.gateway.admin('POST', `${path}/enable`, { email });
      await expectSignedOut(used, unused);
      expect((await portal.browser().complete(link)).status).toBe(401);
      // An address gets five links in a quarter of an hour.
      portal.clock.advance(15 * minute);
    }
  });

  it('has the role that the person has at the moment', async () => {
    await portal.database.query(`UPDATE people SET role = 'marketer' WHERE email = $1`, [email]);
    expect((await see(browser)).body).toMatchObject({
      role: 'marketer',
      permissions: ['view-offers', 'offers'],
    });
  });

  it('ends when the address of the person changes, so that nobody gets what the new address owns', async () => {
    const victim = `victim-${email}`;
    await portal.organisationOf(victim);
    const change = 'UPDATE people SET email = $2 WHERE email = $1 AND organisation_id = $3';
    await portal.database.query(change, [email, victim, organisationId]);
    expect((await browser.call('/portal/api/sessions')).status).toBe(401);
    await expectSignedOut(browser);
  });

  it('is the twentieth of its address at most; a further one ends the least recently used', async () => {
    portal.clock.advance(1);
    const others: Browser[] = [];
    for (let count = 1; count < 20; count += 1) {
      others.push(await signInAgain());
      portal.clock.advance(5 * minute);
    }
    await expectSignedIn(browser);
    await signInAgain();
    await expectSignedOut(others[0]!);
    await expectSignedIn(others[1]!, browser);
  });
});

describe('the token of a session', () => {
  it('changes every 15 minutes while it is used, once for concurrent requests', async () => {
    const before = browser.cookie;
    portal.clock.advance(15 * minute - 1);
    await see(browser);
    expect(browser.cookie).toBe(before);
    portal.clock.advance(1);
    const windows = Array.from({ length: 8 }, () => copyOf(browser));
    const replies = await Promise.all(windows.map(see));
    expect(replies.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const cookies = replies.flatMap((reply) => reply.headers.getSetCookie());
    expect(cookies).toEqual([
      expect.stringMatching(
        /^__Host-session=[\w-]{43}; Max-Age=603900; .*; HttpOnly; SameSite=Strict; Secure$/,
      ),
    ]);
    expect(cookies[0]).not.toContain(before);
  });

  it('serves requests for 30 seconds after it was replaced', async () => {
    const running = copyOf(browser);
    await rotate(browser);
    portal.clock.advance(30 * second - 1);
    await expectSignedIn(running, browser);
  });

  it.each([
    ['the owner', (thief: Browser) => [browser, thief] as const],
    ['the thief', (thief: Browser) => [thief, browser] as const],
  ])('ends the session for both if it is shown later, when %s got the new one', async (_who, order) => {
    const [first, late] = order(copyOf(browser));
    await rotate(first);
    portal.clock.advance(30 * second);
    await expectSignedOut(late, first);
  });

  it('is sent again if the reply that contained it was lost', async () => {
    const beforeRotation = copyOf(browser);
    portal.clock.advance(15 * minute);
    await see(browser);
    portal.clock.advance(hour);
    await expectSignedIn(beforeRotation);
    expect(beforeRotation.cookie).toBe(browser.cookie);
    await expectSignedIn(beforeRotation);
  });
});

describe('the sessions of an address', () => {
  const sessionsOf = async (by: Browser) => {
    const { body } = await by.call('/portal/api/sessions');
    return (body as { sessions: { id: string; current: boolean }[] }).sessions;
  };
  const end = (id: string | undefined) => browser.call(`/portal/api/sessions/${id}`, { method: 'DELETE' });

  it('are listed with organisation and times', async () => {
    const first = portal.clock.now();
    portal.clock.advance(5 * minute);
    const other = await signInAgain();
    const second = portal.clock.now();
    portal.clock.advance(5 * minute);
    await see(other);
    const organisation = { id: organisationId, name: expect.any(String) };
    const listed = { id: expect.any(String), organisation, lastUsedAt: portal.clock.now().toISOString() };
    const sessions = await sessionsOf(browser);
    expect(sessions).toHaveLength(2);
    expect(sessions).toEqual(
      expect.arrayContaining([
        { ...listed, createdAt: first.toISOString(), current: true },
        { ...listed, createdAt: second.toISOString(), current: false },
      ]),
    );
  });

  it('can be ended one by one; others and invalid ids are 404', async () => {
    const [other, stranger] = [await signInAgain(), `stranger-${email}`];
    await portal.organisationOf(stranger);
    const theirs = await signInAgain(stranger);
    const sessions = await sessionsOf(browser);
    const idOf = (current: boolean) => sessions.find((session) => session.current === current)?.id;
    expect((await end(idOf(false))).status).toBe(204);
    await expectSignedOut(other);
    for (const id of [idOf(false), (await sessionsOf(theirs))[0]?.id, 'nonsense'])
      expect(await end(id)).toMatchObject({ status: 404, body: { message: 'Not found' } });
    await expectSignedIn(theirs);
    const last = await end(idOf(true));
    expect([last.status, last.headers.getSetCookie()]).toEqual([
      204,
      ['__Host-session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict; Secure'],
    ]);
  });

  it('end by signing out: the cookie no longer works, and other sessions go on', async () => {
    const copy = copyOf(browser);
    const other = await signInAgain();
    const reply = await post(browser, '/sign-out');
    expect(reply.status).toBe(204);
    expect(reply.headers.getSetCookie()).toEqual([expect.stringMatching(/^__Host-session=; Max-Age=0; /)]);
    await expectSignedOut(copy);
    await expectSignedIn(other);
  });

  it('end all at once, in all organisations and on all replicas, and those of other addresses go on', async () => {
    await portal.organisationOf(email);
    const elsewhere = await signInAgain();
    elsewhere.url = await portal.startReplica();
    await expectSignedIn(elsewhere);
    const bystander = `bystander-${email}`;
    await portal.organisationOf(bystander);
    const theirs = await signInAgain(bystander);
    const copy = copyOf(browser);
    expect((await post(browser, '/sign-out-everywhere')).status).toBe(204);
    await expectSignedOut(elsewhere, copy);
    await expectSignedIn(theirs);
  });
});

describe('POST /portal/api/session/organisation', () => {
  let second: number;
  beforeEach(async () => {
    second = await portal.organisationOf(email, `Second of ${email}`);
  });
  const switchTo = (browser: Browser, id: unknown) =>
    post(browser, '/session/organisation', { organisationId: id });

  it('continues the session in another organisation of the address, with a new token and a new CSRF token', async () => {
    const name = `Second of ${email}`;
    expect((await see(browser)).body).toMatchObject({
      organisation: { id: organisationId },
      otherOrganisations: [{ id: second, name, tradingName: name, role: 'admin' }],
    });
    const before = copyOf(browser);
    const { status, body } = await switchTo(browser, second);
    expect([status, body]).toMatchObject([
      200,
      { organisation: { id: second }, otherOrganisations: [{ id: organisationId }] },
    ]);
    expect(browser.cookie).not.toBe(before.cookie);
    expect((await see(browser)).body).toEqual(body);
    // A page that still shows the first organisation cannot change the second.
    const otherTab = copyOf(before);
    otherTab.cookie = browser.cookie;
    expect((await post(otherTab, '/sign-out')).status).toBe(403);
    await expectSignedIn(browser);
  });

  it('is not lost if its reply is lost', async () => {
    const beforeSwitch = copyOf(browser);
    await switchTo(browser, second);
    portal.clock.advance(minute);
    expect((await see(beforeSwitch)).body).toMatchObject({ organisation: { id: second } });
    expect(beforeSwitch.cookie).toBe(browser.cookie);
  });

  it('and ending all sessions at the same time cannot deadlock', async () => {
    for (let round = 0; round < 5; round += 1) {
      // One after the other, because a used link ends the other links of the person.
      const windows = [await signInAgain(), await signInAgain(), await signInAgain()] as const;
      const replies = await Promise.all([
        switchTo(windows[0], second),
        post(windows[1], '/sign-out-everywhere'),
        switchTo(windows[2], organisationId),
      ]);
      for (const { status } of replies) expect([200, 204, 401, 404]).toContain(status);
      await expectSignedOut(...windows);
      // An address gets five links in a quarter of an hour.
      portal.clock.advance(15 * minute);
    }
  });

  it('reaches only organisations of the address, and only while they are enabled', async () => {
    const foreign = await portal.organisationOf(`foreign-${email}`);
    await portal.gateway.admin('POST', `/organisations/${second}/disable`);
    for (const id of [foreign, second, 999_999])
      expect(await switchTo(browser, id)).toMatchObject({ status: 404, body: { message: 'Not found' } });
    for (const id of ['nonsense', 2 ** 31]) expect((await switchTo(browser, id)).status).toBe(400);
    expect((await see(browser)).body).toMatchObject({
      organisation: { id: organisationId },
      otherOrganisations: [],
    });
  });
});

describe('the portal API', () => {
  it('has a limit of its own for a session: the 301st request of a minute is 429', async () => {
    const other = await signInAgain();
    const first = await see(browser);
    expect(first.headers.get('x-ratelimit-limit')).toBe('300');
    expect(first.headers.get('x-ratelimit-remaining')).toBe('299');
    for (let sent = 1; sent < 300; sent += 20)
      await Promise.all(Array.from({ length: Math.min(20, 300 - sent) }, () => see(browser)));
    const refused = await see(browser);
    expect([refused.status, refused.body]).toEqual([429, { message: 'Too many requests' }]);
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    await expectSignedIn(other);
  });

  it.each([
    [202, () => browser.ask('nobody@nowhere.test')],
    [200, () => see(browser)],
    [401, () => browser.complete('nonsense')],
    [403, () => browser.call('/portal/api/sign-out', { method: 'POST', headers: { 'x-csrf-token': '' } })],
    [404, () => browser.call('/portal/api/nowhere')],
  ])('forbids caching and sniffing of its replies, and shows the limit: %i', async (status, call) => {
    const reply = await call();
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

  const json = 'application/json';
  it.each([
    ['too large', 413, { json: { email: 'x'.repeat(17_000) } }],
    ['no JSON', 400, { body: '{"token', headers: { 'content-type': json } }],
    [
      'of another type',
      415,
      { body: 'organisationId=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    ],
    [
      'in an unknown coding',
      415,
      { body: '{}', headers: { 'content-type': json, 'content-encoding': 'zstd' } },
    ],
  ])('refuses a body that is %s', async (_case, status, sent) => {
    for (const path of ['/sign-in', '/session/organisation']) {
      const reply = await browser.call(`/portal/api${path}`, { method: 'POST', ...sent });
      expect([path, reply.status, reply.body]).toEqual([path, status, { message: expect.any(String) }]);
      expect(reply.headers.has('x-ratelimit-limit')).toBe(true);
    }
  });

  it('answers 503 in time if the store hangs, and works again when it is back', async () => {
    await portal.database.query('BEGIN');
    await portal.database.query('LOCK TABLE portal_sessions');
    const reply = await inTime(3_500, () => browser.call('/portal/api/session', { once: true }));
    expect([reply.status, reply.body]).toEqual([503, { message: 'Service unavailable' }]);
    expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    await portal.database.query('ROLLBACK');
    await expectSignedIn(browser);
  });
});
