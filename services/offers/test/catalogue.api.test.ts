/** GET /categories and GET /interests row by row, and the catalogue behind them. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Catalogue } from '@offer-ads/contracts/admin/offers-api';
import { categoriesReply, interestsReply } from '@offer-ads/contracts/public/api';
import { adminRoutesAtPublicPort } from '@offer-ads/testing/admin';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { create, createdId } from './forms.ts';
import { type Answer, catalogue, offersUnderTest } from './offers-under-test.ts';

const under = offersUnderTest();
beforeEach(async () => {
  await put(catalogue);
  await under.clearEvents();
});

const put = (wanted: object) => under.admin('PUT', '/admin/catalogue', wanted);
const read = async () => (await under.admin('GET', '/admin/catalogue')).body as Catalogue;
const nothing = { categories: [], interests: [] };
const food = { category_id: 1, category_name: 'Food & Drink' };
const hiking = { interest_id: 1, interest_name: 'Hiking' };
const cooking = { interest_id: 2, interest_name: 'Cooking' };

describe.each([
  ['/categories', { categories: [food] }, { categories: [] }, categoriesReply],
  ['/interests', { interests: [hiking, cooking] }, { interests: [] }, interestsReply],
])('GET %s', (path, active, empty, schema) => {
  it('has what is active, with exactly the fields of the specification', async () => {
    const answer = await under.call('GET', path);
    expect([answer.status, answer.body]).toEqual([200, active]);
    expect(schema.parse(answer.body)).toEqual(answer.body);
  });

  it('is an empty list when nothing is active', async () => {
    await put(nothing);
    expect((await under.call('GET', path)).body).toEqual(empty);
  });
});

it('GET /categories has what is restricted to the organisation', async () => {
  const answer = await under.call('GET', '/categories', { caller: { organisationId: 77 } });
  expect(answer.body).toEqual({ categories: [food, { category_id: 3, category_name: 'Only for 77' }] });
});

describe('the admin catalogue', () => {
  const withInterest = (interestName: string) => ({
    ...catalogue,
    interests: [{ interestId: 2, interestName }],
  });

  it('is replaced as a whole: entries that are missing become inactive, and pricing gets all of it', async () => {
    const { version } = await read();
    const answer = await put(withInterest('Baking'));
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(await read());
    expect((await under.call('GET', '/interests')).body).toEqual({
      interests: [{ interest_id: 2, interest_name: 'Baking' }],
    });
    expect(await under.events()).toEqual([
      {
        name: 'CatalogueChanged',
        subjectVersion: version + 1,
        data: {
          // Without the organisations to which a category is restricted.
          categories: [
            { categoryId: 1, categoryName: 'Food & Drink', active: true },
            { categoryId: 2, categoryName: 'Inactive', active: false },
            { categoryId: 3, categoryName: 'Only for 77', active: true },
          ],
          interests: [
            { interestId: 1, interestName: 'Hiking', active: false },
            { interestId: 2, interestName: 'Baking', active: true },
            { interestId: 3, interestName: 'Inactive', active: false },
          ],
        },
      },
    ]);
  });

  const [category] = catalogue.categories;
  it.each([
    ['no interests', { categories: [] }, /interests/],
    ['an id twice', { ...catalogue, categories: [category, category] }, /each categoryId once/],
    ['an id too large', { ...nothing, categories: [{ ...category, categoryId: 2 ** 31 }] }, /categoryId/],
    [
      'an organisation too large',
      { ...nothing, categories: [{ ...category, organisationIds: [2 ** 31] }] },
      /organisationIds/,
    ],
    ['a name with NUL', { ...nothing, categories: [{ ...category, categoryName: 'x\0' }] }, /categoryName/],
    ['an empty name', { ...nothing, interests: [{ interestId: 1, interestName: ' ' }] }, /interestName/],
  ])('is not replaced by one with %s; the reply names the place', async (_, wanted, message) => {
    const before = await read();
    expect(await put(wanted)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(message) },
    });
    expect([await read(), await under.events()]).toEqual([before, []]);
  });

  it('is closed without the admin credential', async () => {
    for (const method of ['GET', 'PUT'])
      expect((await fetch(`${under.offers.adminUrl}/admin/catalogue`, { method })).status).toBe(401);
    const routes = ['/admin/catalogue', '/admin/parked', '/admin/placements/neglected'];
    expect(await adminRoutesAtPublicPort(under.offers, ...routes)).toEqual([]);
  });

  it('is replaced by one of several that name the same version, and never by one that names another', async () => {
    const { version } = await read();
    expect(await put({ ...withInterest('Late'), version: version - 1 })).toMatchObject({
      status: 409,
      body: { message: 'The catalogue has changed since that version, look at it again' },
    });
    expect(await under.events()).toEqual([]);
    const names = ['a', 'b', 'c', 'd', 'e'];
    const answers = await Promise.all(names.map((name) => put({ ...withInterest(name), version })));
    expect(answers.map(({ status }) => `${status}`).toSorted()).toEqual(['200', '409', '409', '409', '409']);
    expect(await under.events()).toMatchObject([{ subjectVersion: version + 1 }]);
  });

  /** On a busy machine a replacement may wait too long for the lock: it is 503, has changed nothing, and is sent again. */
  async function replace(wanted: object): Promise<Answer> {
    return eventually(async () => {
      const answer = await put(wanted);
      if (answer.status !== 200) throw new Error(`not replaced: ${answer.status}`);
      return answer;
    });
  }

  it('is always read whole while many replace it at once, and its events are in the order of its versions', async () => {
    const wanted = Array.from({ length: 12 }, (_, index) => ({
      categories: [{ categoryId: 1, categoryName: `Food ${index}` }],
      interests: [{ interestId: 1, interestName: `Hiking ${index}` }],
    }));
    const reading = Array.from({ length: 12 }, read);
    const answers = await Promise.all(wanted.map(replace));
    const numberIn = (name?: string) => name?.split(' ').at(-1);
    for (const { categories, interests } of await Promise.all(reading)) {
      const name = categories[0]?.categoryName;
      if (name !== 'Food & Drink') expect(numberIn(interests[0]?.interestName)).toBe(numberIn(name));
    }
    const byVersion = answers.map(({ body }) => body as Catalogue).toSorted((a, b) => a.version - b.version);
    const versions = byVersion.map(({ version }) => version);
    expect(new Set(versions).size).toBe(12);
    expect((await under.events()).map((event) => event.subjectVersion)).toEqual(versions);
    expect(await read()).toEqual(byVersion.at(-1));
  });
});

