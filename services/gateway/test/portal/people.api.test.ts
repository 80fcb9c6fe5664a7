import { beforeEach, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { refusal } from '../gateway-under-test.ts';
import { organisationWithRoles, signedIn, type TestMember, type TestOrganisation } from './members.ts';
import { publicUrl, startPortalUnderTest, tokenIn } from './portal-under-test.ts';

const hour = 60 * 60 * 1_000;

type Issued = { id: number; key: string };

const portal = forAllTests(() => startPortalUnderTest());
/** Each test has its own. */
let cafe: TestOrganisation;
let newcomer: string;
beforeEach(async () => {
  cafe = await organisationWithRoles(portal);
  newcomer = `new@${cafe.admin.email.split('@')[1]}`;
});

const invite = (email: string, role = 'marketer') => cafe.admin.call('POST', '/people', { email, role });
const inviteAgain = (id: number) => cafe.admin.call('POST', `/people/${id}/invitation`);
const patch = (id: number, change: unknown) => cafe.admin.call('PATCH', `/people/${id}`, change);
const idOf = (reply: { body: unknown }) => (reply.body as { id: number }).id;
const statusOfKey = async (key: string) => (await portal.gateway.call('/categories', { key })).status;

/** Resolves when the other services have been told of a person with exactly these facts. */
const whenAnnounced = (person: object) =>
  eventually(() => expect(portal.changesOf(cafe.organisationId).at(-1)?.data.people).toContainEqual(person));

describe('GET /portal/api/people', () => {
  it('lists every person of the organisation with role, invitation, last sign-in and number of valid keys', async () => {
    const personEmail = cafe.developer.email;
    await portal.gateway.createKey(cafe.organisationId, { personEmail });
    await portal.gateway.createKey(cafe.organisationId, { personEmail, expiresAt: '2020-01-01T00:00:00Z' });
    const id = idOf(await invite(newcomer));
    await organisationWithRoles(portal);
    const now = portal.clock.now().toISOString();
    const joined = { enabled: true, invitedAt: now, invitedBy: null, lastSignedInAt: now, keysInForce: 0 };
    const people = [
      { ...joined, id: cafe.admin.id, email: cafe.admin.email, role: 'admin' },
      { ...joined, id: cafe.developer.id, email: personEmail, role: 'developer', keysInForce: 1 },
      { ...joined, id: cafe.marketer.id, email: cafe.marketer.email, role: 'marketer' },
      { ...joined, id: cafe.finance.id, email: cafe.finance.email, role: 'finance' },
      { ...joined, id: cafe.viewer.id, email: cafe.viewer.email, role: 'viewer' },
      { ...joined, id, email: newcomer, role: 'marketer', invitedBy: cafe.admin.email, lastSignedInAt: null },
    ];
    const { body } = await cafe.admin.call('GET', '/people');
    expect(body).toEqual({ people: people.toSorted((a, b) => a.id - b.id) });
  });
});

describe('GET /portal/api/authors', () => {
  it('names people and keys of the organisation to who may view offers, and no one who was erased', async () => {
    const { marketer, viewer } = cafe;
    const key = await portal.gateway.createKey(cafe.organisationId, { personEmail: marketer.email });
    const stranger = (await organisationWithRoles(portal)).admin;
    const ask = () =>
      viewer.call('GET', `/authors?people=${marketer.id},${stranger.id},999999&keys=${key.id},999999`);
    const keys = [{ id: key.id, lastFour: key.key.slice(-4) }];
    expect((await ask()).body).toEqual({ people: [{ id: marketer.id, email: marketer.email }], keys });
    await portal.gateway.admin('POST', '/people/erase', {
      person: { email: marketer.email },
      dryRun: false,
      reason: 'asked for it',
    });
    expect((await ask()).body).toEqual({ people: [], keys });
    expect(await viewer.call('GET', '/authors?people=ann')).toMatchObject(refusal(400, 'people'));
  });
});

describe('POST /portal/api/people', () => {
  it('mails a link to the person only, and tells other services that the person has not signed in yet', async () => {
    const reply = await invite(newcomer, 'developer');
    const id = idOf(reply);
    expect(reply).toMatchObject({ status: 201, body: { email: newcomer, role: 'developer', enabled: true } });
    const invitation = await eventually(() => {
      expect(portal.invitationsTo(newcomer)).toHaveLength(1);
      return portal.invitationsTo(newcomer)[0]!.data;
    });
    expect(invitation).toEqual({
      organisationId: cafe.organisationId,
      organisationName: expect.stringContaining('Cafe'),
      personId: id,
      email: newcomer,
      role: 'developer',
      invitedBy: cafe.admin.email,
      signInUrl: expect.stringContaining(`${publicUrl}/portal/sign-in#`),
      expiresAt: new Date(portal.clock.now().getTime() + 72 * hour).toISOString(),
    });
    const token = tokenIn(invitation.signInUrl);
    expect(JSON.stringify(reply.body)).not.toContain(token);
    const person = { personId: id, email: newcomer, role: 'developer', enabled: true };
    await whenAnnounced({ ...person, awaited: true });
    // The link works for 72 hours.
    portal.clock.advance(72 * hour - 1);
    expect(await portal.browser().complete(token)).toMatchObject({
      status: 200,
      body: { role: 'developer' },
    });
    await whenAnnounced(person);
  });

  it('lets a person of another organisation switch to this one without the link, and tells other services', async () => {
    const other = await organisationWithRoles(portal);
    const { email } = other.developer;
    const id = idOf(await invite(email));
    const to = { organisationId: cafe.organisationId };
    expect((await other.developer.call('POST', '/session/organisation', to)).status).toBe(200);
    await whenAnnounced({ personId: id, email, role: 'marketer', enabled: true });
  });

  it('refuses an address that the organisation has already, in any case: 409', async () => {
    expect(await invite(cafe.marketer.email.toUpperCase())).toMatchObject(refusal(409, 'already'));
  });

  it('refuses wrong input and names the field: 400', async () => {
    for (const [wish, field] of [
      [{ email: 'nobody', role: 'admin' }, 'email'],
      [{ email: `${'a'.repeat(250)}@b.test`, role: 'admin' }, 'email'],
      [{ email: 'a@b.test', role: 'owner' }, 'role'],
    ] as const)
      expect(await cafe.admin.call('POST', '/people', wish)).toMatchObject(refusal(400, field));
  });
});

describe('invitations', () => {
  it('are limited to five a day for an address, whichever organisations send them: 429', async () => {
    const others = await Promise.all(Array.from({ length: 6 }, () => organisationWithRoles(portal)));
    const wish = { email: newcomer, role: 'admin' };
    const replies = await Promise.all(others.map(({ admin }) => admin.call('POST', '/people', wish)));
    const statuses = replies.map(({ status }) => status);
    expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 201, 201, 201, 201, 429]);
    expect(await invite(newcomer.toUpperCase())).toMatchObject(refusal(429, 'address'));
    await eventually(() => expect(portal.invitationsTo(newcomer)).toHaveLength(5));
    // Strangers must not be able to block the platform team.
    const path = `/organisations/${cafe.organisationId}/people`;
    expect((await portal.gateway.admin('POST', path, wish)).status).toBe(201);
    const again = await portal.gateway.admin('POST', `${path}/invitation`, { email: newcomer });
    expect(again.status).toBe(200);
  });

  it('are limited to fifty a day from an organisation: 429', async () => {
    await portal.database.query(
      `WITH crowd AS (
         INSERT INTO people (organisation_id, email, role, invited_at)
         SELECT $1, 'guest-' || n || '@cafe.test', 'marketer', $2 FROM generate_series(1, 49) AS n RETURNING id)
       INSERT INTO invitations (person_id, sent_by, sent_at) SELECT id, $3, $2 FROM crowd`,
      [cafe.organisationId, portal.clock.now(), cafe.admin.id],
    );
    expect((await invite(newcomer)).status).toBe(201);
    expect(await invite(`one-more-${newcomer}`)).toMatchObject(refusal(429, '50'));
  });
});

