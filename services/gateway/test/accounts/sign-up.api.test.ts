/** Self-registration: answers do not show which addresses are known, and a link from a mail registers one organisation. */
import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { signUpState } from '@offer-ads/contracts/portal/sign-up-api';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Reply } from '../gateway-under-test.ts';
import { type Browser, publicUrl, startPortalUnderTest, visible } from '../portal/portal-under-test.ts';

const minute = 60_000;
const hour = 60 * minute;
const linkRefused = {
  status: 401,
  body: {
    message:
      'The link has been used or has expired: sign in if the organisation is registered already, or sign up again',
  },
};

const portal = forAllTests(() => startPortalUnderTest());
let people = 0;
let email: string;
beforeEach(() => {
  email = `New-${(people += 1)}@bakery.test`;
});

const wish = (address = email) => ({
  name: 'Bread & Sons Ltd',
  tradingName: 'Bread & Sons',
  country: 'DE',
  currency: 'EUR',
  email: address,
});
const ask = (address = email, browser: Browser = portal.browser()): Promise<Reply> =>
  browser.call('/portal/api/sign-up', { method: 'POST', json: wish(address) });
const complete = (token: string, browser = portal.browser()): Promise<Reply> =>
  browser.call('/portal/api/sign-up/complete', { method: 'POST', json: { token } });

async function askAndRead(address = email): Promise<string> {
  const number = portal.signUpMailsTo(address).length + 1;
  expect((await ask(address)).status).toBe(202);
  return portal.signUpToken(address, number);
}
/** Requests are answered in order, so all earlier ones have been answered then. */
const whenAllIsAnswered = () => askAndRead(`marker-${(people += 1)}@bakery.test`);
const rows = async (sql: string, values: readonly unknown[] = []) =>
  (await portal.database.query(sql, [...values])).rows as Record<string, unknown>[];
const organisationsOf = (address: string) =>
  rows('SELECT organisation_id FROM people WHERE lower(email) = lower($1)', [address]);
const admin = (path: string, json: object = {}) => portal.gateway.admin('POST', path, json);

describe('GET /portal/api/sign-up', () => {
  it('shows whether sign-up is open, and the countries and currencies to choose from', async () => {
    const reply = await portal.browser().call('/portal/api/sign-up');
    expect(reply.status).toBe(200);
    const state = signUpState.parse(reply.body);
    expect(state.open).toBe(true);
    expect(state.countries).toContain('GB');
    expect(state.currencies).toEqual(expect.arrayContaining(['GBP', 'EUR', 'USD']));
    expect(state.currencies).not.toContain('JPY');
  });
});