describe('an offer whose category or interest is changed', () => {
  const parts = { 'interests[]': ['1', '2'] };

  async function listed(): Promise<unknown> {
    const answer = await under.call('GET', '/offers?environment=TEST');
    const [offer] = (answer.body as { data: { category: string; interests: unknown }[] }).data;
    return { category: offer!.category, interests: offer!.interests };
  }

  it('goes on, and shows the names of today when they are inactive or renamed', async () => {
    const id = await createdId(under, parts);
    await put(nothing);
    expect(await listed()).toEqual({ category: 'Food & Drink', interests: [hiking, cooking] });
    for (const command of ['pause', 'resume'])
      expect((await under.call('POST', `/offers/${id}/${command}`)).status).toBe(200);
    // Another id has the name now. The offer keeps its own id.
    await put({
      categories: [
        { categoryId: 1, categoryName: 'Dining' },
        { categoryId: 9, categoryName: 'Food & Drink' },
      ],
      interests: [{ interestId: 2, interestName: 'Baking' }],
    });
    const baking = { interest_id: 2, interest_name: 'Baking' };
    expect(await listed()).toEqual({ category: 'Dining', interests: [hiking, baking] });
  });

  it('is created if its ids were valid when they were checked, whatever changes afterwards', async () => {
    under.otherServices.moderation.onAsked = async () => void (await put(nothing));
    expect((await create(under, parts)).body).toMatchObject({ return_code: 'S1' });
  });
});