describe('POST /portal/api/people/{id}/invitation', () => {
  it('sends a new link, until the address got five invitations within a day: 429', async () => {
    const id = idOf(await invite(newcomer));
    for (let sent = 1; sent < 5; sent += 1)
      expect(await inviteAgain(id)).toMatchObject({ status: 200, body: { id, lastSignedInAt: null } });
    const refused = await inviteAgain(id);
    expect(refused).toMatchObject(refusal(429, 'day'));
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await eventually(() => expect(portal.invitationsTo(newcomer)).toHaveLength(5));
    expect(new Set(portal.invitationsTo(newcomer).map(({ data }) => data.signInUrl)).size).toBe(5);

    portal.clock.advance(24 * hour);
    const admin = await signedIn(portal, cafe.admin.email);
    expect((await admin.call('POST', `/people/${id}/invitation`)).status).toBe(200);
  });

  it('is refused for a person who has signed in, who is disabled, or who belongs to others: 409, 404', async () => {
    expect(await inviteAgain(cafe.marketer.id)).toMatchObject({ status: 409 });
    const id = idOf(await invite(newcomer));
    await patch(id, { enabled: false });
    expect(await inviteAgain(id)).toMatchObject(refusal(409, 'enable'));
    const other = await organisationWithRoles(portal);
    expect(await inviteAgain(other.marketer.id)).toMatchObject(refusal(404, 'Not found'));
  });
});

