/** The internal admin routes of the gateway. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { adminRoutesAtPublicPort } from '@offer-ads/testing/admin';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { cafe, startGatewayUnderTest } from '../gateway-under-test.ts';

const gateway = forAllTests(() => startGatewayUnderTest());

const get = (path: string) => gateway.admin('GET', path);
const post = (path: string, json?: object) => gateway.admin('POST', path, json);
const refusal = (status: number, words: string) => ({
  status,
  body: { message: expect.stringMatching(words) },
});

it('admin routes and metrics are on the admin port alone', async () => {
  expect(await adminRoutesAtPublicPort(gateway, '/admin/organisations', '/admin/parked')).toEqual([]);
});

it.each(['/admin/organisations', '/admin/keys/1/roll', '/admin/parked'])(
  '%s needs the admin credential: 401',
  async (path) => {
    expect((await fetch(gateway.adminUrl + path)).status).toBe(401);
  },
);

it.each([
  ['GET', '/organisations/0'],
  ['GET', '/organisations/999999'],
  ['GET', '/organisations/abc'],
  ['GET', '/organisations/99999999999999'],
  // Not an empty list.
  ['GET', '/organisations/999999/keys'],
  ['GET', '/organisations/999999/calls'],
  ['POST', '/organisations/999999/disable'],
  ['POST', '/keys/999999/roll'],
] as const)('%s %s does not exist: 404', async (method, path) => {
  expect((await gateway.admin(method, path)).status).toBe(404);
});

describe('notes of staff', () => {
  it('are added and deleted by name, newest first, at most 200, and go with their organisation', async () => {
    const { id } = (await post('/organisations', cafe)).body as { id: number };
    const other = (await post('/organisations', cafe)).body as { id: number };
    const of = `/organisations/${id}/notes`;
    const first = await post(`${of}/add`, { text: '  Pays late:\nwrite to its owner ' });
    const note = {
      text: 'Pays late:\nwrite to its owner',
      writtenBy: 'console',
      writtenAt: expect.any(String),
    };
    expect(first).toMatchObject({ status: 201, body: note });
    await post(`${of}/add`, { text: 'Paid.' });
    expect((await get(of)).body).toMatchObject({ notes: [{ text: 'Paid.' }, note] });
    expect((await get(`/organisations/${other.id}/notes`)).body).toEqual({ notes: [] });

    const { id: noteId } = first.body as { id: number };
    expect((await post(`/organisations/${other.id}/notes/${noteId}/delete`, {})).status).toBe(404);
    expect((await post(`${of}/${noteId}/delete`, {})).status).toBe(200);
    expect((await post(`${of}/${noteId}/delete`, {})).status).toBe(404);
    const entries = (await get(`/audit?organisationId=${id}&limit=2`)).body as { entries: object[] };
    expect(JSON.stringify(entries)).toContain(`notes/${noteId}`);
    expect(JSON.stringify(entries)).not.toContain('Pays late');

    await gateway.database.query(
      `INSERT INTO organisation_notes (organisation_id, text, written_at, written_by)
       SELECT ${id}, 'Call ' || n, now(), 'ann' FROM generate_series(1, 198) n`,
    );
    const both = await Promise.all([post(`${of}/add`, { text: 'a' }), post(`${of}/add`, { text: 'b' })]);
    expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
    const { rows } = await gateway.database.query<{ rule: string }>(
      `SELECT confdeltype AS rule FROM pg_constraint WHERE conrelid = 'organisation_notes'::regclass AND contype = 'f'`,
    );
    expect(rows).toEqual([{ rule: 'c' }]);
  });

  it.each([
    [{ text: ' ' }, 'text: must not be empty'],
    [{ text: 'x'.repeat(2_001) }, 'text: must have at most 2,000 characters'],
    [{ text: 'a\0' }, 'text: must be well-formed'],
    [{}, 'text: '],
  ])('with %j are refused: 400', async (wrong, words) => {
    const { id } = (await post('/organisations', cafe)).body as { id: number };
    expect(await post(`/organisations/${id}/notes/add`, wrong)).toMatchObject(refusal(400, words));
    expect(await post('/organisations/999999/notes/add', { text: 'x' })).toMatchObject(
      refusal(404, 'no such'),
    );
  });
});

describe('organisations', () => {
  it('are registered with their first admin, standard quotas and no accepted terms', async () => {
    const { status, body } = await post('/organisations', cafe);
    const { id } = body as { id: number };
    expect([status, body]).toEqual([201, { id, ...cafe }]);
    const standard = { perPerson: 100, perOrganisation: 500 };
    const noLimit = { spendingPerDayMinor: null, spendingPerMonthMinor: null };
    expect((await get(`/organisations/${id}`)).body).toEqual({
      id,
      ...cafe,
      enabled: true,
      savedPlaces: [],
      approval: { at: expect.any(String), by: 'console' },
      termsAccepted: false,
      quotas: { TEST: standard, LIVE: standard },
      billingDetails: { address: [], vatNumber: null, purchaseOrder: null },
      spendingLimits: { admin: noLimit, marketer: noLimit },
      withdrawal: null,
    });
    expect((await get(`/organisations/${id}/people`)).body).toEqual({
      people: [{ id: expect.any(Number), email: cafe.adminEmail, role: 'admin', enabled: true }],
    });
  });

  it.each([
    [{ country: 'Britain', currency: 'pounds', adminEmail: 'nobody' }, 'country: .*currency: .*adminEmail: '],
    [{ name: 'a\0b' }, '^name: '],
    [{ name: 'a lone half of a pair: \ud800' }, 'name has half of a surrogate pair'],
    [{ tradingName: 'two\nlines' }, '^tradingName: '],
  ])('are refused with %j, and every wrong field is named: 400', async (wrong, words) => {
    expect(await post('/organisations', { ...cafe, ...wrong })).toMatchObject(refusal(400, words));
  });
});

describe('the list of organisations', () => {
  type List = { organisations: { id: number }[]; nextBefore: number | null };
  const list = async (query: string) => (await get(`/organisations?${query}`)).body as List;
  const idsOf = ({ organisations }: List) => organisations.map(({ id }) => id);

  it('comes in pages, latest registrations first, each with the start of the next', async () => {
    const word = `Pages${randomUUID()}`;
    const ids: number[] = [];
    for (const _ of [1, 2, 3]) ids.unshift(await gateway.register({ name: `The ${word} Ltd` }));
    const first = await list(`search=${word}&limit=2`);
    expect([idsOf(first), first.nextBefore]).toEqual([ids.slice(0, 2), ids[1]]);
    const second = await list(`search=${word}&limit=2&before=${first.nextBefore}`);
    expect([idsOf(second), second.nextBefore]).toEqual([ids.slice(2), null]);
  });

  it('is filtered by parts of names and addresses in any case, by id, and by enabled', async () => {
    const word = `find${randomUUID()}`;
    const id = await gateway.register({ tradingName: `At ${word}`, adminEmail: `${word}@tea.test` });
    for (const search of [word.toUpperCase(), `${word}@TEA`, `${id}`])
      expect(idsOf(await list(`search=${search}`))).toContain(id);
    expect(idsOf(await list(`search=${word}%25`))).toEqual([]);
    await post(`/organisations/${id}/disable`, { reason: 'unpaid' });
    expect(idsOf(await list(`search=${word}&enabled=false`))).toEqual([id]);
    expect(idsOf(await list(`search=${word}&enabled=true`))).toEqual([]);
  });

  it('finds those who have a whole address, and those with more around it only if nobody has it', async () => {
    const word = `whole${randomUUID()}`;
    const exact = await gateway.register({ adminEmail: `${word}@tea.test` });
    const longer = await gateway.register({ adminEmail: `the.${word}@tea.test.example` });
    expect(idsOf(await list(`search=${word.toUpperCase()}@tea.test`))).toEqual([exact]);
    expect(idsOf(await list(`search=${word}@tea.test&before=${exact}`))).toEqual([]);
    expect(idsOf(await list(`search=.${word}@tea.test`))).toEqual([longer]);
    expect(idsOf(await list(`search=${word}@tea`))).toEqual([longer, exact]);
  });

  it.each(['limit=0', 'before=x', 'enabled=perhaps', 'search=a%00'])(
    'is refused with %s: 400',
    async (query) => {
      expect(await get(`/organisations?${query}`)).toMatchObject(refusal(400, `${query.split('=')[0]}: `));
    },
  );
});

describe('people', () => {
  it('are invited once, get another role and a new invitation, all by their address in any case', async () => {
    const id = await gateway.register();
    const at = (action: string, json: object) => post(`/organisations/${id}/people${action}`, json);
    const email = 'dev@cafe.test';
    const body = { email, role: 'marketer', enabled: true };
    expect(await at('', { email, role: 'marketer' })).toMatchObject({ status: 201, body });
    expect((await at('', { email: 'DEV@cafe.test', role: 'admin' })).status).toBe(409);
    const changed = { email: email.toUpperCase(), role: 'developer' };
    expect(await at('/role', changed)).toMatchObject({ status: 200, body: { email, role: 'developer' } });
    expect(await at('/invitation', { email })).toMatchObject({ status: 200, body: { email } });
    for (const action of ['/role', '/invitation', '/end-sessions', '/disable'])
      expect((await at(action, { email: 'who@cafe.test', role: 'admin' })).status).toBe(404);
  });

  it('can be disabled by the platform team if they are the last admin, but not demoted: 409', async () => {
    const id = await gateway.register();
    const email = cafe.adminEmail;
    const demoted = await post(`/organisations/${id}/people/role`, { email, role: 'developer' });
    expect(demoted).toMatchObject(refusal(409, 'admin'));
    const disabled = await post(`/organisations/${id}/people/disable`, { email });
    expect(disabled).toMatchObject({ status: 200, body: { enabled: false } });
  });
});

describe('keys', () => {
  it('are shown once, and listed without their secret', async () => {
    const organisationId = await gateway.register();
    const wish = { organisationId, mode: 'LIVE', expiresAt: '2099-01-01T02:00:00+02:00' };
    const { status, body } = await post('/keys', wish);
    const { id, key } = body as { id: number; key: string };
    const listed = { id, lastFour: key.slice(-4), mode: 'LIVE', expiresAt: '2099-01-01T00:00:00.000Z' };
    expect([status, body]).toEqual([201, { ...listed, key: expect.stringMatching(/^pk_live_/) }]);
    const list = (await get(`/organisations/${organisationId}/keys`)).body;
    expect(list).toMatchObject({ keys: [{ ...listed, lastUsedAt: null }] });
    expect(JSON.stringify(list)).not.toContain(key.slice(0, 20));
  });

  it.each([
    ['an unknown organisation', { organisationId: 999_999 }, 404],
    ['an unknown person', { personEmail: 'who@cafe.test' }, 404],
    ['an unknown mode', { mode: 'BOTH' }, 400],
    ['an id above all ids', { organisationId: 2 ** 31 }, 400],
    ['a name that no store takes', { name: 'a\0b' }, 400],
    ['an expiry without a time zone', { expiresAt: '2099-01-01T00:00:00' }, 400],
  ])('are not created for %s', async (_case, wish, status) => {
    const organisationId = await gateway.register();
    expect((await post('/keys', { organisationId, mode: 'TEST', ...wish })).status).toBe(status);
  });

  it('without a mode, or disabled, cannot be rolled: 409', async () => {
    const { id } = await gateway.createKey(await gateway.register(), { mode: null });
    expect(await post(`/keys/${id}/roll`)).toMatchObject(refusal(409, 'no recorded mode'));
    await post(`/keys/${id}/disable`);
    expect(await post(`/keys/${id}/roll`)).toMatchObject(refusal(409, 'disabled'));
  });
});

describe('terms', () => {
  it('are published once and not again when superseded, and accepted only if published', async () => {
    const id = await gateway.register();
    const accept = () => post(`/organisations/${id}/accept-terms`);
    expect(await accept()).toMatchObject(refusal(409, 'publish'));
    for (const version of ['A', 'A', 'B'])
      expect(await post('/terms', { version, text: 'Be kind' })).toMatchObject({
        status: 200,
        body: { version },
      });
    expect((await post('/terms', { version: 'A', text: 'Be kind' })).status).toBe(409);
    expect((await accept()).status).toBe(200);
    expect(await post('/terms', { version: 'a\0b', text: 'x' })).toMatchObject(refusal(400, '^version: '));
    expect(await post('/terms', { version: 'without text' })).toMatchObject(refusal(400, '^text: '));
  });
});
