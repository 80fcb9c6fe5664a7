/** GET /categories and GET /interests row by row, and the catalogue behind them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Catalogue } from '@offer-ads/contracts/admin/offers-api';
import { categoriesReply, interestsReply } from '@offer-ads/contracts/public/api';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { create, createdId } from './forms.ts';
import { type Answer, catalogue, type OffersUnderTest, startOffersUnderTest } from './offers-under-test.ts';

let under: OffersUnderTest;
beforeAll(async () => {
  under = await startOffersUnderTest();
});
afterAll(async () => {
  await under[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await under.admin('PUT', '/admin/catalogue', catalogue);
  await under.clearEvents();
});

describe('GET /categories', () => {
  it('200: lists what is active and available to the organisation, with exactly the fields of the specification', async () => {
    const answer = await under.call('GET', '/categories');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ categories: [{ category_id: 1, category_name: 'Food & Drink' }] });
    expect(categoriesReply.parse(answer.body)).toEqual(answer.body);
  });

  it('200: lists to an organisation what is restricted to it, in either mode', async () => {
    for (const mode of ['TEST', 'LIVE'] as const) {
      const answer = await under.call('GET', '/categories', { caller: { organisationId: 77, mode } });
      expect(answer.body).toEqual({
        categories: [
          { category_id: 1, category_name: 'Food & Drink' },
          { category_id: 3, category_name: 'Only for 77' },
        ],
      });
    }
  });

  it('200: is an empty list when nothing is available', async () => {
    await under.admin('PUT', '/admin/catalogue', { categories: [], interests: [] });
    expect((await under.call('GET', '/categories')).body).toEqual({ categories: [] });
  });
});

describe('GET /interests', () => {
  it('200: lists what is active, with exactly the fields of the specification', async () => {
    const answer = await under.call('GET', '/interests');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      interests: [
        { interest_id: 1, interest_name: 'Hiking' },
        { interest_id: 2, interest_name: 'Cooking' },
      ],
    });
    expect(interestsReply.parse(answer.body)).toEqual(answer.body);
  });

  it('200: is an empty list when there are none', async () => {
    await under.admin('PUT', '/admin/catalogue', { categories: [], interests: [] });
    expect((await under.call('GET', '/interests')).body).toEqual({ interests: [] });
  });
});

describe.each(['/categories', '/interests'])('%s', (path) => {
  it('is 401 without a caller', async () => {
    for (const context of ['', 'x', 'x.y']) {
      const answer = await under.call('GET', path, { headers: { 'x-caller-context': context } });
      expect([answer.status, answer.body]).toEqual([401, { message: 'Unauthorised' }]);
    }
  });

  it('is 500 without any detail when something is broken', async () => {
    const table = path.slice(1);
    await under.postgres.query(`ALTER TABLE ${table} RENAME TO ${table}_away`);
    const answer = await under.call('GET', path);
    await under.postgres.query(`ALTER TABLE ${table}_away RENAME TO ${table}`);
    expect([answer.status, answer.body]).toEqual([500, { message: 'Internal server error' }]);
  });

  it('takes no parameters and minds none', async () => {
    const plain = await under.call('GET', path);
    for (const query of ['?limit=0', '?environment=LIVE', '?a[b]=c&a[b]=d', '?%', '?__proto__=x']) {
      expect(await under.call('GET', path + query)).toMatchObject({ status: 200, body: plain.body });
    }
  });

  it('is 404 for a method that the specification does not name', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect(await under.call(method, path)).toMatchObject({ status: 404, body: { message: 'Not found' } });
  });
});

describe('the admin catalogue', () => {
  const interestNamed = (interestName: string) => ({
    ...catalogue,
    interests: [{ interestId: 2, interestName }],
  });

  it('is put as a whole: what is no longer named becomes inactive, and pricing hears all of it', async () => {
    const { version } = (await under.admin('GET', '/admin/catalogue')).body as Catalogue;
    const answer = await under.admin('PUT', '/admin/catalogue', interestNamed('Baking'));
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual((await under.admin('GET', '/admin/catalogue')).body);
    expect((await under.call('GET', '/interests')).body).toEqual({
      interests: [{ interest_id: 2, interest_name: 'Baking' }],
    });
    const [event, ...more] = await under.events();
    expect(more).toEqual([]);
    expect(event).toEqual({
      name: 'CatalogueChanged',
      subjectVersion: version + 1,
      data: {
        // To whom a category is restricted concerns nobody else.
        categories: [
          { categoryId: 1, categoryName: 'Food & Drink', active: true },
          { categoryId: 2, categoryName: 'Retired', active: false },
          { categoryId: 3, categoryName: 'Only for 77', active: true },
        ],
        interests: [
          { interestId: 1, interestName: 'Hiking', active: false },
          { interestId: 2, interestName: 'Baking', active: true },
          { interestId: 3, interestName: 'Retired', active: false },
        ],
      },
    });
  });

  it.each([
    ['no interests', { categories: [] }, /interests/],
    [
      'an id twice',
      { ...catalogue, categories: [...catalogue.categories, catalogue.categories[0]] },
      /each categoryId once/,
    ],
    [
      'an id too large',
      { categories: [{ categoryId: 2 ** 31, categoryName: 'x' }], interests: [] },
      /categoryId/,
    ],
    [
      'an organisation too large',
      { categories: [{ categoryId: 1, categoryName: 'x', organisationIds: [2 ** 31] }], interests: [] },
      /organisationIds/,
    ],
    [
      'a name with NUL',
      { categories: [{ categoryId: 1, categoryName: 'x\0' }], interests: [] },
      /categoryName/,
    ],
    ['an empty name', { categories: [], interests: [{ interestId: 1, interestName: ' ' }] }, /interestName/],
  ])('refuses one with %s, names the place, and changes nothing', async (_, wanted, message) => {
    const before = (await under.admin('GET', '/admin/catalogue')).body;
    const answer = await under.admin('PUT', '/admin/catalogue', wanted);
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringMatching(message) } });
    expect((await under.admin('GET', '/admin/catalogue')).body).toEqual(before);
    expect(await under.events()).toEqual([]);
  });

  it('is for who has the credential', async () => {
    expect((await under.call('GET', '/admin/catalogue')).status).toBe(401);
    expect((await under.call('PUT', '/admin/catalogue')).status).toBe(401);
  });

  it('is replaced only while it is of the version that is meant, if one is', async () => {
    const { version } = (await under.admin('GET', '/admin/catalogue')).body as Catalogue;
    const stale = await under.admin('PUT', '/admin/catalogue', {
      ...interestNamed('Late'),
      version: version - 1,
    });
    expect(stale).toMatchObject({
      status: 409,
      body: { message: 'The catalogue has changed since that version, look at it again' },
    });
    expect(await under.events()).toEqual([]);
    const right = await under.admin('PUT', '/admin/catalogue', { ...interestNamed('Right'), version });
    expect(right).toMatchObject({ status: 200, body: { version: version + 1 } });
  });

  /** On a busy machine some wait too long for their turn: they are told 503, have changed nothing and come again. */
  async function replace(wanted: object): Promise<Answer> {
    return eventually(async () => {
      const answer = await under.admin('PUT', '/admin/catalogue', wanted);
      if (answer.status !== 200) throw new Error(`not replaced: ${answer.status}`);
      return answer;
    });
  }

  it('is always one whole, however many replace it at once, and is told in the order in which it changed', async () => {
    const wanted = Array.from({ length: 12 }, (_, index) => ({
      categories: [{ categoryId: 1, categoryName: `Food ${index}` }],
      interests: [{ interestId: 1, interestName: `Hiking ${index}` }],
    }));
    const reading = Array.from({ length: 12 }, () => under.admin('GET', '/admin/catalogue'));
    const answers = await Promise.all(wanted.map(replace));
    const numberIn = (name: string) => name.split(' ').at(-1);
    for (const { body } of await Promise.all(reading)) {
      const { categories, interests } = body as Catalogue;
      const first = categories[0]!.categoryName;
      if (first !== 'Food & Drink') expect(numberIn(interests[0]!.interestName)).toBe(numberIn(first));
    }
    const versions = answers.map(({ body }) => (body as Catalogue).version);
    expect(new Set(versions).size).toBe(12);
    const events = await under.events();
    expect(events.map((event) => event.subjectVersion)).toEqual(versions.toSorted((a, b) => a - b));
    const last = answers.find(({ body }) => (body as Catalogue).version === Math.max(...versions));
    expect((await under.admin('GET', '/admin/catalogue')).body).toEqual(last?.body);
  });

  it('lets one of many through that mean the same version', async () => {
    const { version } = (await under.admin('GET', '/admin/catalogue')).body as Catalogue;
    const names = ['a', 'b', 'c', 'd', 'e'];
    const answers = await Promise.all(
      names.map((name) => under.admin('PUT', '/admin/catalogue', { ...interestNamed(name), version })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(4);
    expect(await under.events()).toHaveLength(1);
  });
});