describe('PATCH /portal/api/people/{id}', () => {
  it('changes the role from the next request on, and publishes one version for each real change', async () => {
    const { id, email } = cafe.marketer;
    expect((await cafe.marketer.call('GET', '/keys')).status).toBe(403);
    const changed = { email, role: 'developer', enabled: true };
    expect(await patch(id, { role: 'developer' })).toMatchObject({ status: 200, body: { id, ...changed } });
    expect((await cafe.marketer.call('GET', '/keys')).status).toBe(200);
    await whenAnnounced({ personId: id, ...changed });
    const { subjectVersion } = portal.changesOf(cafe.organisationId).at(-1)!;
    await patch(id, { role: 'developer' });
    await patch(id, { role: 'marketer' });
    await whenAnnounced(expect.objectContaining({ personId: id, role: 'marketer' }));
    expect(portal.changesOf(cafe.organisationId).at(-1)?.subjectVersion).toBe(subjectVersion + 1);
  });

  it('ends sessions, links and keys of a disabled person before it answers; enabling brings back the keys only', async () => {
    const { id, email, browser } = cafe.developer;
    const { key } = await portal.gateway.createKey(cafe.organisationId, { personEmail: email });
    await browser.ask(email);
    const link = await portal.nextToken(email);
    expect(await statusOfKey(key)).toBe(200);
    expect(await patch(id, { enabled: false })).toMatchObject({ status: 200, body: { enabled: false } });
    expect(await statusOfKey(key)).toBe(401);
    await patch(id, { enabled: true });
    expect(await statusOfKey(key)).toBe(200);
    expect((await cafe.developer.call('GET', '/session')).status).toBe(401);
    expect((await portal.browser().complete(link)).status).toBe(401);
    await signedIn(portal, email);
  });

  it('stops exactly the keys that a disabled person has seen, because the person created or rolled them', async () => {
    const make = async (by: TestMember) =>
      (await by.call('POST', '/keys', { mode: 'TEST', name: 'Till' })).body as Issued;
    const roll = async ({ id }: Issued, by: TestMember) =>
      (await by.call('POST', `/keys/${id}/roll`)).body as Issued;
    const { admin, developer } = cafe;
    const seen = [await make(developer), await roll(await make(admin), developer)];
    const unseen = [await make(admin), await roll(await make(developer), admin)];
    await patch(developer.id, { enabled: false });
    expect(await Promise.all(seen.map(({ key }) => statusOfKey(key)))).toEqual([401, 401]);
    expect(await Promise.all(unseen.map(({ key }) => statusOfKey(key)))).toEqual([200, 200]);
  });

  it('leaves the keys of a person with a lower role valid, and lists their owner', async () => {
    const { id, email } = cafe.developer;
    const { key } = await portal.gateway.createKey(cafe.organisationId, { personEmail: email });
    expect(await patch(id, { role: 'marketer' })).toMatchObject({ body: { keysInForce: 1 } });
    expect(await statusOfKey(key)).toBe(200);
    expect(await cafe.admin.call('GET', '/keys')).toMatchObject({
      body: { keys: [{ createdBy: { id, email, role: 'marketer' }, standing: 'works' }] },
    });
  });

  it.each([{ enabled: false }, { role: 'marketer' }])(
    'refuses %j for the last enabled admin: 409',
    async (change) => {
      expect(await patch(cafe.admin.id, change)).toMatchObject(refusal(409, 'admin'));
      await patch(cafe.developer.id, { role: 'admin' });
      await eventually(async () => {
        const { status } = await cafe.admin.call('PATCH', `/people/${cafe.admin.id}`, change, { once: true });
        // After the 503 of a busy machine it may have been done, and then this person cannot ask again.
        expect([200, 503]).toContain(status);
        const { people } = (await cafe.developer.call('GET', '/people')).body as { people: object[] };
        expect(people).toContainEqual(expect.objectContaining({ id: cafe.admin.id, ...change }));
      });
    },
  );

  it('changes no person of another organisation: 404', async () => {
    const other = await organisationWithRoles(portal);
    expect(await patch(other.marketer.id, { enabled: false })).toMatchObject(refusal(404, 'Not found'));
    expect((await other.marketer.call('GET', '/session')).status).toBe(200);
  });

  it('refuses wrong input and names the field: 400', async () => {
    for (const [change, word] of [
      [{}, 'role or enabled'],
      [{ role: 'owner' }, 'role'],
      [{ enabled: 'no' }, 'enabled'],
    ] as const)
      expect(await patch(cafe.marketer.id, change)).toMatchObject(refusal(400, word));
  });
});

describe('POST /admin/organisations/{id}/people/end-sessions', () => {
  it('ends all sessions of a person, and of nobody else', async () => {
    const again = await signedIn(portal, cafe.developer.email);
    const path = `/organisations/${cafe.organisationId}/people/end-sessions`;
    const email = cafe.developer.email;
    const body = { email, ended: true };
    expect(await portal.gateway.admin('POST', path, { email })).toMatchObject({ status: 200, body });
    for (const person of [cafe.developer, again])
      expect((await person.call('GET', '/session')).status).toBe(401);
    expect((await cafe.admin.call('GET', '/session')).status).toBe(200);
  });
});
