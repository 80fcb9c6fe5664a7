import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { issueSignInLink } from '../../src/sign-in/sign-in-links.ts';
import { connect, storePatienceMs } from '../call-log/calls-database.ts';
import { type Reply, unusedIp } from '../gateway-under-test.ts';
import {
  type PortalUnderTest,
  publicUrl,
  startPortalUnderTest,
  visible,
} from '../portal/portal-under-test.ts';

const minute = 60_000;
const hour = 60 * minute;
const linkRefused = { message: 'The sign-in link has been used or has expired: ask for a new one' };

/** A run of the tidying that meets a store which is too slow for a moment is made up for a minute later. */
const beyondTheBeat = { timeoutMs: 90_000 };

let portal: PortalUnderTest;
let people = 0;
/** Of an organisation of its own. */
let email: string;
let organisationId: number;

beforeAll(async () => {
  portal = await startPortalUnderTest();
});
afterAll(async () => portal[Symbol.asyncDispose]());
beforeEach(async () => {
  email = `person-${(people += 1)}@cafe.test`;
  organisationId = await portal.organisationOf(email);
});

const setPerson = (verb: 'enable' | 'disable', address = email) =>
  portal.gateway.admin('POST', `/organisations/${organisationId}/people/${verb}`, { email: address });
const setOrganisation = (verb: 'enable' | 'disable') =>
  portal.gateway.admin('POST', `/organisations/${organisationId}/${verb}`);

function statusesOf(replies: readonly Reply[]): number[] {
  return replies.map(({ status }) => status).toSorted((a, b) => a - b);
}

async function askAndRead(): Promise<string> {
  await portal.browser().ask(email);
  return portal.nextToken(email);
}

