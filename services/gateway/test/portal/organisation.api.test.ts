import { beforeAll, describe, expect, it } from '@jest/globals';
import { forAllTests, forEachTest } from '@offer-ads/testing/for-tests';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { lastCallerAt } from '../forwarding/fake-upstream.ts';
import { refusal } from '../gateway-under-test.ts';
import { organisationWithRoles } from './members.ts';
import { startPortalUnderTest } from './portal-under-test.ts';

const portal = forAllTests(() => startPortalUnderTest());
/** Another replica, where a change holds too. */
let replica: string;
const cafe = forEachTest(() => organisationWithRoles(portal));
beforeAll(async () => {
  replica = await portal.startReplica();
});

/** What a service learns of the caller by a call over the other replica. */
async function callerOf(key: string) {
  await portal.gateway.call('/categories', { key, base: replica });
  return lastCallerAt(portal.gateway.offers);
}

describe('/portal/api/organisation', () => {
  const rename = (tradingName: unknown) => cafe.admin.call('PATCH', '/organisation', { tradingName });

  it('shows names, country, currency, quotas and whether the terms are accepted', async () => {
    const standard = { perPerson: 100, perOrganisation: 500 };
    const quota = { mode: 'LIVE', perOrganisation: 7 };
    await portal.gateway.admin('POST', `/organisations/${cafe.organisationId}/quota`, quota);
    const { status, body } = await cafe.marketer.call('GET', '/organisation');
    const organisation = {
      id: cafe.organisationId,
      name: expect.stringContaining('Cafe'),
      tradingName: expect.stringContaining('Cafe'),
      country: 'GB',
      currency: 'GBP',
      registeredAt: expect.stringMatching(/^\d{4}-.+Z$/),
      quotas: { TEST: standard, LIVE: { perPerson: 100, perOrganisation: 7 } },
      termsAccepted: false,
      termsDueAt: null,
      timeZone: null,
    };
    expect([status, body]).toEqual([200, organisation]);
  });

  it('changes the trading name on every replica before it answers, and publishes all facts of the organisation', async () => {
    const { key } = await portal.gateway.createKey(cafe.organisationId);
    await callerOf(key);
    expect(await rename('  Café Ω ')).toMatchObject({ status: 200, body: { tradingName: 'Café Ω' } });
    expect(await callerOf(key)).toMatchObject({ tradingName: 'Café Ω' });
    const changed = () => portal.changesOf(cafe.organisationId).at(-1);
    await eventually(() => expect(changed()?.data.tradingName).toBe('Café Ω'));
    const { subjectVersion } = changed()!;
    await portal.gateway.admin('POST', `/organisations/${cafe.organisationId}/disable`);
    await eventually(() => expect(changed()?.subjectVersion).toBe(subjectVersion + 1));
    const roles = [{ role: 'admin' }, { role: 'developer' }, { role: 'marketer' }].map(
      (person) => expect.objectContaining(person) as object,
    );
    expect(changed()?.data).toEqual({
      organisationId: cafe.organisationId,
      name: expect.stringContaining('Cafe'),
      tradingName: 'Café Ω',
      country: 'GB',
      currency: 'GBP',
      enabled: false,
      billingDetails: { address: [], vatNumber: null, purchaseOrder: null },
      people: expect.arrayContaining(roles),
    });
  });

  it('refuses a trading name that members must not see: 400', async () => {
    for (const [name, words] of [
      ['', 'must not be empty'],
      ['x'.repeat(101), 'at most 100'],
      ['a\nb', 'line breaks'],
      ['HTTPS://cafe.test', 'must not start with'],
      ['<b>Cafe</b>', 'HTML'],
      [7, 'tradingName'],
    ] as const)
      expect(await rename(name)).toMatchObject(refusal(400, words));
  });
});

