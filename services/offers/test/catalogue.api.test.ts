/** GET /categories, GET /interests, and the catalogue behind them. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { categoriesReply, interestsReply } from '@offer-ads/contracts/public-api';
import { catalogue, type OffersUnderTest, startOffersUnderTest } from './offers-under-test.ts';

let under: OffersUnderTest;
beforeAll(async () => {
  under = await startOffersUnderTest();
});
afterAll(async () => {
  await under[Symbol.asyncDispose]();
});

describe('GET /categories', () => {
  it('lists what is active and open to the organisation', async () => {
    const answer = await under.call('GET', '/categories');
    expect(answer.status).toBe(200);
    expect(categoriesReply.parse(answer.body)).toEqual({
      categories: [{ category_id: 1, category_name: 'Food & Drink' }],
    });
  });

  it('lists to an organisation what is restricted to it', async () => {
    const answer = await under.call('GET', '/categories', { caller: { organisationId: 77 } });
    expect(answer.body).toMatchObject({ categories: [{ category_id: 1 }, { category_id: 3 }] });
  });

  it('is 401 without a caller', async () => {
    expect((await under.call('GET', '/categories', { headers: { 'x-caller-context': '' } })).status).toBe(
      401,
    );
  });
});

describe('GET /interests', () => {
  it('lists what is active', async () => {
    const answer = await under.call('GET', '/interests');
    expect(answer.status).toBe(200);
    expect(interestsReply.parse(answer.body)).toEqual({
      interests: [
        { interest_id: 1, interest_name: 'Hiking' },
        { interest_id: 2, interest_name: 'Cooking' },
      ],
    });
  });
});

describe('the admin catalogue', () => {
  it('is put as a whole: what is no longer named becomes inactive, and pricing hears all of it', async () => {
    await under.clearEvents();
    const next = { categories: catalogue.categories, interests: [{ interestId: 2, interestName: 'Baking' }] };
    const answer = await under.admin('PUT', '/admin/catalogue', next);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual((await under.admin('GET', '/admin/catalogue')).body);
    expect((await under.call('GET', '/interests')).body).toEqual({
      interests: [{ interest_id: 2, interest_name: 'Baking' }],
    });
    expect(await under.events()).toMatchObject([
      {
        name: 'CatalogueChanged',
        subjectVersion: 2,
        data: {
          interests: [
            { interestId: 1, interestName: 'Hiking', active: false },
            { interestId: 2, interestName: 'Baking', active: true },
            { interestId: 3, active: false },
          ],
        },
      },
    ]);
    await under.admin('PUT', '/admin/catalogue', catalogue);
  });

  it('refuses what is no catalogue, and whoever lacks the credential', async () => {
    expect((await under.admin('PUT', '/admin/catalogue', { categories: [] })).status).toBe(400);
    expect((await under.call('GET', '/admin/catalogue')).status).toBe(401);
  });
});
