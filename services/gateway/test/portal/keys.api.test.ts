import { describe, expect, it } from '@jest/globals';
import { fullRights } from '@offer-ads/contracts/values/key-rights';
import { forAllTests, forEachTest } from '@offer-ads/testing/for-tests';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { lastCallerAt } from '../forwarding/fake-upstream.ts';
import { refusal } from '../gateway-under-test.ts';
import { organisationWithRoles, type TestMember } from './members.ts';
import { startPortalUnderTest } from './portal-under-test.ts';

const notFound = { status: 404, body: { message: 'Not found' } };

const portal = forAllTests(() => startPortalUnderTest());
const cafe = forEachTest(() => organisationWithRoles(portal));

type Issued = { id: number; key: string; lastFour: string };
const create = (wish: object = {}, by: TestMember = cafe.developer) =>
  by.call('POST', '/keys', { mode: 'TEST', name: 'Till', ...wish });
const issue = async (wish: object = {}, by?: TestMember) => (await create(wish, by)).body as Issued;
const list = async (by: TestMember = cafe.developer) => {
  const { body } = await by.call('GET', '/keys');
  return (body as { keys: Record<string, unknown>[] }).keys;
};
const statusOf = async (key: string, base = portal.gateway.url) =>
  (await portal.gateway.call('/categories', { key, base })).status;

describe('POST /portal/api/keys', () => {
  it.each([
    ['TEST', /^pk_test_[0-9A-Za-z]{38}$/],
    ['LIVE', /^pk_live_[0-9A-Za-z]{38}$/],
  ])('shows the key this once, for no cache; it works in its mode %s, and is listed', async (mode, form) => {
    const reply = await create({ mode, name: ' Till 7 ', expiresAt: '2027-01-01T01:00:00+01:00' });
    const { id, key } = reply.body as Issued;
    const shared = { id, mode, lastFour: key.slice(-4), expiresAt: '2027-01-01T00:00:00.000Z' };
    expect([reply.status, reply.body]).toEqual([201, { ...shared, key: expect.stringMatching(form) }]);
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect(await statusOf(key)).toBe(200);
    const { id: personId, email } = cafe.developer;
    const { organisationId } = cafe;
    expect(lastCallerAt(portal.gateway.offers)).toMatchObject({ mode, personId, organisationId });
    const keys = await list();
    expect(keys).toEqual([
      {
        ...shared,
        name: 'Till 7',
        createdBy: { id: personId, email, role: 'developer', enabled: true },
        createdAt: portal.clock.now().toISOString(),
        lastUsedAt: keys[0]?.lastUsedAt,
        disabledAt: null,
        disabledBy: null,
        requestsPerMinute: null,
        rights: fullRights,
        rolledFrom: null,
        standing: 'works',
      },
    ]);
    expect(JSON.stringify(keys)).not.toContain(key.slice(8, 20));
  });

  it('makes a second key if it is sent twice', async () => {
    const [first, second] = [await issue(), await issue()];
    expect(second.key).not.toBe(first.key);
    expect(await list()).toHaveLength(2);
  });

  it('refuses wrong input and says what is wrong: 400', async () => {
    portal.clock.set('2026-06-01T12:00:00.000Z');
    for (const [wish, words] of [
      [{ expiresAt: '2026-06-01T12:00:00.000Z' }, 'in the future'],
      [{ expiresAt: '2026-12-01T12:00:00' }, 'expiresAt'],
      [{ expiresAt: '2026-02-30T12:00:00Z' }, 'expiresAt'],
      [{ expiresAt: '9999-12-31T23:59:59-23:59' }, 'expiresAt'],
      [{ mode: null }, 'mode'],
      [{ mode: 'test' }, 'mode'],
      [{ name: '  ' }, 'name'],
      [{ name: 'é'.repeat(101) }, 'at most 100'],
      [{ name: 'a\nb' }, 'line breaks'],
      [{ name: 'a\u202egpj.b' }, 'control characters'],
    ] as const) {
      const message: unknown = expect.stringContaining(words);
      expect({ wish, ...(await create(wish)) }).toMatchObject({ wish, status: 400, body: { message } });
    }
    expect(await list()).toEqual([]);
  });

  it('is refused above a hundred valid keys in a mode, also for concurrent requests: 409', async () => {
    await portal.database.query(
      `INSERT INTO api_keys (organisation_id, created_by, sha256, last_four, mode, name, created_at, disabled_at,
                             expires_at)
       SELECT $1, $2, sha256((random()::text || n)::bytea), 'abcd', 'TEST', 'Till', $3::timestamptz,
              CASE WHEN n <= 10 THEN $3::timestamptz END, CASE WHEN n BETWEEN 11 AND 20 THEN $3::timestamptz END
       FROM generate_series(1, 118) AS n`,
      [cafe.organisationId, cafe.admin.id, portal.clock.now()],
    );
    const replies = await Promise.all([create(), create(), create(), create()]);
    const statuses = replies.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([201, 201, 409, 409]);
    expect(await create()).toMatchObject(refusal(409, '100'));
    expect((await create({ mode: 'LIVE' })).status).toBe(201);
    const keys = await list();
    const inForce = keys.findLastIndex(({ standing }) => standing === 'works');
    expect([keys.length, inForce]).toEqual([121, 100]);
    // A roll replaces one key by another.
    expect((await cafe.admin.call('POST', `/keys/${String(keys[0]?.id)}/roll`)).status).toBe(200);
  });
});

