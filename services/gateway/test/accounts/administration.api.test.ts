import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cafe, type GatewayUnderTest, startGatewayUnderTest } from '../gateway-under-test.ts';

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGatewayUnderTest();
});
afterAll(async () => gateway[Symbol.asyncDispose]());

describe('organisations', () => {
  it('are registered with their first admin, standard quotas and no accepted terms', async () => {
    const { status, body } = await gateway.admin('POST', '/organisations', cafe);
    const { id } = body as { id: number };
    expect([status, body]).toEqual([201, { id, ...cafe }]);
    const standard = { perPerson: 100, perOrganisation: 500 };
    expect((await gateway.admin('GET', `/organisations/${id}`)).body).toEqual({
      id,
      ...cafe,
      enabled: true,
      approval: { at: expect.any(String), by: 'console' },
      termsAccepted: false,
      quotas: { TEST: standard, LIVE: standard },
    });
    expect((await gateway.admin('GET', `/organisations/${id}/people`)).body).toEqual({
      people: [{ id: expect.any(Number), email: cafe.adminEmail, role: 'admin', enabled: true }],
    });
  });

  it('are refused with every fault named when the input is wrong', async () => {
    const wrong = { ...cafe, country: 'Britain', currency: 'pounds', adminEmail: 'nobody' };
    const { status, body } = await gateway.admin('POST', '/organisations', wrong);
    expect(status).toBe(400);
    expect((body as { message: string }).message).toMatch(/country: .*currency: .*adminEmail: /);
  });

  it.each([
    ['name', 'a\0b'],
    ['name', 'a lone half of a pair: \ud800'],
    ['tradingName', 'two\nlines'],
  ])('are refused when the %s is %j, which no line of text can be', async (field, text) => {
    const { status, body } = await gateway.admin('POST', '/organisations', { ...cafe, [field]: text });
    expect([status, body]).toEqual([400, { message: expect.stringMatching(`^${field}: `) }]);
  });

  it.each(['0', '999999', 'abc', '99999999999999'])('%s is unknown: 404', async (id) => {
    expect(await gateway.admin('GET', `/organisations/${id}`)).toMatchObject({ status: 404 });
    expect(await gateway.admin('POST', `/organisations/${id}/disable`)).toMatchObject({ status: 404 });
  });
});

describe('the list of organisations', () => {
  type List = { organisations: { id: number }[]; nextBefore: number | null };
  const list = async (query: string) => (await gateway.admin('GET', `/organisations?${query}`)).body as List;
  const idsOf = ({ organisations }: List) => organisations.map(({ id }) => id);

  it('comes in pages, those registered last first, and says where the next one goes on', async () => {
    const word = `Pages${randomUUID()}`;
    const ids: number[] = [];
    for (const _ of [1, 2, 3]) ids.unshift(await gateway.register({ name: `The ${word} Ltd` }));
    const first = await list(`search=${word}&limit=2`);
    expect([idsOf(first), first.nextBefore]).toEqual([ids.slice(0, 2), ids[1]]);
    const second = await list(`search=${word}&limit=2&before=${first.nextBefore}`);
    expect([idsOf(second), second.nextBefore]).toEqual([ids.slice(2), null]);
  });

  it('is searched by parts of names, by addresses of people in any case, by id, and by whether they are enabled', async () => {
    const word = `find${randomUUID()}`;
    const id = await gateway.register({ tradingName: `At ${word}`, adminEmail: `${word}@tea.test` });
    for (const search of [word.toUpperCase(), `${word}@TEA`, `${id}`])
      expect(idsOf(await list(`search=${search}`))).toContain(id);
    expect(idsOf(await list(`search=${word}%25`))).toEqual([]);
    await gateway.admin('POST', `/organisations/${id}/disable`, { reason: 'unpaid' });
    expect(idsOf(await list(`search=${word}&enabled=false`))).toEqual([id]);
    expect(idsOf(await list(`search=${word}&enabled=true`))).toEqual([]);
  });

  it.each(['limit=0', 'before=x', 'enabled=perhaps'])('is refused with %s, which it says', async (query) => {
    const { status, body } = await gateway.admin('GET', `/organisations?${query}`);
    expect(status).toBe(400);
    expect((body as { message: string }).message).toContain(`${query.split('=')[0]}: `);
  });
});