describe('/portal/api/organisation/billing-details', () => {
  const none = { address: [], vatNumber: null, purchaseOrder: null };
  const path = '/organisation/billing-details';
  const set = (details: object, { admin } = cafe) => admin.call('PUT', path, details);
  const written = {
    address: [' The Old Mill', 'Leeds '],
    vatNumber: 'gb 980 7806 84',
    purchaseOrder: 'PO 4711',
  };
  const kept = { address: ['The Old Mill', 'Leeds'], vatNumber: 'GB980780684', purchaseOrder: 'PO 4711' };

  it('are none at first, and then those that an admin set, for admins and for staff who look at the organisation', async () => {
    expect(await cafe.admin.call('GET', path)).toMatchObject({ status: 200, body: none });
    expect(await set(written)).toMatchObject({ status: 200, body: kept });
    expect((await cafe.admin.call('GET', path)).body).toEqual(kept);
    const { body } = await portal.gateway.admin('GET', `/organisations/${cafe.organisationId}`);
    expect(body).toMatchObject({ id: cafe.organisationId, billingDetails: kept });
    expect((await set(none)).body).toEqual(none);
  });

  it('are in no reply to others: neither in the organisation as its people see it, nor in lists of staff', async () => {
    await set(written);
    const replies = [
      await cafe.admin.call('GET', '/organisation'),
      await cafe.admin.call('GET', '/session'),
      await portal.gateway.admin('GET', `/organisations?search=${cafe.organisationId}`),
    ];
    for (const { status, body } of replies) {
      expect(status).toBe(200);
      expect(JSON.stringify(body)).not.toMatch(/The Old Mill|GB980780684|PO 4711/);
    }
  });

  it('are published with all facts when they change, and not when they stay as they are', async () => {
    const before = portal.changesOf(cafe.organisationId).length;
    await set(written);
    await set(kept);
    await cafe.admin.call('PATCH', '/organisation', { tradingName: 'Another name' });
    const heard = () => portal.changesOf(cafe.organisationId).slice(before);
    await eventually(() => expect(heard().at(-1)?.data.tradingName).toBe('Another name'));
    expect(heard().map(({ data }) => data.billingDetails)).toEqual([kept, kept]);
    expect(heard()[1]!.subjectVersion - heard()[0]!.subjectVersion).toBe(1);
  });

  it.each([
    [{ address: Array(7).fill('x') }, 'address: must have at most 6 lines'],
    [{ address: ['x', 'y'.repeat(81)] }, 'address: line 2 must have at most 80 characters'],
    [{ address: ['x', ' '] }, 'address: line 2 must not be empty'],
    [{ address: ['a\nb'] }, 'address: line 1 must not contain line breaks'],
    [{ address: ['evil \u202e text'] }, 'address: line 1 must not contain line breaks or control characters'],
    [{ address: 'x' }, 'address: '],
    [{ purchaseOrder: 'x'.repeat(51) }, 'purchaseOrder: must have at most 50 characters'],
    [{ purchaseOrder: '' }, 'purchaseOrder: must not be empty'],
    [{ purchaseOrder: undefined }, 'purchaseOrder: '],
    [{ vatNumber: 'DE136695976' }, 'vatNumber: must be a VAT number (United Kingdom): GB (or XI'],
    [{ vatNumber: 'GB980780685' }, 'vatNumber: must be as on the VAT certificate'],
    [{ vatNumber: '9'.repeat(41) }, 'vatNumber: must have at most 40 characters'],
  ])('refuse %j with the field and what it must be', async (wrong, words) => {
    await set(written);
    expect(await set({ ...none, ...wrong })).toMatchObject(refusal(400, words));
    expect((await cafe.admin.call('GET', path)).body).toEqual(kept);
  });

  it('have a VAT number of the form of the organisation’s country', async () => {
    await portal.database.query(`UPDATE organisations SET country = 'GR' WHERE id = ${cafe.organisationId}`);
    expect(await set(written)).toMatchObject(refusal(400, 'a VAT number (Greece): EL and 9 digits'));
    const greek = { ...none, vatNumber: '023456780' };
    expect(await set(greek)).toMatchObject({ status: 200, body: { vatNumber: 'EL023456780' } });
  });
});

