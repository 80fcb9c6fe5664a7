import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import {
  callBy,
  organisationWithRoles,
  signedIn,
  type TestMember,
  type TestOrganisation,
} from './members.ts';
import { type PortalUnderTest, publicUrl, startPortalUnderTest, tokenOf } from './portal-under-test.ts';

const hour = 60 * 60 * 1_000;

type Issued = { id: number; key: string };

let portal: PortalUnderTest;
/** Each test has its own. */
let cafe: TestOrganisation;
beforeAll(async () => {
  portal = await startPortalUnderTest();
});
afterAll(async () => portal[Symbol.asyncDispose]());
beforeEach(async () => {
  cafe = await organisationWithRoles(portal);
});

const notFound = { status: 404, body: { message: 'Not found' } };
const newcomer = () => `new@${cafe.admin.email.split('@')[1]}`;
const invite = (email: string, role = 'marketer') => cafe.admin.call('POST', '/people', { email, role });
const idOf = (reply: { body: unknown }) => (reply.body as { id: number }).id;
const told = (reply: { body: unknown }) => ({
  personId: idOf(reply),
  email: newcomer(),
  role: 'developer',
  enabled: true,
});
const patch = (id: number, change: unknown) => cafe.admin.call('PATCH', `/people/${id}`, change);

describe('GET /portal/api/people', () => {
  it('lists everybody with role, standing, invitation, last sign-in and keys', async () => {
    await portal.gateway.createKey(cafe.organisationId, { personEmail: cafe.developer.email });
    await portal.gateway.createKey(cafe.organisationId, {
      personEmail: cafe.developer.email,
      expiresAt: '2020-01-01T00:00:00Z',
    });
    await invite(newcomer());
    const { body } = await cafe.admin.call('GET', '/people');
    const now = portal.clock.now().toISOString();
    const joined = { enabled: true, invitedAt: now, invitedBy: null, lastSignedInAt: now, keysInForce: 0 };
    const { people } = body as { people: { id: number }[] };
    expect(people.toSorted((a, b) => a.id - b.id)).toEqual(people);
    expect(people).toHaveLength(4);
    expect(people).toEqual(
      expect.arrayContaining([
        { ...joined, id: cafe.admin.id, email: cafe.admin.email, role: 'admin' },
        { ...joined, id: cafe.developer.id, email: cafe.developer.email, role: 'developer', keysInForce: 1 },
        { ...joined, id: cafe.marketer.id, email: cafe.marketer.email, role: 'marketer' },
        {
          ...joined,
          id: expect.any(Number),
          email: newcomer(),
          role: 'marketer',
          invitedBy: cafe.admin.email,
          lastSignedInAt: null,
        },
      ]),
    );
  });

  it('says nothing of other organisations', async () => {
    const other = await organisationWithRoles(portal);
    const { body } = await cafe.admin.call('GET', '/people');
    expect(JSON.stringify(body)).not.toContain(other.admin.email);
  });
});

