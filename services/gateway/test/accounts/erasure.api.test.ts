/** The erasure of a person from the gateway: nothing of the address is left, and what others did stays. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { tablesWith } from '@offer-ads/testing/stores/find-text';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { refusal } from '../gateway-under-test.ts';
import { type Browser, startPortalUnderTest } from '../portal/portal-under-test.ts';

const portal = forAllTests(() => startPortalUnderTest());
let count = 0;
/** Has a colleague in the first organisation, and is the only person of the second. */
let email: string;
let colleague: string;
let first: number;
let second: number;
let browser: Browser;

const admin = (path: string, json?: unknown) =>
  portal.gateway.admin(json === undefined ? 'GET' : 'POST', path, json);
const erase = (person: object, dryRun = false) =>
  admin('/people/erase', { person, dryRun, reason: 'asked for it' });
const tables = (text: string) => tablesWith(portal.database, text);
const peopleOf = async (id: number) =>
  ((await admin(`/organisations/${id}/people`)).body as { people: { id: number; email: string }[] }).people;

beforeEach(async () => {
  count += 1;
  email = `Ann.${count}@tea.test`;
  // Its address contains the other one.
  colleague = `jo${email.toLowerCase()}`;
  first = await portal.organisationOf(email);
  second = await portal.organisationOf(email);
  await admin(`/organisations/${first}/people`, { email: colleague, role: 'admin' });
  browser = portal.browser();
  await browser.signIn(email);
  await browser.call('/portal/api/sign-up', {
    method: 'POST',
    json: { email, name: 'Tea', tradingName: 'Tea', country: 'GB', currency: 'GBP' },
  });
  await portal.signUpToken(email);
  // All events were published, and those without credentials are kept.
  await eventually(async () => {
    if ((await tables(`"${email}"`)).includes('outbox')) throw new Error('an event waits to be published');
  });
});

