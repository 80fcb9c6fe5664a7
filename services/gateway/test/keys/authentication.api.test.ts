import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { callerContextHeader } from '@offer-ads/contracts/internal/caller-context';
import pg from 'pg';
import { composeKey } from '../../src/domain/keys/api-key.ts';
import { type GatewayUnderTest, startGatewayUnderTest } from '../gateway-under-test.ts';

let gateway: GatewayUnderTest;
let organisationId: number;
let key: string;

beforeAll(async () => {
  gateway = await startGatewayUnderTest();
  organisationId = await gateway.register();
  ({ key } = await gateway.createKey(organisationId));
});
afterAll(async () => gateway[Symbol.asyncDispose]());

const unauthorised = { status: 401, body: { message: 'Unauthorised' } };

/** The caller context that the service behind received last. */
function contextSeen(upstream = gateway.offers): unknown {
  const token = String(upstream.seen.at(-1)?.headers[callerContextHeader]);
  return JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
}

describe('a key in force', () => {
  it('lets the request through as its organisation, person and mode', async () => {
    expect((await gateway.call('/categories', { key })).status).toBe(200);
    expect(contextSeen()).toMatchObject({
      audience: 'offers',
      organisationId,
      mode: 'TEST',
      currency: 'GBP',
      country: 'GB',
      tradingName: 'Corner Cafe',
      quota: { perPerson: 100, perOrganisation: 500 },
      termsAccepted: false,
    });
  });

  it('says by a keyed hash from which network it was used, and never the address itself', async () => {
    const networks = new Set<unknown>();
    const from = async (address: string) => {
      await gateway.call('/categories', { key, headers: { 'x-forwarded-for': address } });
      const { network } = contextSeen() as { network: string };
      expect(network).toMatch(/^[\w-]{22}$/);
      networks.add(network);
      return network;
    };
    const first = await from('198.51.100.7');
    await from('198.51.100.8');
    expect(await from('198.51.100.7')).toBe(first);
    expect(await from('2001:db8:1:2::3')).toBe(await from('2001:db8:1:2:ffff::4'));
    expect(networks.size).toBe(3);
    expect(JSON.stringify(contextSeen())).not.toMatch(/198\.51|2001/);
  });

  it('says by a keyed hash of the mail address who made it, the same in every organisation, and never the address itself', async () => {
    const mailboxes: unknown[] = [];
    for (const adminEmail of ['agent@agency.example', 'Agent@Agency.example', 'other@agency.example']) {
      const own = await gateway.createKey(await gateway.register({ adminEmail }));
      await gateway.call('/categories', { key: own.key });
      const { mailbox } = contextSeen() as { mailbox: string };
      expect(mailbox).toMatch(/^[\w-]{22}$/);
      expect(JSON.stringify(contextSeen())).not.toMatch(/agency/i);
      mailboxes.push(mailbox);
    }
    expect(mailboxes[1]).toBe(mailboxes[0]);
    expect(mailboxes[2]).not.toBe(mailboxes[0]);
  });

  it('signs for the service that is asked', async () => {
    await gateway.call('/offers/price-estimate', { method: 'POST', key, body: '{}' });
    expect(contextSeen(gateway.pricing)).toMatchObject({ audience: 'pricing', organisationId });
  });

  it.each([
    ['TEST', /^pk_test_/],
    ['LIVE', /^pk_live_/],
  ])('of a %s kind says so and is of that mode, whatever the request names', async (mode, beginning) => {
    const own = await gateway.createKey(organisationId, { mode });
    expect(own.key).toMatch(beginning);
    for (const environment of ['test', 'live']) {
      await gateway.call(`/offers?environment=${environment}`, { key: own.key });
      expect(contextSeen()).toMatchObject({ mode, keyId: own.id });
    }
  });

  it('never reaches the service behind, nor does a context that the caller made up', async () => {
    await gateway.call('/categories', { key, headers: { [callerContextHeader]: 'made.up', cookie: 'a=b' } });
    const headers = gateway.offers.seen.at(-1)?.headers ?? {};
    expect(JSON.stringify(headers)).not.toContain(key);
    expect(headers[callerContextHeader]).not.toBe('made.up');
    expect(headers.cookie).toBeUndefined();
  });
});

