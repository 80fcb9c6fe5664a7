/** Registering an organisation by oneself: nobody learns who is known, nothing exists before the mail was read, and then one organisation. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { signUpStanding } from '@offer-ads/contracts/portal/sign-up-api';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Reply } from '../gateway-under-test.ts';
import {
  type Browser,
  type PortalUnderTest,
  publicUrl,
  startPortalUnderTest,
  visible,
} from '../portal/portal-under-test.ts';

const minute = 60_000;
const hour = 60 * minute;
const linkRefused = {
  message: 'The link has been used or has expired: sign in if the organisation is there, or sign up again',
};

let portal: PortalUnderTest;
let people = 0;
let email: string;
beforeAll(async () => {
  portal = await startPortalUnderTest();
});
afterAll(async () => portal[Symbol.asyncDispose]());
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
const ask = (
  address = email,
  browser: Browser = portal.browser(),
  o: { once?: boolean } = {},
): Promise<Reply> => browser.call('/portal/api/sign-up', { method: 'POST', json: wish(address), ...o });
const complete = (token: string, browser = portal.browser()): Promise<Reply> =>
  browser.call('/portal/api/sign-up/complete', { method: 'POST', json: { token } });

/** Of the mail of that number to the address. */
async function tokenFor(address = email, number = 1): Promise<string> {
  const mail = await eventually(() => {
    const mail = portal.signUpMailsTo(address)[number - 1];
    if (mail === undefined) throw new Error(`no mail number ${number} to ${address}`);
    return mail;
  });
  return new URL(mail.data.url).hash.slice(1);
}
async function askAndRead(address = email): Promise<string> {
  const number = portal.signUpMailsTo(address).length + 1;
  expect((await ask(address)).status).toBe(202);
  return tokenFor(address, number);
}
/** Requests are answered in their order, so what was asked for before has been answered then. */
async function whenAllIsAnswered(): Promise<void> {
  await askAndRead(`marker-${(people += 1)}@bakery.test`);
}
const rows = async (sql: string, values: readonly unknown[] = []) =>
  (await portal.database.query(sql, [...values])).rows as Record<string, unknown>[];
const organisationsOf = (address: string) =>
  rows('SELECT organisation_id FROM people WHERE lower(email) = lower($1)', [address]);
const admin = (path: string, json: object = {}) => portal.gateway.admin('POST', path, json);

describe('GET /portal/api/sign-up', () => {
  it('tells a page whether it is open and what to choose from', async () => {
    const reply = await portal.browser().call('/portal/api/sign-up');
    expect(reply.status).toBe(200);
    const standing = signUpStanding.parse(reply.body);
    expect(standing.open).toBe(true);
    expect(standing.countries).toContain('GB');
    expect(standing.currencies).toEqual(expect.arrayContaining(['GBP', 'EUR', 'USD']));
    expect(standing.currencies).not.toContain('JPY');
  });
});