describe('POST /portal/api/people', () => {
  it('sends the person a link of their own, tells the other services, and shows the link to nobody else', async () => {
    const reply = await invite(newcomer(), 'developer');
    expect(reply).toMatchObject({
      status: 201,
      body: { email: newcomer(), role: 'developer', enabled: true },
    });
    const [invitation] = await eventually(() => {
      expect(portal.invitationsTo(newcomer())).toHaveLength(1);
      return portal.invitationsTo(newcomer());
    });
    expect(invitation?.data).toEqual({
      organisationId: cafe.organisationId,
      organisationName: expect.stringContaining('Cafe'),
      personId: idOf(reply),
      email: newcomer(),
      role: 'developer',
      invitedBy: cafe.admin.email,
      signInUrl: expect.stringContaining(`${publicUrl}/portal/sign-in#`),
      expiresAt: new Date(portal.clock.now().getTime() + 72 * hour).toISOString(),
    });
    const token = tokenOf(invitation!);
    expect(JSON.stringify(reply.body)).not.toContain(token);
    await eventually(() =>
      expect(portal.changesOf(cafe.organisationId).at(-1)?.data.people).toContainEqual({
        ...told(reply),
        awaited: true,
      }),
    );
    const browser = portal.browser();
    expect(await browser.complete(token)).toMatchObject({ status: 200, body: { role: 'developer' } });
    // From now on nobody takes the address for a stranger's.
    await eventually(() =>
      expect(portal.changesOf(cafe.organisationId).at(-1)?.data.people).toContainEqual(told(reply)),
    );
    const { body } = await cafe.admin.call('GET', '/people');
    expect((body as { people: unknown[] }).people.at(-1)).toMatchObject({
      lastSignedInAt: portal.clock.now().toISOString(),
    });
  });

  it('tells the other services too when somebody comes who has a place elsewhere, without the link', async () => {
    const other = await organisationWithRoles(portal);
    const reply = await invite(other.developer.email);
    const moved = await other.developer.call('POST', '/session/organisation', {
      organisationId: cafe.organisationId,
    });
    expect(moved.status).toBe(200);
    await eventually(() =>
      expect(portal.changesOf(cafe.organisationId).at(-1)?.data.people).toContainEqual({
        personId: idOf(reply),
        email: other.developer.email,
        role: 'marketer',
        enabled: true,
      }),
    );
  });

  it('refuses an address that is there already, whatever its case: 409', async () => {
    expect(await invite(cafe.marketer.email.toUpperCase())).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('already') },
    });
  });

  it('lets one address be in two organisations', async () => {
    const other = await organisationWithRoles(portal);
    expect(await invite(other.developer.email)).toMatchObject({ status: 201 });
  });

  it.each([
    [{ email: 'nobody', role: 'admin' }, /email/],
    [{ email: 'a@b.test' }, /role/],
    [{ email: 'a@b.test', role: 'owner' }, /role/],
    [{ email: `${'a'.repeat(250)}@b.test`, role: 'admin' }, /email/],
  ])('refuses %j and names the field: 400', async (wish, field) => {
    expect(await cafe.admin.call('POST', '/people', wish)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(field) },
    });
  });

  it('is refused beyond the most people that an organisation may have: 409', async () => {
    await portal.database.query(
      `INSERT INTO people (organisation_id, email, role, invited_at)
       SELECT $1, 'crowd-' || n || '@cafe.test', 'marketer', now() FROM generate_series(1, 497) AS n`,
      [cafe.organisationId],
    );
    expect(await invite(newcomer())).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('500') },
    });
    await portal.whenAllIsAnswered();
    expect(portal.invitationsTo(newcomer())).toEqual([]);
  });
});

describe('invitations of strangers', () => {
  it('are five a day for an address, however many organisations send them: 429', async () => {
    const others = await Promise.all(Array.from({ length: 6 }, () => organisationWithRoles(portal)));
    const statuses = await Promise.all(
      others.map(
        async ({ admin }) =>
          (await admin.call('POST', '/people', { email: newcomer(), role: 'admin' })).status,
      ),
    );
    expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 201, 201, 201, 201, 429]);
    expect(await invite(newcomer().toUpperCase())).toMatchObject({
      status: 429,
      body: { message: expect.stringContaining('address') },
    });
    await eventually(() => expect(portal.invitationsTo(newcomer())).toHaveLength(5));
    // The platform team is not to be kept out by strangers.
    const path = `/organisations/${cafe.organisationId}/people`;
    expect((await portal.gateway.admin('POST', path, { email: newcomer(), role: 'marketer' })).status).toBe(
      201,
    );
  });

  it('are fifty a day from an organisation: 429', async () => {
    await portal.database.query(
      `WITH crowd AS (
         INSERT INTO people (organisation_id, email, role, invited_at)
         SELECT $1, 'guest-' || n || '@cafe.test', 'marketer', $2 FROM generate_series(1, 49) AS n RETURNING id)
       INSERT INTO invitations (person_id, sent_by, sent_at) SELECT id, $3, $2 FROM crowd`,
      [cafe.organisationId, portal.clock.now(), cafe.admin.id],
    );
    expect((await invite(newcomer())).status).toBe(201);
    expect(await invite(`one-more-${newcomer()}`)).toMatchObject({
      status: 429,
      body: { message: expect.stringContaining('50') },
    });
  });
});