describe('POST /portal/api/sign-up', () => {
  it('sends a link with its token in the fragment, valid for 24 hours, and no text of the requester', async () => {
    const token = await askAndRead();
    expect(portal.signUpMailsTo(email)[0]?.data).toEqual({
      email,
      country: 'DE',
      hasPlace: false,
      url: `${publicUrl}/portal/sign-up#${token}`,
      expiresAt: new Date(portal.clock.now().getTime() + 24 * hour).toISOString(),
    });
  });

  it('creates no organisation and no person yet, and stores only the hash of the token', async () => {
    const before = await rows('SELECT count(*) FROM organisations');
    const token = await askAndRead();
    expect(await rows('SELECT count(*) FROM organisations')).toEqual(before);
    expect(await organisationsOf(email)).toEqual([]);
    const stored = await rows('SELECT * FROM sign_ups WHERE email = $1', [email]);
    expect(stored).toMatchObject([{ token_sha256: createHash('sha256').update(token).digest() }]);
    expect(JSON.stringify(stored)).not.toContain(token);
  });

  it('gives the same answer for a new, a known and a disabled address, and mails no disabled person', async () => {
    const [known, person, organisation] = [`known-${email}`, `person-${email}`, `organisation-${email}`];
    await portal.organisationOf(known);
    await admin(`/organisations/${await portal.organisationOf(person)}/people/disable`, { email: person });
    await admin(`/organisations/${await portal.organisationOf(organisation)}/disable`);
    const replies: Reply[] = [];
    for (const address of [email, known, person, organisation]) replies.push(await ask(address));
    expect(replies[0]?.status).toBe(202);
    for (const other of replies) expect(visible(other)).toEqual(visible(replies[0]!));
    await whenAllIsAnswered();
    expect([...portal.signUpMailsTo(person), ...portal.signUpMailsTo(organisation)]).toEqual([]);
  });

  it('sends a person of an organisation a link to sign in instead, to the registered address', async () => {
    const known = `known-${email}`;
    const organisationId = await portal.organisationOf(known);
    await ask(known.toUpperCase());
    const token = await portal.signUpToken(known);
    expect(portal.signUpMailsTo(known)[0]?.data).toMatchObject({
      hasPlace: true,
      url: `${publicUrl}/portal/sign-in#${token}`,
      expiresAt: new Date(portal.clock.now().getTime() + 15 * minute).toISOString(),
    });
    // The link signs in and does not register.
    expect((await complete(token)).status).toBe(401);
    expect((await portal.browser().complete(token)).body).toMatchObject({
      organisation: { id: organisationId },
    });
    expect(await organisationsOf(known)).toHaveLength(1);
  });

  it('sends an address in any case at most 5 mails in 24 hours, and its answer does not show it', async () => {
    const replies = [];
    for (let count = 0; count < 7; count += 1)
      replies.push(await ask(count % 2 === 0 ? email : email.toLowerCase()));
    await whenAllIsAnswered();
    const sent = () => [...portal.signUpMailsTo(email), ...portal.signUpMailsTo(email.toLowerCase())];
    expect(sent()).toHaveLength(5);
    expect(visible(replies[6]!)).toEqual(visible(replies[0]!));
    portal.clock.advance(24 * hour);
    await askAndRead();
    expect(sent()).toHaveLength(6);
  });

  it('is limited per client network', async () => {
    const browser = portal.browser('2001:db8:88:1::1');
    for (let count = 0; count < 20; count += 1)
      expect((await ask(`many-${count}-${email}`, browser)).status).toBe(202);
    const neighbour = portal.browser('2001:db8:88:1:ffff::2');
    expect(await ask(email, neighbour)).toMatchObject({
      status: 429,
      body: { message: 'Too many requests' },
    });
    expect((await ask(email, portal.browser('2001:db8:88:2::1'))).status).toBe(202);
  });

  it('is limited per network prefix, which one person may own entirely', async () => {
    const from = (prefix: string, network: number) => portal.browser(`2001:db8:${prefix}:${network}::1`);
    for (let network = 0; network < 5; network += 1)
      for (let count = 0; count < 20; count += 1)
        expect((await ask(`prefix-${network}-${count}-${email}`, from('99', network))).status).toBe(202);
    expect((await ask(email, from('99', 6))).status).toBe(429);
    expect((await ask(email, from('9a', 6))).status).toBe(202);
  });

  it('is dropped above 20,000 waiting requests if its network has the most of them', async () => {
    portal.clock.advance(2 * hour);
    await rows(
      `INSERT INTO sign_ups (email, name, trading_name, country, currency, requested_at, answered_at)
       SELECT 'many-' || n || '@bakery.test', 'F', 'F', 'GB', 'GBP', $1::timestamptz, CASE WHEN n <= 1000 THEN $1::timestamptz END
         FROM generate_series(1, 21050) n`,
      [portal.clock.now()],
    );
    expect((await ask(email, portal.browser('203.0.113.2'))).status).toBe(202);
    const waiting = async () => (await rows('SELECT 1 FROM sign_ups WHERE answered_at IS NULL')).length;
    // A replica checks when it starts.
    await portal.startReplica();
    await eventually(async () => expect(await waiting()).toBeLessThanOrEqual(20_000));
    expect(await waiting()).toBeGreaterThan(19_900);
    expect(await rows('SELECT 1 FROM sign_ups WHERE email = $1', [email])).toHaveLength(1);
    await rows(`DELETE FROM sign_ups WHERE email LIKE 'many-%'`);
    portal.clock.advance(2 * hour);
  });

  it.each([
    ['name', { name: '' }],
    ['name', { name: 'a\u0000b' }],
    ['name', { name: 'Blocked! See https://evil.test' }],
    ['name', { name: 'Blocked! See WWW.evil.test' }],
    ['tradingName', { tradingName: 'https://evil.test' }],
    ['country', { country: 'gb' }],
    ['currency', { currency: 'JPY' }],
    ['email', { email: 'nobody' }],
    ['email', { email: undefined }],
  ])('names the wrong field: %s of %j', async (field, fault) => {
    const json = { ...wish(), ...fault };
    const reply = await portal.browser().call('/portal/api/sign-up', { method: 'POST', json });
    expect([reply.status, reply.body]).toEqual([
      400,
      { message: expect.stringMatching(new RegExp(`^${field}: `)) },
    ]);
  });
});

