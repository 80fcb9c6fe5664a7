import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import type { Reply } from '../gateway-under-test.ts';
import { publicUrl, startPortalUnderTest, visible } from '../portal/portal-under-test.ts';

const minute = 60_000;
const hour = 60 * minute;

/** The tidying loop tries again after a minute if a busy store was too slow. */
const beyondOneBeat = { timeoutMs: 90_000 };

const portal = forAllTests(() => startPortalUnderTest());
let people = 0;
/** The admin of an organisation of its own. */
let email: string;
let organisationId: number;

beforeEach(async () => {
  email = `person-${(people += 1)}@cafe.test`;
  organisationId = await portal.organisationOf(email);
});

type Verb = 'enable' | 'disable';
const setPerson = (verb: Verb) =>
  portal.gateway.admin('POST', `/organisations/${organisationId}/people/${verb}`, { email });
const setOrganisation = (verb: Verb) =>
  portal.gateway.admin('POST', `/organisations/${organisationId}/${verb}`);
const ask = (address = email) => portal.browser().ask(address);
const complete = async (token: string) => (await portal.browser().complete(token)).status;
const rows = async (sql: string, values: readonly unknown[] = []) =>
  (await portal.database.query(sql, [...values])).rows as Record<string, unknown>[];
const waitingRequests = () => rows('SELECT email FROM sign_in_requests');

function statusesOf(replies: readonly Reply[]): number[] {
  return replies.map(({ status }) => status).toSorted((a, b) => a - b);
}

async function askAndRead(): Promise<string> {
  await ask();
  return portal.nextToken(email);
}

describe('POST /portal/api/sign-in', () => {
  it('sends a link with its token in the fragment, valid for 15 minutes, and stores only the hash of the token', async () => {
    expect((await ask()).status).toBe(202);
    const token = await portal.nextToken(email);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(portal.mailsTo(email)[0]?.data).toEqual({
      organisationId,
      personId: expect.any(Number),
      email,
      signInUrl: `${publicUrl}/portal/sign-in#${token}`,
      expiresAt: new Date(portal.clock.now().getTime() + 15 * minute).toISOString(),
    });
    const links = await rows('SELECT * FROM sign_in_links WHERE email = $1', [email]);
    expect(links).toMatchObject([{ token_sha256: createHash('sha256').update(token).digest() }]);
    expect(JSON.stringify(links)).not.toContain(token);
    // The event with the link leaves the outbox as soon as the broker has it.
    await eventually(async () =>
      expect(JSON.stringify(await rows('SELECT event FROM outbox'))).not.toContain(token),
    );
  });

  it('gives the same answer for a known, an unknown and a disabled person, and mails only the known one', async () => {
    const known = await ask();
    await portal.whenAllIsAnswered();
    const mails = portal.mailsTo(email).length;
    const unknown = 'nobody@nowhere.test';
    const replies = [await ask(unknown)];
    await setPerson('disable');
    replies.push(await ask());
    await portal.whenAllIsAnswered();
    await setPerson('enable');
    await setOrganisation('disable');
    replies.push(await ask());
    await portal.whenAllIsAnswered();
    expect(known.status).toBe(202);
    for (const other of replies) expect(visible(other)).toEqual(visible(known));
    expect([mails, portal.mailsTo(email).length, portal.mailsTo(unknown).length]).toEqual([1, 1, 0]);
    expect(await waitingRequests()).toEqual([]);
  });

  it('finds a person by the address in any case, and writes to the registered address', async () => {
    await ask(` ${email.toUpperCase()} `);
    await portal.nextToken(email);
    expect(portal.mailsTo(email)).toHaveLength(1);
  });

  it('sends an address at most 5 links in 15 minutes, and its answer does not show it', async () => {
    const replies: Reply[] = [];
    for (let count = 0; count < 7; count += 1) replies.push(await ask());
    await portal.whenAllIsAnswered();
    expect(portal.mailsTo(email)).toHaveLength(5);
    expect(visible(replies[6]!)).toEqual(visible(replies[0]!));
    for (const [advanceMs, mails] of [
      [15 * minute - 1, 5],
      [1, 6],
    ] as const) {
      portal.clock.advance(advanceMs);
      await ask();
      await portal.whenAllIsAnswered();
      expect(portal.mailsTo(email)).toHaveLength(mails);
    }
  });

  it('counts links exactly when replicas are asked at the same time, and answers no request twice', async () => {
    const replica = await portal.startReplica();
    const emails = Array.from({ length: 10 }, (_, index) => `many-${index}-${email}`);
    for (const address of emails) await portal.organisationOf(address);
    const asked = [...emails, ...Array.from({ length: 12 }, () => email)].map((address, count) => {
      const browser = portal.browser();
      if (count % 2 === 1) browser.url = replica;
      return browser.ask(address);
    });
    await Promise.all(asked);
    await eventually(async () => {
      expect([...(await waitingRequests()), ...(await rows('SELECT 1 FROM outbox'))]).toEqual([]);
    });
    expect(await rows('SELECT 1 FROM sign_in_links WHERE email = $1', [email])).toHaveLength(5);
    await eventually(() => expect(portal.mailsTo(email)).toHaveLength(5));
    for (const address of emails) await eventually(() => expect(portal.mailsTo(address)).toHaveLength(1));
  });

  it('drops a request that has waited for 15 minutes, and one that cannot be answered', async () => {
    const broken = `no address ${email}`;
    const other = `other-${email}`;
    await portal.organisationOf(other);
    await rows('UPDATE people SET email = $2 WHERE email = $1', [other, broken]);
    const insert = 'INSERT INTO sign_in_requests (email, requested_at) VALUES ($1, $2)';
    await rows(insert, [email, new Date(portal.clock.now().getTime() - 15 * minute)]);
    await rows(insert, [broken, portal.clock.now()]);
    await portal.whenAllIsAnswered();
    expect(portal.mailsTo(email)).toEqual([]);
    // Another replica may have taken a request meanwhile.
    await eventually(async () => expect(await waitingRequests()).toEqual([]));
  });

  it('is limited per client network, whatever address is asked for', async () => {
    const from = (ip: string) => portal.browser(ip);
    const asking = from('2001:db8:77:1::1');
    for (let count = 0; count < 30; count += 1) await asking.ask(`made-up-${count}@nowhere.test`);
    const neighbour = from('2001:db8:77:1:ffff::2');
    const refused = await neighbour.ask(email);
    expect([refused.status, refused.body]).toEqual([429, { message: 'Too many requests' }]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await neighbour.ask('nobody@nowhere.test')).status).toBe(429);
    expect((await from('2001:db8:77:2::1').ask(email)).status).toBe(202);
  });

  it.each([
    ['nonsense', { email: 'nonsense' }],
    ['missing', {}],
    ['too long', { email: `${'a'.repeat(250)}@cafe.test` }],
  ])('names the field if the address is %s', async (_case, json) => {
    const reply = await portal.browser().call('/portal/api/sign-in', { method: 'POST', json });
    expect([reply.status, reply.body]).toEqual([400, { message: expect.stringMatching(/^email: /) }]);
  });
});