describe('POST /admin/people/erase', () => {
  it('leaves the address in no table, whatever its case', async () => {
    expect(await tables(email)).toEqual(
      expect.arrayContaining(['people', 'portal_sessions', 'sign_in_links', 'sign_ups', 'sent_events']),
    );
    const reply = await erase({ email: email.toUpperCase() });
    expect(reply).toMatchObject({
      status: 200,
      body: {
        email: email.toLowerCase(),
        memberships: [
          { organisationId: first, role: 'admin', isLastAdmin: false },
          { organisationId: second, role: 'admin', isLastAdmin: true },
        ],
        sessions: 1,
        signUps: 1,
      },
    });
    expect(await tables(`"${email}"`)).toEqual([]);
    // Except as a part of the address of somebody else.
    await portal.database.query('UPDATE people SET email = $2 WHERE email = $1', [colleague, 'x@tea.test']);
    await portal.database.query("DELETE FROM sign_in_links WHERE email LIKE 'jo%'");
    await portal.database.query("DELETE FROM sent_events WHERE event::text LIKE '%jo' || $1 || '%'", [
      email.toLowerCase(),
    ]);
    expect(await tables(email)).toEqual([]);
  });

  it('ends sessions and keys of the person, and tells other services who is left', async () => {
    const { key } = await portal.gateway.createKey(first, { personEmail: email });
    await erase({ email });
    expect((await browser.call('/portal/api/session')).status).toBe(401);
    expect((await portal.gateway.call('/categories', { key })).status).toBe(401);
    expect(await peopleOf(first)).toMatchObject([{ email: colleague }]);
    expect(await peopleOf(second)).toEqual([]);
    await eventually(() => {
      expect(portal.changesOf(first).at(-1)?.data.people).toMatchObject([{ email: colleague }]);
      expect(portal.changesOf(second).at(-1)?.data.people).toEqual([]);
    });
  });

  it('keeps who is somebody else, also where the address is a part of theirs', async () => {
    const before = await tables(`"${colleague}"`);
    await erase({ email });
    expect(before).toContain('sent_events');
    expect(await tables(`"${colleague}"`)).toEqual(before);
  });

  it('leaves notes of staff without the address, and none of an organisation that nobody is left in', async () => {
    const note = (id: number, text: string) => admin(`/organisations/${id}/notes/add`, { text });
    const notesOf = async (id: number) => (await admin(`/organisations/${id}/notes`)).body;
    await note(first, `Write to ${email}, not to ${colleague}.`);
    await note(second, `${email} pays late`);
    await erase({ email });
    expect(await notesOf(first)).toMatchObject({ notes: [{ text: `Write to …, not to ${colleague}.` }] });
    expect(await notesOf(second)).toEqual({ notes: [] });
  });

  it('erases nothing in a dry run', async () => {
    const before = await tables(email);
    expect(await erase({ email }, true)).toMatchObject({
      status: 200,
      body: {
        memberships: [{ organisationId: first }, { organisationId: second }],
        sessions: 1,
        events: null,
      },
    });
    expect(await tables(email)).toEqual(before);
    expect((await browser.call('/portal/api/session')).status).toBe(200);
  });

  it('can be repeated, and finds a person by id too', async () => {
    const [person] = await peopleOf(second);
    expect(await erase({ id: person?.id })).toMatchObject({ body: { memberships: [{}, {}] } });
    const nothing = { memberships: [], sessions: 0, links: 0, signUps: 0, events: 0 };
    expect((await erase({ email })).body).toEqual({ email: email.toLowerCase(), ...nothing });
    expect((await erase({ id: person?.id })).body).toEqual({ email: null, ...nothing });
    expect(await erase({ id: 2_000_000_000 })).toMatchObject({ status: 404 });
  });

  it('lets the address be invited again, as a new person', async () => {
    await erase({ email });
    expect((await admin(`/organisations/${first}/people`, { email })).status).toBe(201);
    expect(await peopleOf(first)).toMatchObject([{ email: colleague }, { email }]);
  });

  it('keeps that somebody has accepted the terms, without saying who', async () => {
    await admin('/terms', { version: `v${count}`, text: 'Pay.' });
    await browser.call('/portal/api/terms/acceptance', { method: 'POST', json: { version: `v${count}` } });
    const [person] = (await peopleOf(second)).concat(await peopleOf(first));
    expect(person?.email).toBe(email);
    await erase({ email });
    const bodies = await Promise.all([first, second].map((id) => admin(`/organisations/${id}/terms`)));
    expect(JSON.stringify(bodies.map(({ body }) => body))).toMatch(
      /"acceptedBy":"erased-\d+@erased.invalid"/,
    );
  });

  it.each([
    [{ person: { email: 'x' }, dryRun: true }, 'person'],
    [{ person: { id: 1 } }, 'dryRun'],
  ])('is refused with %j: 400', async (json, field) => {
    expect(await admin('/people/erase', json)).toMatchObject(refusal(400, field));
  });
});

describe('GET /admin/terms', () => {
  it('lists versions with the number of organisations that accepted each, and who must accept the next', async () => {
    await admin('/terms', { version: `list ${count}`, text: '# Pay\n\nSoon.', reason: 'a new law' });
    await admin(`/organisations/${first}/accept-terms`, {});
    const { status, body } = await admin('/terms');
    const { versions, organisations, admins } = body as {
      versions: { id: number }[];
      organisations: number;
      admins: number;
    };
    expect([status, versions[0]]).toEqual([
      200,
      {
        id: expect.any(Number),
        version: `list ${count}`,
        publishedAt: expect.any(String),
        holdsFrom: null,
        accepted: 1,
      },
    ]);
    expect(organisations).toBeGreaterThanOrEqual(2);
    expect(admins).toBeGreaterThanOrEqual(3);
    expect((await admin(`/terms/${versions[0]?.id}`)).body).toMatchObject({ text: '# Pay\n\nSoon.' });
    expect((await admin('/terms/999999')).status).toBe(404);
  });
});