describe('POST /portal/api/sign-up', () => {
  it('sends a link whose token stands in the fragment, good for 24 hours, and no word of whoever asked', async () => {
    const token = await askAndRead();
    expect(portal.signUpMailsTo(email)[0]?.data).toEqual({
      email,
      country: 'DE',
      hasPlace: false,
      url: `${publicUrl}/portal/sign-up#${token}`,
      expiresAt: new Date(portal.clock.now().getTime() + 24 * hour).toISOString(),
    });
  });

  it('makes nothing yet: no organisation, no person, and of the link the hash alone', async () => {
    const before = await rows('SELECT count(*) FROM organisations');
    const token = await askAndRead();
    expect(await rows('SELECT count(*) FROM organisations')).toEqual(before);
    expect(await organisationsOf(email)).toEqual([]);
    const [row] = await rows('SELECT * FROM sign_ups WHERE email = $1', [email]);
    expect(row?.token_sha256).toEqual(createHash('sha256').update(token).digest());
    expect(JSON.stringify(row)).not.toContain(token);
  });

  it('answers alike for who is new, known or disabled', async () => {
    const known = `known-${email}`;
    const disabled = `disabled-${email}`;
    await portal.organisationOf(known);
    const id = await portal.organisationOf(disabled);
    await admin(`/organisations/${id}/disable`);
    const replies = [await ask(), await ask(known), await ask(disabled)];
    expect(replies[0]?.status).toBe(202);
    for (const other of replies) expect(visible(other)).toEqual(visible(replies[0]!));
  });

  it('sends who has a place a mail that says so, with a link to sign in, to the address on record', async () => {
    const known = `known-${email}`;
    const organisationId = await portal.organisationOf(known);
    await ask(known.toUpperCase());
    const token = await tokenFor(known);
    expect(portal.signUpMailsTo(known)[0]?.data).toMatchObject({
      hasPlace: true,
      url: `${publicUrl}/portal/sign-in#${token}`,
      expiresAt: new Date(portal.clock.now().getTime() + 15 * minute).toISOString(),
    });
    // It is a link to sign in and none to register.
    expect((await complete(token)).status).toBe(401);
    expect((await portal.browser().complete(token)).body).toMatchObject({
      organisation: { id: organisationId },
    });
    expect(await organisationsOf(known)).toHaveLength(1);
  });

  it('sends nothing to people who were disabled, nor to those of a disabled organisation', async () => {
    const [person, organisation] = [`person-${email}`, `organisation-${email}`];
    await admin(`/organisations/${await portal.organisationOf(person)}/people/disable`, { email: person });
    await admin(`/organisations/${await portal.organisationOf(organisation)}/disable`);
    await ask(person);
    await ask(organisation);
    await whenAllIsAnswered();
    expect([...portal.signUpMailsTo(person), ...portal.signUpMailsTo(organisation)]).toEqual([]);
  });

  it('sends an address at most 5 mails in 24 hours, however it is written, and says so to nobody', async () => {
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

  it('is limited per network prefix too, which one person may have whole', async () => {
    const from = (prefix: string, network: number) => portal.browser(`2001:db8:${prefix}:${network}::1`);
    for (let network = 0; network < 5; network += 1)
      for (let count = 0; count < 20; count += 1)
        expect((await ask(`prefix-${network}-${count}-${email}`, from('99', network))).status).toBe(202);
    expect((await ask(email, from('99', 6))).status).toBe(429);
    expect((await ask(email, from('9a', 6))).status).toBe(202);
  });

  it('waits in a queue once a thousand were answered within the hour, and no network keeps others out of it', async () => {
    portal.clock.advance(2 * hour);
    const flood = (mailbox: string, count: number, answeredAt: Date | null) =>
      rows(
        `INSERT INTO sign_ups (email, name, trading_name, country, currency, requested_at, answered_at)
         SELECT $1 || n || '@bakery.test', 'F', 'F', 'GB', 'GBP', $2, $3 FROM generate_series(1, $4::integer) n`,
        [mailbox, portal.clock.now(), answeredAt, count],
      );
    await flood('flood-', 1_000, portal.clock.now());
    const [attacker, other] = [portal.browser('192.0.2.1'), portal.browser('203.0.113.1')];
    for (let count = 0; count < 15; count += 1)
      expect((await ask(`flood-${count}-${email}`, attacker)).status).toBe(202);
    expect((await ask(email, other)).status).toBe(202);
    expect(portal.signUpMailsTo(email)).toEqual([]);
    portal.clock.advance(minute);
    // Of the ten of this minute the attacker's first comes first, and then whoever had none.
    await tokenFor(email);
    const answered = () => rows(`SELECT 1 FROM sign_ups WHERE answered_at = $1`, [portal.clock.now()]);
    await eventually(async () => expect(await answered()).toHaveLength(10));
    portal.clock.advance(minute);
    await tokenFor(`flood-14-${email}`);
    expect(await answered()).toHaveLength(6);
    portal.clock.advance(2 * hour);
  });

  it('is given up when more than 20,000 wait and its network has the most of them, and no other is', async () => {
    portal.clock.advance(2 * hour);
    await rows(
      `INSERT INTO sign_ups (email, name, trading_name, country, currency, requested_at, answered_at)
       SELECT 'many-' || n || '@bakery.test', 'F', 'F', 'GB', 'GBP', $1::timestamptz, CASE WHEN n <= 1000 THEN $1::timestamptz END
         FROM generate_series(1, 21050) n`,
      [portal.clock.now()],
    );
    expect((await ask(email, portal.browser('203.0.113.2'))).status).toBe(202);
    const waiting = async () => (await rows('SELECT 1 FROM sign_ups WHERE answered_at IS NULL')).length;
    // It looks when it starts.
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
    ['country', { country: 'XX' }],
    ['country', { country: 'gb' }],
    ['currency', { currency: 'JPY' }],
    ['currency', { currency: 'ZZZ' }],
    ['email', { email: 'nobody' }],
    ['email', { email: undefined }],
  ])('names the field that is wrong: %s of %j', async (field, fault) => {
    const json = { ...wish(), ...fault };
    const reply = await portal.browser().call('/portal/api/sign-up', { method: 'POST', json });
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({ message: expect.stringMatching(new RegExp(`^${field}: `)) });
  });

  it('is refused from another site', async () => {
    const headers = { origin: 'https://evil.test' };
    const call = { method: 'POST', json: wish(), headers };
    for (const path of ['/portal/api/sign-up', '/portal/api/sign-up/complete'])
      expect((await portal.browser().call(path, call)).status).toBe(403);
  });
});

describe('POST /portal/api/sign-up/complete', () => {
  it('registers the organisation, signs its first admin in, and tells the other services', async () => {
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
    // Nobody has accepted the terms for it.
    expect((await browser.call('/portal/api/organisation')).body).toMatchObject({ termsAccepted: false });
    // From now on the address signs in like any other.
    expect((await portal.browser().signIn(email)).status).toBe(200);
  });

  it('registers once for ten clicks at once, on two replicas, and lets all of them in', async () => {
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

  it('answers again for a minute, and is used up after that', async () => {
    const token = await askAndRead();
    await complete(token);
    portal.clock.advance(minute);
    expect((await complete(token)).status).toBe(200);
    portal.clock.advance(1);
    const late = await complete(token);
    expect([late.status, late.body]).toEqual([401, linkRefused]);
    expect(await organisationsOf(email)).toHaveLength(1);
  });

  it('of two links of one address uses up both, whichever is used', async () => {
    const first = await askAndRead();
    const second = await askAndRead();
    expect((await complete(first)).status).toBe(200);
    expect((await complete(second)).status).toBe(401);
    expect(await organisationsOf(email)).toHaveLength(1);
  });

  it('of two links of one address that are used at once registers one organisation', async () => {
    const links = [await askAndRead(), await askAndRead()];
    const replies = await Promise.all(links.map((token) => complete(token)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await organisationsOf(email)).toHaveLength(1);
  });

  it('lets nobody in again who was disabled within that minute', async () => {
    const token = await askAndRead();
    const { body } = await complete(token);
    const { organisation } = body as { organisation: { id: number } };
    await admin(`/organisations/${organisation.id}/disable`);
    expect((await complete(token)).status).toBe(401);
  });

  it('registers nothing for an address that was disabled since the link was sent', async () => {
    const token = await askAndRead();
    const organisationId = await portal.organisationOf(email);
    await admin(`/organisations/${organisationId}/disable`);
    const reply = await complete(token);
    expect([reply.status, reply.body]).toEqual([401, linkRefused]);
    expect(await organisationsOf(email)).toHaveLength(1);
  });

  it('refuses a link that is unknown or older than 24 hours in the same words, and makes nothing', async () => {
    const token = await askAndRead();
    portal.clock.advance(24 * hour);
    for (const refused of [token, 'x'.repeat(43), 'no token']) {
      const reply = await complete(refused);
      expect([reply.status, reply.body]).toEqual([401, linkRefused]);
    }
    expect(await organisationsOf(email)).toEqual([]);
  });

  it('ends the session that the browser had', async () => {
    const other = `other-${email}`;
    await portal.organisationOf(other);
    const browser = portal.browser();
    await browser.signIn(other);
    const before = browser.cookie;
    await complete(await askAndRead(), browser);
    const stale = portal.browser();
    stale.cookie = before;
    expect((await stale.call('/portal/api/session')).status).toBe(401);
  });
});

describe('what was asked for', () => {
  it('is forgotten when no link of it can work any longer, whether it was used or not', async () => {
    await complete(await askAndRead());
    await ask(`unused-${email}`);
    await whenAllIsAnswered();
    portal.clock.advance(24 * hour + 15 * minute);
    // The beat of the loop that forgets is a minute; a replica begins with it, and makes up for a run that failed with the next.
    await portal.startReplica();
    await eventually(
      async () =>
        expect(await rows(`SELECT email FROM sign_ups WHERE email LIKE '%' || $1`, [email])).toEqual([]),
      { timeoutMs: 90_000 },
    );
  });
});

describe('while it is closed', () => {
  it('both are 403 with whom to ask, the page is told so, and nothing is kept', async () => {
    await using closed = await startPortalUnderTest({ settings: { SIGN_UP: 'closed' } });
    const browser = closed.browser();
    const standing = await browser.call('/portal/api/sign-up');
    expect([standing.status, standing.body]).toMatchObject([200, { open: false }]);
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