describe('POST /portal/api/keys/{id}/roll', () => {
  it('shows the new key once; it belongs to the person who rolled, and the old one has stopped on every replica', async () => {
    const replica = await portal.startReplica();
    const expiresAt = '2027-01-01T00:00:00.000Z';
    const old = await issue({ name: 'Till', expiresAt });
    expect([await statusOf(old.key), await statusOf(old.key, replica)]).toEqual([200, 200]);
    const reply = await cafe.admin.call('POST', `/keys/${old.id}/roll`);
    const rolled = reply.body as Issued;
    const key: unknown = expect.stringMatching(/^pk_test_/);
    expect(reply).toMatchObject({ status: 200, body: { key, mode: 'TEST', expiresAt } });
    expect(reply.headers.get('cache-control')).toBe('no-store');
    expect([await statusOf(old.key), await statusOf(rolled.key)]).toEqual([401, 200]);
    expect([await statusOf(old.key, replica), await statusOf(rolled.key, replica)]).toEqual([401, 200]);
    const { email } = cafe.admin;
    const disabledAt = portal.clock.now().toISOString();
    expect(await list()).toMatchObject([
      { id: rolled.id, name: 'Till', rolledFrom: old.id, createdBy: { email }, standing: 'works' },
      { id: old.id, standing: 'disabled', disabledBy: email, disabledAt },
    ]);
  });

  it('leaves the key to its owner if the platform team rolls it', async () => {
    const { id } = await issue();
    await portal.gateway.admin('POST', `/keys/${id}/roll`);
    const createdBy = { email: cafe.developer.email };
    expect((await list())[0]).toMatchObject({ rolledFrom: id, createdBy, disabledBy: null });
  });

  it('is refused for a key that cannot work, and says to create a new one: 409', async () => {
    const modeless = await portal.gateway.createKey(cafe.organisationId, { mode: null });
    const past = { expiresAt: '2020-01-01T00:00:00Z' };
    const expired = await portal.gateway.createKey(cafe.organisationId, past);
    const owned = await issue();
    await cafe.admin.call('PATCH', `/people/${cafe.developer.id}`, { enabled: false });
    const words = { [modeless.id]: 'mode', [expired.id]: 'expired', [owned.id]: 'disabled' };
    for (const [id, word] of Object.entries(words)) {
      const reply = await cafe.admin.call('POST', `/keys/${id}/roll`);
      const message: unknown = expect.stringMatching(new RegExp(`${word}.*create a new one`));
      expect(reply).toMatchObject({ status: 409, body: { message } });
    }
    expect(await list(cafe.admin)).toMatchObject([
      { id: owned.id, standing: 'owner-disabled' },
      { id: modeless.id, mode: null, standing: 'works' },
      { id: expired.id, standing: 'expired' },
    ]);
  });
});