describe('POST /portal/api/sign-up/complete', () => {
  it('registers the organisation, signs in its first admin, and publishes the organisation', async () => {
    const browser = portal.browser();
    const reply = await complete(await askAndRead(), browser);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({
      person: { email },
      organisation: { name: 'Bread & Sons Ltd', tradingName: 'Bread & Sons', country: 'DE', currency: 'EUR' },
      role: 'admin',
      otherOrganisations: [],
    });
    const session = await browser.call('/portal/api/session');
    expect([session.status, session.body]).toEqual([200, reply.body]);
    const { organisation } = reply.body as { organisation: { id: number } };
    await eventually(() =>
      expect(portal.registrationsOf(organisation.id)).toMatchObject([
        { data: { currency: 'EUR', people: [{ email, role: 'admin', enabled: true }] } },
      ]),
    );
    expect((await browser.call('/portal/api/organisation')).body).toMatchObject({ termsAccepted: false });
    expect((await portal.browser().signIn(email)).status).toBe(200);
  });

  it('registers once for ten clicks at the same time, on two replicas, and signs in all of them', async () => {
    const token = await askAndRead();
    const replica = await portal.startReplica();
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, click) => {
        const browser = portal.browser();
        if (click % 2 === 1) browser.url = replica;
        return complete(token, browser);
      }),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(
      new Set(replies.map(({ body }) => (body as { organisation: { id: number } }).organisation.id)).size,
    ).toBe(1);
    expect(await organisationsOf(email)).toHaveLength(1);
  });

  it('gives the same answer for a minute after its first use, and then none', async () => {
    const token = await askAndRead();
    await complete(token);
    portal.clock.advance(minute);
    expect((await complete(token)).status).toBe(200);
    portal.clock.advance(1);
    expect(await complete(token)).toMatchObject(linkRefused);
    expect(await organisationsOf(email)).toHaveLength(1);
  });

  it('registers one organisation with two links of an address, one after the other or at the same time', async () => {
    const [first, second] = [await askAndRead(), await askAndRead()];
    expect((await complete(first)).status).toBe(200);
    expect((await complete(second)).status).toBe(401);
    expect(await organisationsOf(email)).toHaveLength(1);
    const other = `other-${email}`;
    const links = [await askAndRead(other), await askAndRead(other)];
    const replies = await Promise.all(links.map((token) => complete(token)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await organisationsOf(other)).toHaveLength(1);
  });

  it('signs in nobody who was disabled within that minute', async () => {
    const token = await askAndRead();
    const { body } = await complete(token);
    const { organisation } = body as { organisation: { id: number } };
    await admin(`/organisations/${organisation.id}/disable`);
    expect((await complete(token)).status).toBe(401);
  });

  it('registers nothing for an address that was disabled after the link was sent', async () => {
    const token = await askAndRead();
    const organisationId = await portal.organisationOf(email);
    await admin(`/organisations/${organisationId}/disable`);
    expect(await complete(token)).toMatchObject(linkRefused);
    expect(await organisationsOf(email)).toHaveLength(1);
  });

  it('refuses an unknown link and one older than 24 hours with the same answer, and registers nothing', async () => {
    const token = await askAndRead();
    portal.clock.advance(24 * hour);
    for (const refused of [token, 'x'.repeat(43), 'no token'])
      expect(await complete(refused)).toMatchObject(linkRefused);
    expect(await organisationsOf(email)).toEqual([]);
  });

  it('ends the session that the browser had', async () => {
    const other = `other-${email}`;
    await portal.organisationOf(other);
    const browser = portal.browser();
    await browser.signIn(other);
    const earlier = Object.assign(portal.browser(), { cookie: browser.cookie });
    await complete(await askAndRead(), browser);
    expect((await earlier.call('/portal/api/session')).status).toBe(401);
  });
});

describe('the tidying', () => {
  it('deletes requests when their links no longer work, used or not', async () => {
    await complete(await askAndRead());
    await ask(`unused-${email}`);
    await whenAllIsAnswered();
    portal.clock.advance(24 * hour + 15 * minute + 1);
    // A replica tidies when it starts, and tries again after a minute if that failed.
    await portal.startReplica();
    await eventually(
      async () =>
        expect(await rows(`SELECT email FROM sign_ups WHERE email LIKE '%' || $1`, [email])).toEqual([]),
      { timeoutMs: 90_000 },
    );
  });
});

describe('while sign-up is closed', () => {
  it('all requests are 403 and say whom to ask, the page shows it, and nothing is stored', async () => {
    await using closed = await startPortalUnderTest({ settings: { SIGN_UP: 'closed' } });
    const browser = closed.browser();
    const state = await browser.call('/portal/api/sign-up');
    expect([state.status, state.body]).toMatchObject([200, { open: false }]);
    for (const path of ['/portal/api/sign-up', '/portal/api/sign-up/complete']) {
      const reply = await browser.call(path, { method: 'POST', json: { ...wish(), token: 'x'.repeat(43) } });
      expect([reply.status, reply.body]).toEqual([
        403,
        { message: 'Organisations are registered by the platform team at present: ask them for yours' },
      ]);
    }
    expect((await closed.database.query('SELECT 1 FROM sign_ups')).rows).toEqual([]);
  });
});
