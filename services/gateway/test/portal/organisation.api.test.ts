import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { callerContextHeader } from '@offer-ads/contracts/internal/caller-context';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { organisationWithRoles, type TestOrganisation } from './members.ts';
import { type PortalUnderTest, startPortalUnderTest } from './portal-under-test.ts';

let portal: PortalUnderTest;
let cafe: TestOrganisation;
beforeAll(async () => {
  portal = await startPortalUnderTest();
});
afterAll(async () => portal[Symbol.asyncDispose]());
beforeEach(async () => {
  cafe = await organisationWithRoles(portal);
});

/** What the service behind learns of a caller with this key. */
async function contextOf(key: string, base = portal.gateway.url): Promise<unknown> {
  await portal.gateway.call('/categories', { key, base });
  const token = String(portal.gateway.offers.seen.at(-1)?.headers[callerContextHeader]);
  return JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
}

describe('GET /portal/api/organisation', () => {
  it('tells names, country, currency, quotas and whether the terms are accepted', async () => {
    const standard = { perPerson: 100, perOrganisation: 500 };
    const quota = { mode: 'LIVE', perOrganisation: 7 };
    await portal.gateway.admin('POST', `/organisations/${cafe.organisationId}/quota`, quota);
    const { status, body } = await cafe.marketer.call('GET', '/organisation');
    expect([status, body]).toEqual([
      200,
      {
        id: cafe.organisationId,
        name: expect.stringContaining('Cafe'),
        tradingName: expect.stringContaining('Cafe'),
        country: 'GB',
        currency: 'GBP',
        quotas: { TEST: standard, LIVE: { perPerson: 100, perOrganisation: 7 } },
        termsAccepted: false,
      },
    ]);
  });
});

describe('PATCH /portal/api/organisation', () => {
  const rename = (tradingName: unknown) => cafe.admin.call('PATCH', '/organisation', { tradingName });

  it('changes the trading name on every replica and in the other services', async () => {
    const { key } = await portal.gateway.createKey(cafe.organisationId);
    await contextOf(key);
    expect(await rename('  Café Ω ')).toMatchObject({ status: 200, body: { tradingName: 'Café Ω' } });
    expect(await contextOf(key)).toMatchObject({ tradingName: 'Café Ω' });
    await eventually(() =>
      expect(portal.changesOf(cafe.organisationId).at(-1)?.data.tradingName).toBe('Café Ω'),
    );
  });

  it.each([
    ['', 'must not be empty'],
    ['x'.repeat(101), 'at most 100'],
    ['a\nb', 'line breaks'],
    ['www.cafe.test', 'must not start with'],
    ['HTTPS://cafe.test', 'must not start with'],
    ['<b>Cafe</b>', 'HTML'],
    ['Caf&eacute;', 'HTML'],
    [7, 'tradingName'],
  ])('refuses %j, which members must not see: 400', async (name, words) => {
    expect(await rename(name)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(words) },
    });
  });
});

describe('the terms', () => {
  const accept = (version: string) => cafe.admin.call('POST', '/terms/acceptance', { version });
  const publish = (version: string, text?: string) =>
    portal.gateway.admin('POST', '/terms', { version, text });

  it('are accepted in their latest version, by a person, for the organisation, on every replica', async () => {
    expect((await cafe.marketer.call('GET', '/terms')).body).toEqual({ latest: null, earlier: [] });
    expect(await accept('2026-01')).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('published') },
    });

    const text = '# Terms\n\nPay what you book. Café Ω 🎂\n';
    await publish('2026-01', text);
    const publishedAt = portal.clock.now().toISOString();
    const latest = { version: '2026-01', text, publishedAt, acceptedAt: null, acceptedBy: null };
    expect((await cafe.marketer.call('GET', '/terms')).body).toEqual({ latest, earlier: [] });

    const { key } = await portal.gateway.createKey(cafe.organisationId);
    expect(await contextOf(key)).toMatchObject({ termsAccepted: false });
    portal.clock.advance(1_000);
    const acceptedAt = portal.clock.now().toISOString();
    const accepted = { ...latest, acceptedAt, acceptedBy: cafe.admin.email };
    expect(await accept('2026-01')).toMatchObject({ status: 200, body: { latest: accepted, earlier: [] } });
    expect(await contextOf(key)).toMatchObject({ termsAccepted: true });
    expect((await cafe.marketer.call('GET', '/organisation')).body).toMatchObject({ termsAccepted: true });

    // Accepting again leaves on record who was first.
    portal.clock.advance(1_000);
    expect(await accept('2026-01')).toMatchObject({ status: 200, body: { latest: accepted } });

    await publish('2026-02');
    expect(await contextOf(key)).toMatchObject({ termsAccepted: false });
    expect(await accept('2026-01')).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('2026-02') },
    });
    const { text: _, ...earlier } = accepted;
    const body = { latest: { version: '2026-02', text: null, acceptedAt: null }, earlier: [earlier] };
    expect(await cafe.marketer.call('GET', '/terms')).toMatchObject({ body });

    const other = await organisationWithRoles(portal);
    expect(await other.admin.call('GET', '/terms')).toMatchObject({
      body: { earlier: [{ version: '2026-01', acceptedAt: null, acceptedBy: null }] },
    });
    await portal.gateway.admin('POST', `/organisations/${other.organisationId}/accept-terms`);
    expect(await other.admin.call('GET', '/terms')).toMatchObject({
      body: { latest: { version: '2026-02', acceptedAt: expect.any(String), acceptedBy: null } },
    });
  });

  it('keep their words: the same version with other words is refused, and the longest text fits', async () => {
    const longest = '🎂'.repeat(100_000);
    expect((await publish('long', longest)).status).toBe(200);
    expect((await cafe.marketer.call('GET', '/terms')).body).toMatchObject({ latest: { text: longest } });
    expect((await publish('long', longest)).status).toBe(200);
    expect((await publish('long')).status).toBe(200);
    expect(await publish('long', 'other words')).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('another text') },
    });
    expect((await publish('longer', `${longest}!`)).status).toBe(400);
    expect((await publish('empty', ' \n')).status).toBe(400);
    expect((await publish('nul', 'a\u0000b')).status).toBe(400);
  });
});

describe('another replica, which has just looked the key up', () => {
  it('knows the new name, the acceptance and the disabled person once the first has answered', async () => {
    const replica = await portal.startReplica();
    const { key } = await portal.gateway.createKey(cafe.organisationId, {
      personEmail: cafe.developer.email,
    });
    await portal.gateway.admin('POST', '/terms', { version: '2025-12' });
    expect(await contextOf(key, replica)).toMatchObject({ termsAccepted: false });
    await cafe.admin.call('PATCH', '/organisation', { tradingName: 'Known everywhere' });
    expect(await contextOf(key, replica)).toMatchObject({ tradingName: 'Known everywhere' });
    await cafe.admin.call('POST', '/terms/acceptance', { version: '2025-12' });
    expect(await contextOf(key, replica)).toMatchObject({ termsAccepted: true });
    await cafe.admin.call('PATCH', `/people/${cafe.developer.id}`, { enabled: false });
    const refused = await portal.gateway.call('/categories', { key, base: replica });
    expect(refused.status).toBe(401);
    cafe.developer.browser.url = replica;
    expect((await cafe.developer.call('GET', '/session')).status).toBe(401);
  });
});
