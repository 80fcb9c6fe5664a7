import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { organisationWithRoles, type TestOrganisation } from './members.ts';
import { type PortalUnderTest, startPortalUnderTest } from './portal-under-test.ts';

const notFound = { status: 404, body: { message: 'Not found' } };

let portal: PortalUnderTest;
let cafe: TestOrganisation;
beforeAll(async () => {
  portal = await startPortalUnderTest();
});
afterAll(async () => portal[Symbol.asyncDispose]());
beforeEach(async () => {
  cafe = await organisationWithRoles(portal);
});

type Issued = { id: number; key: string; lastFour: string };
const create = (wish: object = {}) =>
  cafe.developer.call('POST', '/keys', { mode: 'TEST', name: 'Till', ...wish });
const issue = async (wish: object = {}) => (await create(wish)).body as Issued;
const list = async () => {
  const { body } = await cafe.developer.call('GET', '/keys');
  return (body as { keys: Record<string, unknown>[] }).keys;
};
const statusOf = async (key: string) => (await portal.gateway.call('/categories', { key })).status;

describe('POST /portal/api/keys', () => {
  it('shows the key this once, in a reply that nothing may keep, and it works', async () => {
    const expiresAt = '2027-01-01T01:00:00+01:00';
    const reply = await create({ mode: 'LIVE', name: ' Till 7 ', expiresAt });
    const { id, key } = reply.body as Issued;
    expect([reply.status, reply.body]).toEqual([
      201,
      {
        id: expect.any(Number),
        key: expect.stringMatching(/^pk_live_[0-9A-Za-z]{38}$/),
        lastFour: key.slice(-4),
        mode: 'LIVE',
        expiresAt: '2027-01-01T00:00:00.000Z',
      },
    ]);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(await statusOf(key)).toBe(200);
    const keys = await list();
    expect(keys).toEqual([
      {
        id,
        mode: 'LIVE',
        name: 'Till 7',
        lastFour: key.slice(-4),
        createdBy: { id: cafe.developer.id, email: cafe.developer.email, role: 'developer', enabled: true },
        createdAt: portal.clock.now().toISOString(),
        expiresAt: '2027-01-01T00:00:00.000Z',
        lastUsedAt: keys[0]?.lastUsedAt,
        disabledAt: null,
        disabledBy: null,
        requestsPerMinute: null,
        rolledFrom: null,
        standing: 'in-force',
      },
    ]);
    expect(JSON.stringify(keys)).not.toContain(key.slice(8, 20));
  });

  it.each([
    ['TEST', 'pk_test_'],
    ['LIVE', 'pk_live_'],
  ])(
    'makes a key of the mode that the portal is in, which works in no other: %s',
    async (mode, beginning) => {
      const { key } = await issue({ mode });
      expect(key.startsWith(beginning)).toBe(true);
      expect(await statusOf(key)).toBe(200);
      const token = String(portal.gateway.offers.seen.at(-1)?.headers['x-caller-context']);
      const caller: unknown = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
      expect(caller).toMatchObject({
        mode,
        personId: cafe.developer.id,
        organisationId: cafe.organisationId,
      });
      expect(await list()).toMatchObject([{ mode, lastFour: key.slice(-4) }]);
    },
  );

  it('makes another key when it is sent again', async () => {
    const [first, second] = [await issue(), await issue()];
    expect(second.key).not.toBe(first.key);
    expect(await list()).toHaveLength(2);
  });

  it.each([
    [{ expiresAt: '2026-06-01T12:00:00.000Z' }, 'in the future'],
    [{ expiresAt: '2026-12-01T12:00:00' }, 'expiresAt'],
    [{ expiresAt: '2026-02-30T12:00:00Z' }, 'expiresAt'],
    [{ expiresAt: '9999-12-31T23:59:59-23:59' }, 'expiresAt'],
    [{ mode: null }, 'mode'],
    [{ mode: 'test' }, 'mode'],
    [{ name: '  ' }, 'name'],
    [{ name: 'é'.repeat(101) }, 'at most 100'],
    [{ name: 'a\nb' }, 'line breaks'],
    [{ name: 'a\u0000b' }, 'control characters'],
    [{ name: 'a\u202egpj.b' }, 'control characters'],
  ])('refuses %j and says what it must be: 400', async (wish, words) => {
    const now = portal.clock.now();
    portal.clock.set('2026-06-01T12:00:00.000Z');
    expect(await create(wish)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(words) },
    });
    portal.clock.set(now);
    expect(await list()).toEqual([]);
  });

  it('is refused beyond a hundred keys in force in a mode, also at once: 409', async () => {
    await portal.database.query(
      `INSERT INTO api_keys (organisation_id, created_by, sha256, last_four, mode, name, created_at, disabled_at,
                             expires_at)
       SELECT $1, $2, sha256((random()::text || n)::bytea), 'abcd', 'TEST', 'Till', $3::timestamptz,
              CASE WHEN n <= 10 THEN $3::timestamptz END, CASE WHEN n BETWEEN 11 AND 20 THEN $3::timestamptz END
       FROM generate_series(1, 118) AS n`,
      [cafe.organisationId, cafe.admin.id, portal.clock.now()],
    );
    const replies = await Promise.all([create(), create(), create(), create()]);
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(2);
    expect(replies.filter(({ status }) => status === 409)).toHaveLength(2);
    expect(replies.find(({ status }) => status === 409)?.body).toEqual({
      message: expect.stringContaining('100'),
    });
    expect((await create({ mode: 'LIVE' })).status).toBe(201);
    const keys = await list();
    const inForce = keys.findLastIndex(({ standing }) => standing === 'in-force');
    expect([keys.length, inForce]).toEqual([121, 100]);
    // Rolling puts one in another's place.
    expect((await cafe.admin.call('POST', `/keys/${String(keys[0]?.id)}/roll`)).status).toBe(200);
  });
});

