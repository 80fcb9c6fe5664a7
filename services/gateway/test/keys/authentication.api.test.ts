/** What services learn of the caller of a key, until when a key works, and what the store keeps of it. */
import { createHash } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { testClock } from '@offer-ads/testing/clock';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { lastCallerAt } from '../forwarding/fake-upstream.ts';
import { refusal, startGatewayUnderTest } from '../gateway-under-test.ts';

const clock = testClock();
const gateway = forAllTests(() => startGatewayUnderTest({ clock }));
let organisationId: number;
let key: string;

beforeAll(async () => {
  organisationId = await gateway.register();
  ({ key } = await gateway.createKey(organisationId));
});
beforeEach(() => gateway.resetUpstreams());

async function callerOf(key: string) {
  await gateway.call('/categories', { key });
  return lastCallerAt(gateway.offers);
}

describe('the caller context of a key', () => {
  it.each([
    ['offers', 'GET', '/categories'],
    ['pricing', 'POST', '/offers/price-estimate'],
  ] as const)(
    'is signed for %s and holds the facts of organisation, person and mode',
    async (audience, method, path) => {
      await gateway.call(path, { method, key, ...(method === 'POST' && { body: '{}' }) });
      expect(lastCallerAt(gateway[audience])).toMatchObject({
        audience,
        organisationId,
        mode: 'TEST',
        currency: 'GBP',
        country: 'GB',
        tradingName: 'Corner Cafe',
        quota: { perPerson: 100, perOrganisation: 500 },
        termsAccepted: false,
      });
    },
  );

  it('has the quota and the accepted terms as soon as they have changed', async () => {
    const own = await gateway.createKey(await gateway.register());
    const { organisationId: id } = await callerOf(own.key);
    await gateway.admin('POST', '/terms', { version: '2026-01', text: 'Be kind' });
    await gateway.admin('POST', `/organisations/${id}/accept-terms`);
    await gateway.admin('POST', `/organisations/${id}/quota`, { mode: 'TEST', perOrganisation: 2 });
    const quota = { perPerson: 100, perOrganisation: 2 };
    expect(await callerOf(own.key)).toMatchObject({ termsAccepted: true, quota });
    await gateway.admin('POST', '/terms', { version: '2026-02', text: 'Be kind' });
    expect(await callerOf(own.key)).toMatchObject({ termsAccepted: false });
  });

  it('names the network to pricing only, by a keyed hash, the same for a whole IPv6 /64, and never the address', async () => {
    expect(await callerOf(key)).toMatchObject({ network: null });
    const from = async (address: string) => {
      await gateway.call('/offers/price-estimate', { method: 'POST', body: '{}', key, ip: address });
      const caller = lastCallerAt(gateway.pricing);
      expect(caller.network).toMatch(/^[\w-]{22}$/);
      expect(JSON.stringify(caller)).not.toMatch(/198\.51|2001:/);
      return caller.network;
    };
    const first = await from('198.51.100.7');
    expect(await from('198.51.100.7')).toBe(first);
    expect(await from('198.51.100.8')).not.toBe(first);
    expect(await from('2001:db8:1:2::3')).toBe(await from('2001:db8:1:2:ffff::4'));
  });

  it('names the mail address to pricing only, by a keyed hash, the same in every organisation, and never the address', async () => {
    expect(await callerOf(key)).toMatchObject({ mailbox: null });
    const mailboxes: unknown[] = [];
    for (const adminEmail of ['agent@agency.example', 'Agent@Agency.example', 'other@agency.example']) {
      const own = await gateway.createKey(await gateway.register({ adminEmail }));
      await gateway.call('/offers/price-estimate', { method: 'POST', body: '{}', key: own.key });
      const caller = lastCallerAt(gateway.pricing);
      expect(caller.mailbox).toMatch(/^[\w-]{22}$/);
      expect(JSON.stringify(caller)).not.toMatch(/agency/i);
      mailboxes.push(caller.mailbox);
    }
    expect(mailboxes[1]).toBe(mailboxes[0]);
    expect(mailboxes[2]).not.toBe(mailboxes[0]);
  });

  it.each(['TEST', 'LIVE'])('has the mode %s of its key, whatever the request names', async (mode) => {
    const own = await gateway.createKey(organisationId, { mode });
    expect(own.key).toContain(`pk_${mode.toLowerCase()}_`);
    for (const environment of ['test', 'live']) {
      await gateway.call(`/offers?environment=${environment}`, { key: own.key });
      expect(lastCallerAt(gateway.offers)).toMatchObject({ mode, keyId: own.id });
    }
  });
});