describe('401 Unauthorised', () => {
  const digits = Array.from({ length: 32 }, (_, index) => index);

  it.each([
    ['no key', () => null],
    ['a text that is no key', () => 'nonsense'],
    ['a key with a typo', () => `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`],
    ['a key that nobody has', () => composeKey('TEST', digits)],
  ])('answers %s', async (_case, sent) => {
    expect(await gateway.call('/categories', { key: sent() })).toMatchObject(unauthorised);
  });

  it('answers an expired key', async () => {
    const expired = await gateway.createKey(organisationId, { expiresAt: '2026-01-01T00:00:00Z' });
    expect(await gateway.call('/categories', { key: expired.key })).toMatchObject(unauthorised);
  });

  it('answers the very next request after a key was disabled, although it was in use', async () => {
    const used = await gateway.createKey(organisationId);
    expect((await gateway.call('/categories', { key: used.key })).status).toBe(200);
    expect((await gateway.admin('POST', `/keys/${used.id}/disable`)).status).toBe(200);
    expect(await gateway.call('/categories', { key: used.key })).toMatchObject(unauthorised);
  });

  it('answers the old key at once after a roll, while the new one works', async () => {
    const old = await gateway.createKey(organisationId, {
      name: 'Till',
      expiresAt: '2099-01-01T00:00:00.000Z',
    });
    await gateway.call('/categories', { key: old.key });
    const { body } = await gateway.admin('POST', `/keys/${old.id}/roll`);
    const rolled = body as { key: string; lastFour: string };
    expect(rolled).toMatchObject({
      mode: 'TEST',
      expiresAt: '2099-01-01T00:00:00.000Z',
      lastFour: rolled.key.slice(-4),
    });
    expect(await gateway.call('/categories', { key: old.key })).toMatchObject(unauthorised);
    expect((await gateway.call('/categories', { key: rolled.key })).status).toBe(200);
  });

  it("answers the key of a disabled person until they are enabled again, and nobody else's", async () => {
    const personEmail = 'dev@cafe.test';
    await gateway.admin('POST', `/organisations/${organisationId}/people`, {
      email: personEmail,
      role: 'developer',
    });
    const theirs = await gateway.createKey(organisationId, { personEmail });
    await gateway.call('/categories', { key: theirs.key });
    await gateway.admin('POST', `/organisations/${organisationId}/people/disable`, { email: personEmail });
    expect(await gateway.call('/categories', { key: theirs.key })).toMatchObject(unauthorised);
    expect((await gateway.call('/categories', { key })).status).toBe(200);
    await gateway.admin('POST', `/organisations/${organisationId}/people/enable`, { email: personEmail });
    expect((await gateway.call('/categories', { key: theirs.key })).status).toBe(200);
  });

  it('answers every key of a disabled organisation', async () => {
    const other = await gateway.register({ adminEmail: 'owner@other.test' });
    const theirs = await gateway.createKey(other);
    await gateway.admin('POST', `/organisations/${other}/disable`);
    expect(await gateway.call('/categories', { key: theirs.key })).toMatchObject(unauthorised);
  });
});

describe('a key without a recorded mode', () => {
  it('is refused with E1 and told to create a new key', async () => {
    const old = await gateway.createKey(organisationId, { mode: null });
    expect(await gateway.call('/offers', { key: old.key })).toMatchObject({
      status: 401,
      body: {
        return_code: 'E1',
        status: 'Error',
        code: 401,
        message: expect.stringMatching(/create a new key/i),
      },
    });
  });
});

describe('a key that was shown', () => {
  it('is nowhere in the store, nor anything from which it could be made, but its hash and last four characters', async () => {
    const first = await gateway.createKey(organisationId, { name: 'Till', mode: 'LIVE' });
    const { body } = await gateway.admin('POST', `/keys/${first.id}/roll`);
    const shown = [first.key, (body as { key: string }).key];
    for (const sent of shown) await gateway.call('/categories', { key: sent });
    const database = new pg.Client({ connectionString: gateway.databaseUrl });
    await database.connect();
    const { rows: tables } = await database.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    let stored = '';
    for (const { name } of tables) {
      const { rows } = await database.query<{ row: string }>(`SELECT t::text AS row FROM "${name}" t`);
      stored += rows.map(({ row }) => row).join('\n');
    }
    await database.end();
    for (const text of shown) {
      expect(stored).toContain(createHash('sha256').update(text).digest('hex'));
      const written = [text, Buffer.from(text).toString('hex'), Buffer.from(text).toString('base64')];
      // Parts would do as well: every eight characters of the random ones.
      for (let at = 'pk_live_'.length; at + 8 <= text.length; at += 1) written.push(text.slice(at, at + 8));
      expect(written.filter((each) => stored.includes(each))).toEqual([]);
    }
  });
});

describe('terms and quota', () => {
  it('travel to the services once accepted or set', async () => {
    const nothing = await gateway.admin('POST', `/organisations/${organisationId}/accept-terms`);
    expect([nothing.status, nothing.body]).toEqual([409, { message: expect.stringContaining('publish') }]);
    await gateway.admin('POST', '/terms', { version: '2026-01' });
    await gateway.admin('POST', `/organisations/${organisationId}/accept-terms`);
    await gateway.admin('POST', `/organisations/${organisationId}/quota`, {
      mode: 'TEST',
      perOrganisation: 2,
    });
    await gateway.call('/categories', { key });
    expect(contextSeen()).toMatchObject({
      termsAccepted: true,
      quota: { perPerson: 100, perOrganisation: 2 },
    });

    await gateway.admin('POST', '/terms', { version: '2026-02' });
    await gateway.call('/categories', { key });
    expect(contextSeen()).toMatchObject({ termsAccepted: false });
  });
});