describe('POST /portal/api/keys/{id}/roll', () => {
  it('shows the new key once, as the key of whoever rolled; the old one has stopped working when it answers', async () => {
    const old = await issue({ name: 'Till', expiresAt: '2027-01-01T00:00:00Z' });
    expect(await statusOf(old.key)).toBe(200);
    const reply = await cafe.admin.call('POST', `/keys/${old.id}/roll`);
    const rolled = reply.body as Issued;
    expect(reply).toMatchObject({
      status: 200,
      body: { key: expect.stringMatching(/^pk_test_/), mode: 'TEST', expiresAt: '2027-01-01T00:00:00.000Z' },
    });
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect([await statusOf(old.key), await statusOf(rolled.key)]).toEqual([401, 200]);
    const [first, second] = await list();
    expect(first).toMatchObject({
      id: rolled.id,
      name: 'Till',
      rolledFrom: old.id,
      createdBy: { email: cafe.admin.email },
      standing: 'in-force',
    });
    expect(second).toMatchObject({
      id: old.id,
      standing: 'disabled',
      disabledBy: cafe.admin.email,
      disabledAt: portal.clock.now().toISOString(),
    });
  });

  it('by the platform team leaves the key to its person', async () => {
    const { id } = await issue();
    await portal.gateway.admin('POST', `/keys/${id}/roll`);
    expect((await list())[0]).toMatchObject({
      rolledFrom: id,
      createdBy: { email: cafe.developer.email },
      disabledBy: null,
    });
  });

  it('is refused, saying what to do, for a key that cannot work: 409', async () => {
    const modeless = await portal.gateway.createKey(cafe.organisationId, { mode: null });
    const expired = await portal.gateway.createKey(cafe.organisationId, {
      expiresAt: '2020-01-01T00:00:00Z',
    });
    const owned = await issue();
    await cafe.admin.call('PATCH', `/people/${cafe.developer.id}`, { enabled: false });
    const words = { [modeless.id]: 'mode', [expired.id]: 'expired', [owned.id]: 'disabled' };
    for (const [id, word] of Object.entries(words)) {
      const reply = await cafe.admin.call('POST', `/keys/${id}/roll`);
      expect(reply).toMatchObject({ status: 409, body: { message: expect.stringContaining(word) } });
      expect((reply.body as { message: string }).message).toContain('create a new one');
    }
    const { body } = await cafe.admin.call('GET', '/keys');
    expect((body as { keys: unknown[] }).keys).toMatchObject([
      { id: owned.id, standing: 'owner-disabled' },
      { id: modeless.id, mode: null, standing: 'in-force' },
      { id: expired.id, standing: 'expired' },
    ]);
  });
});