describe('POST /portal/api/sign-in', () => {
  it('sends a link whose token stands in the fragment, good for 15 minutes', async () => {
    const reply = await portal.browser().ask(email);
    expect(reply.status).toBe(202);
    const token = await portal.nextToken(email);
    expect(portal.mailsTo(email)[0]?.data).toEqual({
      organisationId,
      personId: expect.any(Number),
      email,
      signInUrl: `${publicUrl}/portal/sign-in#${token}`,
      expiresAt: new Date(portal.clock.now().getTime() + 15 * minute).toISOString(),
    });
    expect(token).toMatch(/^[\w-]{43}$/);
  });

  it('stores the hash of the token and the token nowhere', async () => {
    const token = await askAndRead();
    const { rows } = await portal.database.query('SELECT * FROM sign_in_links WHERE email = $1', [email]);
    expect(rows).toHaveLength(1);
    expect(rows[0].token_sha256).toEqual(createHash('sha256').update(token).digest());
    expect(JSON.stringify(rows)).not.toContain(token);
    // The event with the link leaves the outbox as soon as the broker has it.
    await eventually(async () => {
      const waiting = await portal.database.query('SELECT event FROM outbox');
      expect(JSON.stringify(waiting.rows)).not.toContain(token);
    });
  });

  it('answers alike for who is known, unknown or disabled, or whose organisation is disabled', async () => {
    const known = await portal.browser().ask(email);
    const unknown = await portal.browser().ask('nobody@nowhere.test');
    await setPerson('disable');
    const disabled = await portal.browser().ask(email);
    await setPerson('enable');
    await setOrganisation('disable');
    const ofDisabled = await portal.browser().ask(email);
    expect(known.status).toBe(202);
    for (const other of [unknown, disabled, ofDisabled]) expect(visible(other)).toEqual(visible(known));
  });

  it('sends nothing to unknown and disabled people, and keeps nothing of them', async () => {
    await setPerson('disable');
    await portal.browser().ask(email);
    await portal.browser().ask('nobody@nowhere.test');
    await portal.whenAllIsAnswered();
    await setPerson('enable');
    await setOrganisation('disable');
    await portal.browser().ask(email);
    await portal.whenAllIsAnswered();
    expect(portal.mailsTo(email)).toEqual([]);
    expect(portal.mailsTo('nobody@nowhere.test')).toEqual([]);
    const left = await portal.database.query('SELECT email FROM sign_in_requests');
    expect(left.rows).toEqual([]);
  });

  it('finds a person however the address is written, and writes to the address on record', async () => {
    await portal.browser().ask(` ${email.toUpperCase()} `);
    await portal.nextToken(email);
    expect(portal.mailsTo(email)).toHaveLength(1);
  });

  it('sends an address at most 5 links in 15 minutes, and says so to nobody', async () => {
    const replies = [];
    for (let count = 0; count < 7; count += 1) replies.push(await portal.browser().ask(email));
    await portal.whenAllIsAnswered();
    expect(portal.mailsTo(email)).toHaveLength(5);
    expect(visible(replies[6]!)).toEqual(visible(replies[0]!));

    portal.clock.advance(15 * minute - 1);
    await portal.browser().ask(email);
    await portal.whenAllIsAnswered();
    expect(portal.mailsTo(email)).toHaveLength(5);

    portal.clock.advance(1);
    await portal.browser().ask(email);
    await portal.whenAllIsAnswered();
    expect(portal.mailsTo(email)).toHaveLength(6);
  });

  it('counts links of an address exactly when replicas are asked at once, and answers no request twice', async () => {
    const replica = await portal.startReplica();
    const emails = Array.from({ length: 10 }, (_, index) => `many-${index}-${email}`);
    for (const address of emails) await portal.organisationOf(address);
    const ask = async (address: string, count: number) => {
      const browser = portal.browser();
      if (count % 2 === 1) browser.url = replica;
      await browser.ask(address);
    };
    const asked = [...emails, ...Array.from({ length: 12 }, () => email)];
    await Promise.all(asked.map(ask));
    await eventually(async () => {
      const { rows } = await portal.database.query(
        'SELECT (SELECT count(*) FROM sign_in_requests) + (SELECT count(*) FROM outbox) AS waiting',
      );
      expect(rows[0].waiting).toBe('0');
    });
    const links = await portal.database.query('SELECT 1 FROM sign_in_links WHERE email = $1', [email]);
    expect(links.rows).toHaveLength(5);
    await eventually(() => expect(portal.mailsTo(email)).toHaveLength(5));
    for (const address of emails) await eventually(() => expect(portal.mailsTo(address)).toHaveLength(1));
  });

  it('drops a request that waited so long that nobody waits for its mail', async () => {
    await portal.database.query('INSERT INTO sign_in_requests (email, requested_at) VALUES ($1, $2)', [
      email,
      new Date(portal.clock.now().getTime() - 15 * minute),
    ]);
    await portal.whenAllIsAnswered();
    expect(portal.mailsTo(email)).toEqual([]);
  });

  it('keeps nobody waiting behind a request that cannot be answered', async () => {
    const broken = `no address ${email}`;
    await portal.database.query('UPDATE people SET email = $2 WHERE email = $1', [email, broken]);
    await portal.database.query('INSERT INTO sign_in_requests (email, requested_at) VALUES ($1, $2)', [
      broken,
      portal.clock.now(),
    ]);
    await portal.whenAllIsAnswered();
    // Replicas of other tests look for what waits too, and may have taken it.
    await eventually(async () => {
      const left = await portal.database.query('SELECT email FROM sign_in_requests');
      expect(left.rows).toEqual([]);
    });
  });

  it('is limited per client network, whatever address is asked for', async () => {
    const asking = portal.browser('2001:db8:77:1::1');
    for (let count = 0; count < 30; count += 1) await asking.ask(`made-up-${count}@nowhere.test`);
    const neighbour = portal.browser('2001:db8:77:1:ffff::2');
    const [known, unknown] = [await neighbour.ask(email), await neighbour.ask('nobody@nowhere.test')];
    expect([known.status, known.body]).toEqual([429, { message: 'Too many requests' }]);
    expect(Number(known.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(unknown.status).toBe(429);
    expect((await portal.browser('2001:db8:77:2::1').ask(email)).status).toBe(202);
  });

  it.each([
    ['no address', { email: 'nonsense' }],
    ['no email', {}],
    ['too long', { email: `${'a'.repeat(250)}@cafe.test` }],
  ])('names the field that is wrong: %s', async (_case, json) => {
    const reply = await portal.browser().call('/portal/api/sign-in', { method: 'POST', json });
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({ message: expect.stringMatching(/^email: /) });
  });
});

describe('POST /portal/api/sign-in/complete', () => {
  it('signs in: who, where, what is allowed, and a cookie that only our https pages can use', async () => {
    const browser = portal.browser();
    const reply = await browser.signIn(email);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      person: { id: expect.any(Number), email },
      organisation: {
        id: organisationId,
        name: expect.any(String),
        tradingName: expect.any(String),
        country: 'GB',
        currency: 'GBP',
        approved: true,
      },
      role: 'admin',
      permissions: ['offers', 'keys', 'calls', 'people', 'terms', 'billing', 'organisation'],
      otherOrganisations: [],
      csrfToken: expect.stringMatching(/^[\w-]{43}$/),
      expiresAt: new Date(portal.clock.now().getTime() + 12 * hour).toISOString(),
    });
    expect(reply.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
      ),
    ]);
    const session = await browser.call('/portal/api/session');
    expect([session.status, session.body]).toEqual([200, reply.body]);
  });

  it('works once, also for ten tabs at once', async () => {
    const token = await askAndRead();
    const tabs = Array.from({ length: 10 }, () => portal.browser());
    const replies = await Promise.all(tabs.map((tab) => tab.complete(token)));
    expect(statusesOf(replies)).toEqual([200, ...Array(9).fill(401)]);
    const { rows } = await portal.database.query('SELECT id FROM portal_sessions WHERE email = $1', [email]);
    expect(rows).toHaveLength(1);
  });

  it('lets one of two links win that are used at once', async () => {
    const tokens = [await askAndRead(), await askAndRead()];
    const replies = await Promise.all(tokens.map((token) => portal.browser().complete(token)));
    expect(statusesOf(replies)).toEqual([200, 401]);
  });

  it('takes an older link too, and then no other one of the person', async () => {
    const older = await askAndRead();
    const newer = await askAndRead();
    expect((await portal.browser().complete(older)).status).toBe(200);
    expect((await portal.browser().complete(newer)).status).toBe(401);
  });

  it('refuses a link from the instant of its expiry', async () => {
    const inTime = await askAndRead();
    portal.clock.advance(15 * minute - 1);
    expect((await portal.browser().complete(inTime)).status).toBe(200);
    const late = await askAndRead();
    portal.clock.advance(15 * minute);
    expect((await portal.browser().complete(late)).status).toBe(401);
  });

  it('refuses who was disabled meanwhile, and the link stays used up', async () => {
    for (const [disable, enable] of [
      [() => setPerson('disable'), () => setPerson('enable')],
      [() => setOrganisation('disable'), () => setOrganisation('enable')],
    ] as const) {
      const token = await askAndRead();
      await disable();
      expect((await portal.browser().complete(token)).status).toBe(401);
      await enable();
      expect((await portal.browser().complete(token)).status).toBe(401);
    }
  });

  it('refuses a link that was sent to an address that is no longer the person’s', async () => {
    const token = await askAndRead();
    await portal.database.query('UPDATE people SET email = $2 WHERE email = $1', [email, `new-${email}`]);
    expect((await portal.browser().complete(token)).status).toBe(401);
  });

  it('refuses every bad token alike', async () => {
    const used = await askAndRead();
    await portal.browser().complete(used);
    const expired = await askAndRead();
    portal.clock.advance(15 * minute);
    const disabled = await askAndRead();
    await setPerson('disable');
    const replies = [];
    for (const token of [used, expired, disabled, 'x'.repeat(43), 'nonsense', '']) {
      replies.push(visible(await portal.browser().complete(token)));
    }
    expect(replies[0]).toMatchObject({ status: 401, body: linkRefused });
    for (const reply of replies) expect(reply).toEqual(replies[0]);
  });

  it('ends the session that the browser had', async () => {
    const browser = portal.browser();
    await browser.signIn(email);
    const before = browser.cookie;
    await browser.signIn(email);
    expect(browser.cookie).not.toBe(before);
    expect((await browser.call('/portal/api/session')).status).toBe(200);
    const earlier = portal.browser();
    earlier.cookie = before;
    expect((await earlier.call('/portal/api/session')).status).toBe(401);
  });

  it('signs in to the organisation of the address that was used last', async () => {
    const second = await portal.organisationOf(email, 'Second');
    const browser = portal.browser();
    expect((await browser.signIn(email)).body).toMatchObject({ organisation: { id: organisationId } });
    portal.clock.advance(1);
    await browser.call('/portal/api/session/organisation', {
      method: 'POST',
      json: { organisationId: second },
    });
    expect((await portal.browser().signIn(email)).body).toMatchObject({ organisation: { id: second } });
  });

  it('is limited per client network', async () => {
    const browser = portal.browser(unusedIp());
    for (let count = 0; count < 30; count += 1) await browser.complete('x'.repeat(43));
    const refused = await browser.complete(await askAndRead());
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('takes an invitation for 72 hours', async () => {
    await using postgres = await connect(portal.gateway.databaseUrl, { statementTimeoutMs: storePatienceMs });
    const { rows } = await portal.database.query('SELECT id FROM people WHERE email = $1', [email]);
    const invite = async () => {
      const link = await postgres.transaction((tx) =>
        issueSignInLink(tx, {
          personId: rows[0].id,
          purpose: 'invitation',
          at: portal.clock.now(),
          publicUrl,
        }),
      );
      return new URL(link.url).hash.slice(1);
    };
    const inTime = await invite();
    portal.clock.advance(72 * hour - 1);
    expect((await portal.browser().complete(inTime)).status).toBe(200);
    const late = await invite();
    portal.clock.advance(72 * hour);
    expect((await portal.browser().complete(late)).status).toBe(401);
  });
});

describe('what is worthless', () => {
  it('is deleted: expired and used links, and sessions that have ended', async () => {
    await portal.browser().signIn(email);
    await askAndRead();
    portal.clock.advance(15 * minute);
    const fresh = await askAndRead();
    const rowsOf = async (table: string) =>
      (await portal.database.query(`SELECT * FROM ${table} WHERE email = $1`, [email])).rows;
    await portal.startReplica();
    await eventually(async () => expect(await rowsOf('sign_in_links')).toHaveLength(1), beyondTheBeat);
    expect((await portal.browser().complete(fresh)).status).toBe(200);
    expect(await rowsOf('portal_sessions')).toHaveLength(2);
    portal.clock.advance(12 * hour);
    await portal.startReplica();
    await eventually(async () => expect(await rowsOf('portal_sessions')).toEqual([]), beyondTheBeat);
    expect(await rowsOf('sign_in_links')).toEqual([]);
  });
});