describe('the rights of a key', () => {
  const rights = { access: 'no-spending', addresses: ['192.0.2.0/24'], spendingPerDayMinor: '6000' };

  it('are given at its creation, by default all', async () => {
    await issue({ rights });
    expect((await list())[0]?.['rights']).toEqual({ ...rights, spendingPerMonthMinor: null });
    const wrong = await create({ rights: { ...rights, addresses: ['cafe'] } });
    expect(wrong).toMatchObject(refusal(400, 'addresses'));
  });

  it('are changed by an admin, not by the developer, and the audit log says who did it', async () => {
    const { id } = await issue({ rights });
    const change = (by: TestMember, changed: object) => by.call('PATCH', `/keys/${id}/rights`, changed);
    expect((await change(cafe.developer, { access: 'full' })).status).toBe(403);
    const changed = { ...rights, access: 'full', spendingPerMonthMinor: null };
    expect(await change(cafe.admin, { access: 'full' })).toMatchObject({
      status: 200,
      body: { id, rights: changed },
    });
    const other = await organisationWithRoles(portal);
    expect((await change(other.admin, { access: 'full' })).status).toBe(404);
    const { organisationId } = cafe;
    await eventually(async () => {
      const audit = await portal.gateway.admin(
        'GET',
        `/audit?organisationId=${organisationId}&target=keys/${id}`,
      );
      const { entries } = audit.body as { entries: object[] };
      expect(entries).toMatchObject([
        {
          actor: `people/${cafe.admin.id}`,
          roles: ['admin'],
          via: 'portal',
          action: 'PATCH /portal/api/keys/:id/rights',
          details: { access: 'full' },
          status: 200,
        },
      ]);
    });
  });
});

describe('POST /portal/api/keys/{id}/disable', () => {
  it('stops the key for ever, and gives the same answer when it is repeated', async () => {
    const { id, key } = await issue();
    expect(await statusOf(key)).toBe(200);
    const answer = { status: 200, body: { id, disabledAt: portal.clock.now().toISOString() } };
    expect(await cafe.developer.call('POST', `/keys/${id}/disable`)).toMatchObject(answer);
    expect(await statusOf(key)).toBe(401);
    portal.clock.advance(60_000);
    expect(await cafe.admin.call('POST', `/keys/${id}/disable`)).toMatchObject(answer);
    expect(await list()).toMatchObject([{ ...answer.body, disabledBy: cafe.developer.email }]);
  });
});

describe('a person who loses the right to keys while the change waits for its lock', () => {
  it.each([
    ['roll', `role = 'marketer'`],
    ['roll', `enabled = false`],
    ['disable', `role = 'marketer'`],
  ])('is refused: %s after %s', async (action, change) => {
    const { id, key } = await issue({}, cafe.admin);
    const { database } = portal;
    await database.query('BEGIN');
    await database.query('SELECT 1 FROM organisations WHERE id = $1 FOR UPDATE', [cafe.organisationId]);
    await database.query(`UPDATE people SET ${change} WHERE id = $1`, [cafe.developer.id]);
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

describe('the key of another organisation', () => {
  it('is not listed, and can be neither rolled nor disabled nor even locked: 404', async () => {
    const other = await organisationWithRoles(portal);
    const { id, key } = await issue({}, other.developer);
    expect(await list()).toEqual([]);
    await portal.database.query('BEGIN');
    await portal.database.query('SELECT 1 FROM api_keys WHERE id = $1 FOR UPDATE', [id]);
    try {
      // A request that waited for this lock would end as a fault.
      for (const action of ['roll', 'disable'])
        expect(await cafe.admin.call('POST', `/keys/${id}/${action}`)).toMatchObject(notFound);
    } finally {
      await portal.database.query('COMMIT');
    }
    expect(await statusOf(key)).toBe(200);
  });
});