describe('POST /portal/api/keys/{id}/disable', () => {
  it('stops the key for good; again it answers the same', async () => {
    const { id, key } = await issue();
    expect(await statusOf(key)).toBe(200);
    const disabledAt = portal.clock.now().toISOString();
    expect(await cafe.developer.call('POST', `/keys/${id}/disable`)).toMatchObject({
      status: 200,
      body: { id, disabledAt },
    });
    expect(await statusOf(key)).toBe(401);
    portal.clock.advance(60_000);
    expect(await cafe.admin.call('POST', `/keys/${id}/disable`)).toMatchObject({
      status: 200,
      body: { id, disabledAt },
    });
    expect(await list()).toMatchObject([{ id, disabledAt, disabledBy: cafe.developer.email }]);
  });
});

describe('whoever loses the right to keys before the change has its turn', () => {
  it.each([
    ['roll', `UPDATE people SET role = 'marketer' WHERE id = $1`],
    ['roll', `UPDATE people SET enabled = false WHERE id = $1`],
    ['disable', `UPDATE people SET role = 'marketer' WHERE id = $1`],
  ])('changes none: %s after %s', async (action, change) => {
    const { body } = await cafe.admin.call('POST', '/keys', { mode: 'TEST', name: 'Till' });
    const { id, key } = body as Issued;
    const { database } = portal;
    await database.query('BEGIN');
    await database.query('SELECT 1 FROM organisations WHERE id = $1 FOR UPDATE', [cafe.organisationId]);
    await database.query(change, [cafe.developer.id]);
    const replied = cafe.developer.call('POST', `/keys/${id}/${action}`);
    try {
      await eventually(async () => {
        const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid`;
        expect((await database.query(waiting)).rows).not.toEqual([]);
      });
    } finally {
      await database.query('COMMIT');
    }
    expect((await replied).status).toBe(403);
    expect(await statusOf(key)).toBe(200);
  });
});

describe('keys of another organisation', () => {
  it('are not even locked by who tries to change them', async () => {
    const other = await organisationWithRoles(portal);
    const { body } = await other.developer.call('POST', '/keys', { mode: 'TEST', name: 'Theirs' });
    const { id } = body as Issued;
    await portal.database.query('BEGIN');
    await portal.database.query('SELECT 1 FROM api_keys WHERE id = $1 FOR UPDATE', [id]);
    try {
      // Waiting for the lock would end as a fault.
      for (const what of ['roll', 'disable'])
        expect(await cafe.admin.call('POST', `/keys/${id}/${what}`)).toMatchObject(notFound);
    } finally {
      await portal.database.query('COMMIT');
    }
  });

  it('are in no list, and can neither be rolled nor disabled: 404', async () => {
    const other = await organisationWithRoles(portal);
    const { body } = await other.developer.call('POST', '/keys', { mode: 'TEST', name: 'Theirs' });
    const { id, key } = body as Issued;
    expect(await list()).toEqual([]);
    for (const what of ['roll', 'disable'])
      expect(await cafe.admin.call('POST', `/keys/${id}/${what}`)).toMatchObject(notFound);
    expect(await statusOf(key)).toBe(200);
  });
});