describe('a key with an expiry date (Authentication item 9)', () => {
  it('works until the last millisecond, and is refused from its expiry on', async () => {
    const { key } = await gateway.createKey(organisationId, { expiresAt: '2026-06-01T13:00:00.000Z' });
    clock.set('2026-06-01T12:59:59.999Z');
    expect((await gateway.call('/categories', { key })).status).toBe(200);
    clock.advance(1);
    const { status, body } = await gateway.call('/categories', { key });
    expect([status, body]).toEqual([401, { message: 'Unauthorised' }]);
  });
});

describe('a key that was sent over plain http, as a proxy says', () => {
  const refused = refusal(403, 'https');

  it('is refused and logged, and reaches no service', async () => {
    const own = await gateway.createKey(await gateway.register());
    const { organisationId: id } = await callerOf(own.key);
    gateway.resetUpstreams();
    for (const [method, path] of [
      ['GET', '/categories'],
      ['POST', '/offers'],
      ['POST', '/placements'],
      ['GET', '/no-such-path'],
      ['GET', '/docs'],
    ] as const)
      for (const scheme of ['http', 'HTTP, https'])
        expect(
          await gateway.call(path, { method, key: own.key, headers: { 'x-forwarded-proto': scheme } }),
        ).toMatchObject(refused);
    expect(gateway.offers.seen).toEqual([]);
    await eventually(async () =>
      expect(await gateway.callsOf(id, 'status=403')).toContainEqual(
        expect.objectContaining({ route: 'POST /offers', keyId: own.id }),
      ),
    );
    const safe = { key: own.key, headers: { 'x-forwarded-proto': 'https' } };
    expect((await gateway.call('/categories', safe)).status).toBe(200);
  });

  it('is refused as a session would be, and only browsers that ask for a page are sent on', async () => {
    const ask = (path: string, method = 'GET') =>
      fetch(gateway.url + path, { method, redirect: 'manual', headers: { 'x-forwarded-proto': 'http' } });
    const page = await ask('/docs/errors?from=mail');
    expect([page.status, page.headers.get('location')]).toEqual([
      301,
      'https://ads.example.test/docs/errors?from=mail',
    ]);
    expect((await ask('/portal/api/sign-in/complete', 'POST')).status).toBe(403);
  });
});

describe('a key that was shown', () => {
  it('is nowhere in the store, only its hash and last four characters, so that it cannot be recovered', async () => {
    const first = await gateway.createKey(organisationId, { name: 'Till', mode: 'LIVE' });
    const { body } = await gateway.admin('POST', `/keys/${first.id}/roll`);
    const shown = [first.key, (body as { key: string }).key];
    for (const sent of shown) await gateway.call('/categories', { key: sent });
    const { rows: tables } = await gateway.database.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
    );
    let stored = '';
    for (const { name } of tables) {
      const { rows } = await gateway.database.query<{ row: string }>(
        `SELECT t::text AS row FROM "${name}" t`,
      );
      stored += rows.map(({ row }) => row).join('\n');
    }
    for (const text of shown) {
      expect(stored).toContain(createHash('sha256').update(text).digest('hex'));
      const written = [text, Buffer.from(text).toString('hex'), Buffer.from(text).toString('base64')];
      // Parts would help an attacker too: every eight characters of the random ones.
      for (let at = 'pk_live_'.length; at + 8 <= text.length; at += 1) written.push(text.slice(at, at + 8));
      expect(written.filter((each) => stored.includes(each))).toEqual([]);
    }
  });
});