describe('an offer whose category or interest is changed', () => {
  const caller = { organisationId: 40 };
  const parts = { 'interests[]': ['1', '2'] };

  async function listed(): Promise<unknown> {
    const answer = await under.call('GET', '/offers?environment=TEST&limit=1', { caller });
    const [offer] = (answer.body as { data: { category: string; interests: unknown }[] }).data;
    return { category: offer!.category, interests: offer!.interests };
  }

  it('goes on as it is and shows the names of today when they are inactive or renamed', async () => {
    const id = await createdId(under, parts, { caller });
    const hiking = { interest_id: 1, interest_name: 'Hiking' };
    await under.admin('PUT', '/admin/catalogue', { categories: [], interests: [] });
    expect(await listed()).toEqual({
      category: 'Food & Drink',
      interests: [hiking, { interest_id: 2, interest_name: 'Cooking' }],
    });
    for (const [action, code] of [
      ['pause', 'S1'],
      ['resume', 'S2'],
    ]) {
      const answer = await under.call('POST', `/offers/${id}/${action}`, { caller });
      expect(answer.body).toMatchObject({ return_code: code });
    }
    // Its name is now that of another id: the offer stays with its own.
    await under.admin('PUT', '/admin/catalogue', {
      categories: [
        { categoryId: 1, categoryName: 'Dining' },
        { categoryId: 9, categoryName: 'Food & Drink' },
      ],
      interests: [{ interestId: 2, interestName: 'Baking' }],
    });
    expect(await listed()).toEqual({
      category: 'Dining',
      interests: [hiking, { interest_id: 2, interest_name: 'Baking' }],
    });
    expect((await under.call('DELETE', `/offers/${id}`, { caller })).body).toMatchObject({
      return_code: 'S1',
    });
  });

  it('cannot be created any more, but a replay of its creation is answered', async () => {
    const key = 'a-key-from-before';
    const first = await create(under, parts, { caller, key });
    const onlyTwo = { ...catalogue, interests: [{ interestId: 2, interestName: 'Cooking' }] };
    await under.admin('PUT', '/admin/catalogue', onlyTwo);
    expect(await create(under, parts, { caller })).toMatchObject({
      status: 400,
      body: { message: 'interests[] must be ids from GET /interests, which 1 is not' },
    });
    const forOthers = [{ categoryId: 1, categoryName: 'Food & Drink', organisationIds: [41] }];
    await under.admin('PUT', '/admin/catalogue', { ...catalogue, categories: forOthers });
    expect(await create(under, parts, { caller })).toMatchObject({
      status: 400,
      body: { message: 'category_id must be an id from GET /categories' },
    });
    expect(await create(under, parts, { caller, key })).toMatchObject({ status: 200, body: first.body });
  });

  it('is created when its catalogue ids were right at their turn, whatever changes before the end', async () => {
    under.otherServices.moderation.onAsked = async () => {
      await under.admin('PUT', '/admin/catalogue', { categories: [], interests: [] });
    };
    expect((await create(under, parts, { caller })).body).toMatchObject({ return_code: 'S1' });
    under.otherServices.reset();
  });
});
