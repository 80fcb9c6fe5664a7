/** Places that an organisation keeps for new offers. */
import { expect, it } from '@jest/globals';
import type { SavedPlace } from '@offer-ads/contracts/portal/organisation-api';
import { forAllTests, forEachTest } from '@offer-ads/testing/for-tests';
import { organisationWithRoles } from './members.ts';
import { startPortalUnderTest } from './portal-under-test.ts';

const portal = forAllTests(() => startPortalUnderTest());
const cafe = forEachTest(() => organisationWithRoles(portal));

const soho = { name: 'Soho', latitude: 51.5136, longitude: -0.1365, radiusMiles: 5 };
const leeds = { name: 'Café Leeds 🎂', latitude: 53.8, longitude: -1.54, radiusMiles: null };
const save = (wish: object, by = cafe.marketer) => by.call('POST', '/places', wish);
const namesOf = async ({ admin } = cafe) =>
  ((await admin.call('GET', '/places')).body as { places: SavedPlace[] }).places.map(({ name }) => name);
const message = (words: string) => ({ message: expect.stringContaining(words) });

it('a place is saved, changed and deleted by those who create offers, and no other organisation sees it', async () => {
  const saved = await save({ ...soho, name: '  Soho ' });
  expect(saved).toMatchObject({ status: 201, body: { ...soho, id: expect.any(Number) } });
  await save(leeds);
  expect(await namesOf()).toEqual([leeds.name, 'Soho']);
  const { id } = saved.body as SavedPlace;

  const other = await organisationWithRoles(portal);
  expect(await namesOf(other)).toEqual([]);
  expect((await other.admin.call('PUT', `/places/${id}`, leeds)).status).toBe(404);
  expect((await other.admin.call('DELETE', `/places/${id}`)).status).toBe(404);

  const moved = { ...soho, name: 'SOHO', latitude: 51.6, radiusMiles: null };
  expect(await cafe.admin.call('PUT', `/places/${id}`, moved)).toMatchObject({
    status: 200,
    body: { id, ...moved },
  });
  const { body } = await portal.gateway.admin('GET', `/organisations/${cafe.organisationId}`);
  expect(body).toMatchObject({ savedPlaces: [leeds, { id, ...moved }] });
  expect((await cafe.marketer.call('DELETE', `/places/${id}`)).status).toBe(204);
  expect((await cafe.marketer.call('DELETE', `/places/${id}`)).status).toBe(404);
  expect(await namesOf()).toEqual([leeds.name]);
});

it('two people who save one name at once get one place, in any case of letters', async () => {
  const replies = await Promise.all([save(soho), save({ ...soho, name: 'sOHO' }, cafe.admin)]);
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
  const { id } = (await save(leeds)).body as SavedPlace;
  expect(await cafe.admin.call('PUT', `/places/${id}`, { ...leeds, name: 'soho' })).toMatchObject({
    status: 409,
    body: message('choose another name'),
  });
});

// Postgres and JavaScript do not agree about the lower case of each letter.
it.each([
  ['İzmir', 'izmir', 409],
  ['ΟΔΟΣ', 'οδοσ', 409],
  ['ΟΔΟΣ', 'οδος', 201],
])('%s is saved, and then %s is answered with %i', async (first, second, status) => {
  expect((await save({ ...soho, name: first })).status).toBe(201);
  expect(await save({ ...soho, name: second })).toMatchObject({ status });
  const { id } = (await save(leeds)).body as SavedPlace;
  const renamed = await cafe.admin.call('PUT', `/places/${id}`, { ...leeds, name: first.toLowerCase() });
  expect([200, 409]).toContain(renamed.status);
});

it('at most 200 places are saved, also by two people at once, and an organisation that goes takes them', async () => {
  const { organisationId } = cafe;
  await portal.database.query(
    `INSERT INTO saved_places (organisation_id, name, latitude, longitude)
     SELECT ${organisationId}, 'Branch ' || n, 51.5, -0.1 FROM generate_series(1, 199) n`,
  );
  const replies = await Promise.all([save(soho), save(leeds, cafe.admin)]);
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409]);
  expect(replies.find(({ status }) => status === 409)?.body).toEqual(message('At most 200'));
  const { rows } = await portal.database.query<{ rule: string }>(
    `SELECT confdeltype AS rule FROM pg_constraint WHERE conrelid = 'saved_places'::regclass AND contype = 'f'`,
  );
  expect(rows).toEqual([{ rule: 'c' }]);
});

it.each([
  [{ name: ' ' }, 'name: must not be empty'],
  [{ name: 'x'.repeat(81) }, 'name: must have at most 80 characters'],
  [{ name: 'a\nb' }, 'name: must not contain line breaks'],
  [{ name: 'evil \u202e text' }, 'name: must not contain line breaks or control characters'],
  [{ latitude: 90.1 }, 'latitude: '],
  [{ longitude: '1' }, 'longitude: '],
  [{ radiusMiles: 4 }, 'radiusMiles: '],
  [{ radiusMiles: undefined }, 'radiusMiles: '],
])('a place with %j is refused with the field and what it must be', async (wrong, words) => {
  expect(await save({ ...soho, ...wrong })).toMatchObject({ status: 400, body: message(words) });
});