describe('people', () => {
  it('are invited once, whatever the case of their address', async () => {
    const id = await gateway.register();
    const invited = await gateway.admin('POST', `/organisations/${id}/people`, {
      email: 'dev@cafe.test',
      role: 'marketer',
    });
    expect(invited).toMatchObject({
      status: 201,
      body: { email: 'dev@cafe.test', role: 'marketer', enabled: true },
    });
    const again = await gateway.admin('POST', `/organisations/${id}/people`, {
      email: 'DEV@cafe.test',
      role: 'admin',
    });
    expect(again).toMatchObject({ status: 409, body: { message: expect.any(String) } });
  });

  it('that are unknown cannot be disabled: 404', async () => {
    const id = await gateway.register();
    const reply = await gateway.admin('POST', `/organisations/${id}/people/disable`, {
      email: 'who@cafe.test',
    });
    expect(reply.status).toBe(404);
  });

  it('get another role, and a new invitation, by their address', async () => {
    const id = await gateway.register();
    const email = 'dev@cafe.test';
    const at = (action: string, json: object) =>
      gateway.admin('POST', `/organisations/${id}/people${action}`, json);
    await at('', { email });
    const role = { email: email.toUpperCase(), role: 'marketer' };
    expect(await at('/role', role)).toMatchObject({ status: 200, body: { email, role: 'marketer' } });
    expect(await at('/invitation', { email })).toMatchObject({ status: 200, body: { email } });
    for (const action of ['/role', '/invitation', '/end-sessions'])
      expect((await at(action, { email: 'who@cafe.test', role: 'admin' })).status).toBe(404);
  });

  it('who are the last admin can be stopped by the platform team, but not demoted: 409', async () => {
    const id = await gateway.register();
    const email = cafe.adminEmail;
    const demoted = await gateway.admin('POST', `/organisations/${id}/people/role`, {
      email,
      role: 'developer',
    });
    expect(demoted).toMatchObject({ status: 409, body: { message: expect.stringContaining('admin') } });
    const stopped = await gateway.admin('POST', `/organisations/${id}/people/disable`, { email });
    expect(stopped).toMatchObject({ status: 200, body: { enabled: false } });
  });
});

describe('keys', () => {
  it('are shown once, and listed without themselves', async () => {
    const id = await gateway.register();
    const { status, body } = await gateway.admin('POST', '/keys', {
      organisationId: id,
      mode: 'LIVE',
      expiresAt: '2099-01-01T02:00:00+02:00',
    });
    const issued = body as { id: number; key: string };
    expect([status, body]).toEqual([
      201,
      {
        id: issued.id,
        key: expect.stringMatching(/^pk_live_/),
        lastFour: issued.key.slice(-4),
        mode: 'LIVE',
        expiresAt: '2099-01-01T00:00:00.000Z',
      },
    ]);
    const listed = await gateway.admin('GET', `/organisations/${id}/keys`);
    expect(listed.body).toMatchObject({
      keys: [{ id: issued.id, lastFour: issued.key.slice(-4), mode: 'LIVE', lastUsedAt: null }],
    });
    expect(JSON.stringify(listed.body)).not.toContain(issued.key.slice(0, 20));
  });

  it.each([
    ['an unknown organisation', { organisationId: 999_999, mode: 'TEST' }, 404],
    ['an unknown person', { mode: 'TEST', personEmail: 'who@cafe.test' }, 404],
    ['an unknown mode', { mode: 'BOTH' }, 400],
    ['an organisation beyond all identities', { mode: 'TEST', organisationId: 2 ** 31 }, 400],
    ['a name that no store takes', { mode: 'TEST', name: 'a\0b' }, 400],
    ['an expiry without a zone', { mode: 'TEST', expiresAt: '2099-01-01T00:00:00' }, 400],
  ])('are not created for %s', async (_case, wish, status) => {
    const organisationId = await gateway.register();
    expect((await gateway.admin('POST', '/keys', { organisationId, ...wish })).status).toBe(status);
  });

  it('that are disabled or have no mode cannot be rolled: 409', async () => {
    const organisationId = await gateway.register();
    const modeless = await gateway.createKey(organisationId, { mode: null });
    expect((await gateway.admin('POST', `/keys/${modeless.id}/roll`)).status).toBe(409);
    await gateway.admin('POST', `/keys/${modeless.id}/disable`);
    expect((await gateway.admin('POST', `/keys/${modeless.id}/roll`)).status).toBe(409);
    expect((await gateway.admin('POST', '/keys/999999/roll')).status).toBe(404);
  });

  it.each(['keys', 'calls'])(
    '%s of an organisation that does not exist are 404, not an empty list',
    async (list) => {
      expect(await gateway.admin('GET', `/organisations/999999/${list}`)).toMatchObject({ status: 404 });
    },
  );
});

describe('terms', () => {
  it('are refused under a version that is no line of text', async () => {
    const { status, body } = await gateway.admin('POST', '/terms', { version: 'a\0b' });
    expect([status, body]).toEqual([400, { message: expect.stringMatching('^version: ') }]);
  });

  it('published twice change nothing, and superseded ones do not come back', async () => {
    for (const version of ['A', 'A', 'B']) {
      expect(await gateway.admin('POST', '/terms', { version })).toMatchObject({
        status: 200,
        body: { version },
      });
    }
    expect((await gateway.admin('POST', '/terms', { version: 'A' })).status).toBe(409);
  });
});

describe('the admin credential', () => {
  it('is asked for on every admin route', async () => {
    for (const path of ['/admin/organisations', '/admin/keys/1/roll', '/admin/parked']) {
      expect([path, (await fetch(gateway.url + path)).status]).toEqual([path, 401]);
    }
  });
});