describe('POST /portal/api/sign-in/complete', () => {
  it('opens a session: person, organisation, permissions, and a cookie that only our https pages can use', async () => {
    const browser = portal.browser();
    const reply = await browser.signIn(email);
    const name: unknown = expect.any(String);
    expect([reply.status, reply.body]).toEqual([
      200,
      {
        person: { id: expect.any(Number), email },
        organisation: {
          id: organisationId,
          name,
          tradingName: name,
          country: 'GB',
          currency: 'GBP',
          approved: true,
          withdrawal: null,
        },
        role: 'admin',
        permissions: [
          'view-offers',
          'offers',
          'keys',
          'calls',
          'key-rights',
          'webhooks',
          'people',
          'terms',
          'billing',
          'organisation',
        ],
        otherOrganisations: [],
        csrfToken: expect.stringMatching(/^[\w-]{43}$/),
        expiresAt: new Date(portal.clock.now().getTime() + 12 * hour).toISOString(),
      },
    ]);
    expect(reply.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
      ),
    ]);
    const session = await browser.call('/portal/api/session');
    expect([session.status, session.body]).toEqual([200, reply.body]);
  });

  it('works once, also for ten tabs at the same time', async () => {
    const token = await askAndRead();
    const replies = await Promise.all(Array.from({ length: 10 }, () => portal.browser().complete(token)));
    expect(statusesOf(replies)).toEqual([200, ...Array(9).fill(401)]);
    expect(await rows('SELECT id FROM portal_sessions WHERE email = $1', [email])).toHaveLength(1);
  });

  it('is said before to whom the link belongs, which uses nothing up; nothing is said of one that does not work', async () => {
    const token = await askAndRead();
    const look = (wanted: string) =>
      portal.browser().call('/portal/api/sign-in/link', { method: 'POST', json: { token: wanted } });
    for (let looks = 0; looks < 2; looks += 1)
      expect(await look(token)).toMatchObject({
        status: 200,
        body: { email, organisation: expect.any(String) },
      });
    expect(await complete(token)).toBe(200);
    for (const dead of [token, `${token.slice(1)}x`, '']) expect((await look(dead)).status).toBe(401);
    const late = await askAndRead();
    portal.clock.advance(15 * 60_000);
    expect((await look(late)).status).toBe(401);
  });

  it('accepts one of several links of a person, older or newer, also when two are used at the same time', async () => {
    const [older, newer] = [await askAndRead(), await askAndRead()];
    expect([await complete(older), await complete(newer)]).toEqual([200, 401]);
    const tokens = [await askAndRead(), await askAndRead()];
    const replies = await Promise.all(tokens.map((token) => portal.browser().complete(token)));
    expect(statusesOf(replies)).toEqual([200, 401]);
  });

  it.each([
    ['person', setPerson],
    ['organisation', setOrganisation],
  ] as const)(
    'refuses a %s that was disabled meanwhile, and the link never works again',
    async (_who, set) => {
      const token = await askAndRead();
      await set('disable');
      expect(await complete(token)).toBe(401);
      await set('enable');
      expect(await complete(token)).toBe(401);
    },
  );

  it('refuses a link to an address that is no longer that of the person', async () => {
    const token = await askAndRead();
    await rows('UPDATE people SET email = $2 WHERE email = $1', [email, `new-${email}`]);
    expect(await complete(token)).toBe(401);
  });

  it('gives the same answer for every token that it refuses', async () => {
    const used = await askAndRead();
    await complete(used);
    const expired = await askAndRead();
    portal.clock.advance(15 * minute);
    const disabled = await askAndRead();
    await setPerson('disable');
    const replies = [];
    for (const token of [used, expired, disabled, 'x'.repeat(43), 'nonsense', ''])
      replies.push(visible(await portal.browser().complete(token)));
    const message = 'The sign-in link has been used or has expired: ask for a new one';
    expect(replies[0]).toMatchObject({ status: 401, body: { message } });
    for (const reply of replies) expect(reply).toEqual(replies[0]);
  });

  it('ends the session that the browser had', async () => {
    const browser = portal.browser();
    await browser.signIn(email);
    const earlier = Object.assign(portal.browser(), { cookie: browser.cookie });
    await browser.signIn(email);
    expect((await browser.call('/portal/api/session')).status).toBe(200);
    expect((await earlier.call('/portal/api/session')).status).toBe(401);
  });

  it('signs in to the organisation of the address that was used last', async () => {
    const second = await portal.organisationOf(email, 'Second');
    const browser = portal.browser();
    expect((await browser.signIn(email)).body).toMatchObject({ organisation: { id: organisationId } });
    portal.clock.advance(1);
    const json = { organisationId: second };
    await browser.call('/portal/api/session/organisation', { method: 'POST', json });
    expect((await portal.browser().signIn(email)).body).toMatchObject({ organisation: { id: second } });
  });

  it('is limited per client network', async () => {
    const browser = portal.browser();
    for (let count = 0; count < 30; count += 1) await browser.complete('x'.repeat(43));
    const refused = await browser.complete(await askAndRead());
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });
});

describe('the tidying', () => {
  it('deletes expired and used links, and sessions that have ended', async () => {
    await portal.browser().signIn(email);
    await askAndRead();
    portal.clock.advance(15 * minute + 1);
    const fresh = await askAndRead();
    const rowsOf = (table: string) => rows(`SELECT * FROM ${table} WHERE email = $1`, [email]);
    // A replica tidies when it starts.
    await portal.startReplica();
    await eventually(async () => expect(await rowsOf('sign_in_links')).toHaveLength(1), beyondOneBeat);
    expect(await complete(fresh)).toBe(200);
    expect(await rowsOf('portal_sessions')).toHaveLength(2);
    portal.clock.advance(12 * hour + 1);
    await portal.startReplica();
    await eventually(async () => expect(await rowsOf('portal_sessions')).toEqual([]), beyondOneBeat);
    expect(await rowsOf('sign_in_links')).toEqual([]);
  });
});