describe('POST /portal/api/people/{id}/invitation', () => {
  it('sends a new link, five invitations a day at most: 429', async () => {
    const id = idOf(await invite(newcomer()));
    for (let sent = 1; sent < 5; sent += 1)
      expect(await cafe.admin.call('POST', `/people/${id}/invitation`)).toMatchObject({
        status: 200,
        body: { id, lastSignedInAt: null },
      });
    const refused = await cafe.admin.call('POST', `/people/${id}/invitation`);
    expect(refused).toMatchObject({ status: 429, body: { message: expect.stringContaining('day') } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await eventually(() => expect(portal.invitationsTo(newcomer())).toHaveLength(5));
    expect(new Set(portal.invitationsTo(newcomer()).map(tokenOf)).size).toBe(5);

    portal.clock.advance(24 * hour);
    const admin = await signedIn(portal, cafe.admin.email);
    expect((await admin.call('POST', `/people/${id}/invitation`)).status).toBe(200);
  });

  it('is refused for who has signed in, for who is disabled, and for others: 409, 404', async () => {
    const again = (id: number) => cafe.admin.call('POST', `/people/${id}/invitation`);
    expect(await again(cafe.marketer.id)).toMatchObject({ status: 409 });
    const id = idOf(await invite(newcomer()));
    await patch(id, { enabled: false });
    expect(await again(id)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining('enable') },
    });
    const other = await organisationWithRoles(portal);
    expect(await again(other.marketer.id)).toMatchObject(notFound);
  });
});