describe('the terms', () => {
  const accept = (version: string, { admin } = cafe) => admin.call('POST', '/terms/acceptance', { version });
  const publish = (version: string, text = 'Be kind') =>
    portal.gateway.admin('POST', '/terms', { version, text });
  const termsOf = async ({ marketer } = cafe) => (await marketer.call('GET', '/terms')).body;

  it('are accepted in their latest version by a person for the organisation, on every replica', async () => {
    expect(await termsOf()).toEqual({ latest: null, earlier: [] });
    expect(await accept('2026-01')).toMatchObject(refusal(409, 'published'));

    const text = '# Terms\n\nPay what you book. Café Ω 🎂\n';
    await publish('2026-01', text);
    const publishedAt = portal.clock.now().toISOString();
    const latest = {
      version: '2026-01',
      text,
      publishedAt,
      holdsFrom: null,
      acceptedAt: null,
      acceptedBy: null,
    };
    expect(await termsOf()).toEqual({ latest, earlier: [] });

    const { key } = await portal.gateway.createKey(cafe.organisationId);
    expect(await callerOf(key)).toMatchObject({ termsAccepted: false });
    portal.clock.advance(1_000);
    const acceptedAt = portal.clock.now().toISOString();
    const accepted = { ...latest, acceptedAt, acceptedBy: cafe.admin.email };
    expect(await accept('2026-01')).toMatchObject({ status: 200, body: { latest: accepted, earlier: [] } });
    expect(await callerOf(key)).toMatchObject({ termsAccepted: true });
    expect((await cafe.marketer.call('GET', '/organisation')).body).toMatchObject({ termsAccepted: true });
    // A second acceptance keeps the record of the first.
    portal.clock.advance(1_000);
    expect(await accept('2026-01')).toMatchObject({ status: 200, body: { latest: accepted } });

    await publish('2026-02');
    expect(await callerOf(key)).toMatchObject({ termsAccepted: false });
    expect(await accept('2026-01')).toMatchObject(refusal(409, '2026-02'));
    const { text: _, holdsFrom: __, ...earlier } = accepted;
    const unread = { latest: { version: '2026-02', text: 'Be kind', acceptedAt: null }, earlier: [earlier] };
    expect(await termsOf()).toMatchObject(unread);
    const textOf = (version: string) => cafe.marketer.call('GET', `/terms/text?version=${version}`);
    expect(await textOf('2026-01')).toMatchObject({ status: 200, body: { version: '2026-01', text } });
    expect((await textOf('2026-03')).status).toBe(404);
    expect(await textOf('2026%00')).toMatchObject(refusal(400, 'version: '));

    const other = await organisationWithRoles(portal);
    await portal.gateway.admin('POST', `/organisations/${other.organisationId}/accept-terms`);
    expect(await termsOf(other)).toMatchObject({
      latest: { version: '2026-02', acceptedAt: expect.any(String), acceptedBy: null },
      earlier: [{ version: '2026-01', acceptedAt: null, acceptedBy: null }],
    });
  });

  it('hold from their date on: until then the version before is enough, and the new one can be accepted', async () => {
    const post = (wish: object) => portal.gateway.admin('POST', '/terms', { text: 'Be kind', ...wish });
    await post({ version: 'first' });
    await accept('first');
    const { key } = await portal.gateway.createKey(cafe.organisationId);
    const holdsFrom = '2199-01-01T00:00:00.000Z';
    expect((await post({ version: 'second', holdsFrom })).status).toBe(200);
    expect(await post({ version: 'third', holdsFrom: '2020-01-01T00:00:00Z' })).toMatchObject(
      refusal(400, 'holdsFrom: must be in the future'),
    );
    // The same again changes nothing; another date would.
    expect((await post({ version: 'second', holdsFrom })).status).toBe(200);
    expect(await post({ version: 'second' })).toMatchObject(refusal(409, 'another text'));
    const ofCafe = async () => (await cafe.marketer.call('GET', '/organisation')).body;
    expect(await callerOf(key)).toMatchObject({ termsAccepted: true });
    expect(await ofCafe()).toMatchObject({ termsAccepted: true, termsDueAt: holdsFrom });
    expect(await termsOf()).toMatchObject({
      latest: { version: 'second', holdsFrom, acceptedAt: null },
      earlier: expect.arrayContaining([expect.objectContaining({ version: 'first' })]),
    });

    const other = await organisationWithRoles(portal);
    expect((await other.marketer.call('GET', '/organisation')).body).toMatchObject({ termsAccepted: false });
    await accept('second', other);
    expect((await other.marketer.call('GET', '/organisation')).body).toMatchObject({
      termsAccepted: true,
      termsDueAt: null,
    });

    await portal.database.query(`UPDATE terms_versions SET holds_from = now() WHERE version = 'second'`);
    await eventually(async () => expect(await callerOf(key)).toMatchObject({ termsAccepted: false }));
    expect(await ofCafe()).toMatchObject({ termsAccepted: false });
    await accept('second');
    expect(await callerOf(key)).toMatchObject({ termsAccepted: true });
  });

  it('keep the text of a version, which may have 100,000 characters', async () => {
    const longest = '🎂'.repeat(100_000);
    expect((await publish('long', longest)).status).toBe(200);
    expect(await termsOf()).toMatchObject({ latest: { text: longest } });
    expect((await publish('long', longest)).status).toBe(200);
    expect(await publish('long', 'other words')).toMatchObject(refusal(409, 'another text'));
    for (const text of [`${longest}!`, ' \n', 'a\u0000b'])
      expect((await publish('other', text)).status).toBe(400);
  });
});

describe('a person who is disabled', () => {
  it('is refused on every replica, by key and by session, once the change is answered', async () => {
    const personEmail = cafe.developer.email;
    const { key } = await portal.gateway.createKey(cafe.organisationId, { personEmail });
    cafe.developer.browser.url = replica;
    const statuses = async () => [
      (await portal.gateway.call('/categories', { key, base: replica })).status,
      (await cafe.developer.call('GET', '/session')).status,
    ];
    expect(await statuses()).toEqual([200, 200]);
    await cafe.admin.call('PATCH', `/people/${cafe.developer.id}`, { enabled: false });
    expect(await statuses()).toEqual([401, 401]);
  });
});