describe('PATCH /portal/api/people/{id}', () => {
  it('changes the role at the very next request, tells the other services, and says nothing when nothing changed', async () => {
    expect((await cafe.marketer.call('GET', '/keys')).status).toBe(403);
    const { id, email } = cafe.marketer;
    expect(await patch(id, { role: 'developer' })).toMatchObject({
      status: 200,
      body: { id, email, role: 'developer', enabled: true },
    });
    expect((await cafe.marketer.call('GET', '/keys')).status).toBe(200);
    await eventually(() =>
      expect(portal.changesOf(cafe.organisationId).at(-1)?.data.people).toContainEqual({
        personId: id,
        email,
        role: 'developer',
        enabled: true,
      }),
    );
    const { subjectVersion } = portal.changesOf(cafe.organisationId).at(-1)!;
    await patch(id, { role: 'developer' });
    await patch(id, { role: 'marketer' });
    await eventually(() =>
      expect(portal.changesOf(cafe.organisationId).at(-1)?.data.people).toContainEqual(
        expect.objectContaining({ personId: id, role: 'marketer' }),
      ),
    );
    expect(portal.changesOf(cafe.organisationId).at(-1)?.subjectVersion).toBe(subjectVersion + 1);
  });

  it('disabling ends sessions, links and keys of the person when it answers, and enabling revives the keys only', async () => {
    const { key } = await portal.gateway.createKey(cafe.organisationId, {
      personEmail: cafe.developer.email,
    });
    const { id, email, browser } = cafe.developer;
    await browser.ask(email);
    const link = await portal.nextToken(email);
    expect((await portal.gateway.call('/categories', { key })).status).toBe(200);

    expect(await patch(id, { enabled: false })).toMatchObject({ status: 200, body: { enabled: false } });
    expect((await portal.gateway.call('/categories', { key })).status).toBe(401);
    await patch(id, { enabled: true });
    expect((await portal.gateway.call('/categories', { key })).status).toBe(200);
    expect((await cafe.developer.call('GET', '/session')).status).toBe(401);
    expect((await portal.browser().complete(link)).status).toBe(401);
    await signedIn(portal, email);
  });

  it('disabling stops exactly the keys whose secret the person has seen, made or rolled by them', async () => {
    const statusOf = async (key: string) => (await portal.gateway.call('/categories', { key })).status;
    const make = async (by: TestMember) =>
      (await by.call('POST', '/keys', { mode: 'TEST', name: 'Till' })).body as Issued;
    const roll = async ({ id }: Issued, by: TestMember) =>
      (await by.call('POST', `/keys/${id}/roll`)).body as Issued;
    const { admin, developer } = cafe;
    const known = [await make(developer), await roll(await make(admin), developer)];
    const unknown = [await make(admin), await roll(await make(developer), admin)];
    await patch(developer.id, { enabled: false });
    expect(await Promise.all(known.map(({ key }) => statusOf(key)))).toEqual([401, 401]);
    expect(await Promise.all(unknown.map(({ key }) => statusOf(key)))).toEqual([200, 200]);
  });

  it('leaves the keys of a person whose role is lowered working, and lists whose they are', async () => {
    const { id, email } = cafe.developer;
    const { key } = await portal.gateway.createKey(cafe.organisationId, { personEmail: email });
    expect(await patch(id, { role: 'marketer' })).toMatchObject({ body: { keysInForce: 1 } });
    expect((await portal.gateway.call('/categories', { key })).status).toBe(200);
    expect(await cafe.admin.call('GET', '/keys')).toMatchObject({
      body: { keys: [{ createdBy: { id, email, role: 'marketer' }, standing: 'in-force' }] },
    });
  });

  it.each([{ enabled: false }, { role: 'marketer' }])(
    'refuses %j for the last enabled admin: 409',
    async (change) => {
      expect(await patch(cafe.admin.id, change)).toMatchObject({
        status: 409,
        body: { message: expect.stringContaining('admin') },
      });
      await patch(cafe.developer.id, { role: 'admin' });
      await eventually(async () => {
        const path = `/people/${cafe.admin.id}`;
        const { status } = await cafe.admin.call('PATCH', path, change, { once: true });
        // The 503 of a busy machine leaves open whether it was done, and whoever has lost the right to it cannot ask again.
        expect([200, 503]).toContain(status);
        const { body } = await cafe.developer.call('GET', '/people');
        const { people } = body as { people: object[] };
        expect(people).toContainEqual(expect.objectContaining({ id: cafe.admin.id, ...change }));
      });
    },
  );

  it('two admins who remove each other at once: one stays', async () => {
    await patch(cafe.developer.id, { role: 'admin' });
    const [first, second] = await Promise.all([
      cafe.admin.call('PATCH', `/people/${cafe.developer.id}`, { enabled: false }),
      cafe.developer.call('PATCH', `/people/${cafe.admin.id}`, { role: 'marketer' }),
    ]);
    const [winner, loser] = first.status === 200 ? [first, second] : [second, first];
    expect(winner.status).toBe(200);
    // Refused under the lock, or already by the session that had ended meanwhile.
    expect([401, 403]).toContain(loser.status);
    const { rows } = await portal.database.query(
      "SELECT 1 FROM people WHERE organisation_id = $1 AND role = 'admin' AND enabled",
      [cafe.organisationId],
    );
    expect(rows).toHaveLength(1);
  });

  it('does not let anybody raise their own role: 403', async () => {
    for (const person of [cafe.developer, cafe.marketer]) {
      expect((await person.call('PATCH', `/people/${person.id}`, { role: 'admin' })).status).toBe(403);
      expect((await person.call('POST', '/people', { email: newcomer(), role: 'admin' })).status).toBe(403);
    }
  });

  it('reaches nobody of another organisation: 404', async () => {
    const other = await organisationWithRoles(portal);
    expect(await patch(other.marketer.id, { enabled: false })).toMatchObject(notFound);
    expect((await other.marketer.call('GET', '/session')).status).toBe(200);
  });

  it.each([
    [{}, 'role or enabled'],
    [{ role: 'owner' }, 'role'],
    [{ enabled: 'no' }, 'enabled'],
  ])('refuses %j and says what it must be: 400', async (change, word) => {
    expect(await patch(cafe.marketer.id, change)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(word) },
    });
  });

  it('needs the CSRF token, as every change: 403', async () => {
    const page = portal.browser();
    page.cookie = cafe.admin.browser.cookie;
    expect((await callBy(page)('PATCH', `/people/${cafe.marketer.id}`, { enabled: false })).status).toBe(403);
    expect((await cafe.marketer.call('GET', '/session')).status).toBe(200);
  });
});

describe('the platform team', () => {
  it('signs a person out everywhere, and nobody else', async () => {
    const again = await signedIn(portal, cafe.developer.email);
    const path = `/organisations/${cafe.organisationId}/people/end-sessions`;
    expect(await portal.gateway.admin('POST', path, { email: cafe.developer.email })).toMatchObject({
      status: 200,
      body: { email: cafe.developer.email, ended: true },
    });
    for (const person of [cafe.developer, again])
      expect((await person.call('GET', '/session')).status).toBe(401);
    expect((await cafe.admin.call('GET', '/session')).status).toBe(200);
  });
});
