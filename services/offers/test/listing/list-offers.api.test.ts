/** GET /offers */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ListReply, listReply } from '@offer-ads/contracts/public/api';
import { createdId, startingNow } from '../forms.ts';
import { type OffersUnderTest, startOffersUnderTest } from '../offers-under-test.ts';

let under: OffersUnderTest;
beforeAll(async () => {
  under = await startOffersUnderTest();
});
afterAll(async () => {
  await under[Symbol.asyncDispose]();
});

async function list(organisationId: number, query: string): Promise<ListReply> {
  const answer = await under.call('GET', `/offers?environment=TEST&${query}`, { caller: { organisationId } });
  expect(answer.status).toBe(200);
  return listReply.parse(answer.body);
}

async function idsOf(organisationId: number, query: string): Promise<number[]> {
  return (await list(organisationId, query)).data.map((offer) => offer.offer_id);
}

describe('200', () => {
  it('shows every field of an offer as it was created', async () => {
    const caller = { organisationId: 10 };
    const id = await createdId(
      under,
      { 'gender[]': ['Female'], 'interests[]': ['2', '1'], advertised_name: 'The Bean' },
      { caller },
    );
    const { data } = await list(10, '');
    expect(data).toEqual([
      {
        offer_id: id,
        title: 'Two for one',
        category: 'Food & Drink',
        description: 'Two coffees for the price of one',
        terms_and_conditions: '',
        advertised_name: 'The Bean',
        url: 'https://cafe.example/two-for-one',
        image: expect.stringMatching(
          /^http:\/\/images\.test\/images\/[0-9a-f]{64}-[0-9a-f]{16}\.jpg\?expires=\d+&signature=/,
        ),
        latitude: 51.5074,
        longitude: -0.1278,
        radius: 10,
        gender: ['Female'],
        interests: [
          { interest_id: 1, interest_name: 'Hiking' },
          { interest_id: 2, interest_name: 'Cooking' },
        ],
        start_datetime: '2026-06-01T13:00:00.000Z',
        expiry_datetime: '2026-06-01T23:00:00.000Z',
        creation_datetime: '2026-06-01T12:00:00.000Z',
        offer_status: 'Scheduled',
        status: 'enabled',
      },
    ]);
  });

  it('is empty when nothing matches', async () => {
    const answer = await under.call('GET', '/offers?environment=test', { caller: { organisationId: 999 } });
    expect(answer.body).toEqual({
      data: [],
      pagination: { limit: 20, count: 0, has_more: false, next_cursor: null },
    });
  });

  it('goes through all offers newest first, although new ones come in between the pages', async () => {
    const caller = { organisationId: 11 };
    const ids: number[] = [];
    for (let i = 0; i < 5; i += 1) {
      // Two of them share their creation time.
      if (i !== 3) under.clock.advance(1_000);
      ids.push(await createdId(under, {}, { caller }));
    }
    const pages: ListReply[] = [];
    let query: string | null = 'limit=2';
    while (query !== null) {
      const page = await list(11, query);
      pages.push(page);
      query = page.pagination.has_more ? `limit=2&cursor=${page.pagination.next_cursor}` : null;
      await createdId(under, {}, { caller });
    }
    const seen = pages.flatMap((page) => page.data.map((offer) => offer.offer_id));
    expect(seen).toEqual(ids.toReversed());
    expect(pages.map((page) => page.pagination.count)).toEqual([2, 2, 1]);
    expect(pages.at(-1)?.pagination.next_cursor).toBeNull();
  });

  it('shows none twice and passes none over when offers between the pages are deleted, the last one shown too', async () => {
    const caller = { organisationId: 18 };
    const ids: number[] = [];
    for (let i = 0; i < 6; i += 1) ids.unshift(await createdId(under, {}, { caller }));
    const first = await list(18, 'limit=2');
    for (const id of [ids[0], ids[1], ids[2]]) await under.call('DELETE', `/offers/${id}`, { caller });
    const cursor = first.pagination.next_cursor;
    expect(await idsOf(18, `limit=100&cursor=${cursor}`)).toEqual(ids.slice(3));
  });

  it('goes on from a cursor of any other page: of another filter, range or size, and of another organisation', async () => {
    const caller = { organisationId: 19 };
    under.clock.set('2026-06-01T12:00:00Z');
    const oldest = await createdId(under, startingNow, { caller });
    const older = await createdId(under, {}, { caller });
    under.clock.set('2026-06-01T12:10:00Z');
    const active = await createdId(under, { start_datetime: '2026-06-01T12:10:00Z' }, { caller });
    const newest = await createdId(under, {}, { caller });
    const cursor = (await list(19, 'limit=1')).pagination.next_cursor;
    expect(await idsOf(19, `offer_status=active&cursor=${cursor}`)).toEqual([active, oldest]);
    expect(await idsOf(19, `created_before=2026-06-01T12:05:00Z&cursor=${cursor}`)).toEqual([older, oldest]);
    expect(await idsOf(19, `created_before=2026-06-01T13:00:00Z&cursor=${cursor}`)).toEqual([
      active,
      older,
      oldest,
    ]);
    // A cursor is a place and grants nothing: what it was made from is not looked at.
    await createdId(under, {}, { caller: { organisationId: 20 } });
    const foreign = (await list(19, 'limit=2')).pagination.next_cursor;
    expect(await idsOf(20, `cursor=${foreign}`)).toEqual([]);
    expect(await idsOf(20, '')).not.toContain(newest);
    under.clock.set('2026-06-01T12:00:00Z');
  });

  it('takes bounds and cursors at the ends of time', async () => {
    const organisationId = 21;
    const id = await createdId(under, {}, { caller: { organisationId } });
    const all = 'created_after=0000-01-01T00:00:00Z&created_before=9999-12-31T23:59:59.999Z';
    expect(await idsOf(organisationId, all)).toEqual([id]);
    expect(await idsOf(organisationId, `${all}&offer_status=ended`)).toEqual([]);
    expect(await idsOf(organisationId, 'cursor=zzzzzzzzzz-zik0zj')).toEqual([id]);
    expect(await idsOf(organisationId, `${all}&cursor=0-1`)).toEqual([]);
    expect(
      await idsOf(organisationId, 'created_after=2026-06-02T00:00:00Z&created_before=2026-06-01T00:00:00Z'),
    ).toEqual([]);
  });

  it('has 20 offers on a page unless another number is asked for, 100 at most', async () => {
    const caller = { organisationId: 17, quota: { perPerson: 200, perOrganisation: 200 } };
    under.otherServices.billing.balanceMinor = 2_000_00n;
    const ids: number[] = [];
    for (let count = 0; count < 101; count += 1) ids.unshift(await createdId(under, {}, { caller }));
    under.otherServices.reset();
    const page = async (query: string) => {
      const { data, pagination } = await list(17, query);
      return { ids: data.map((offer) => offer.offer_id), ...pagination, next_cursor: null };
    };
    const shown = (count: number) => ({
      ids: ids.slice(0, count),
      limit: count,
      count,
      has_more: true,
      next_cursor: null,
    });
    expect(await page('')).toEqual(shown(20));
    expect(await page('limit=1')).toEqual(shown(1));
    expect(await page('limit=100')).toEqual(shown(100));
  });

  it('filters by what the status is now', async () => {
    const caller = { organisationId: 12 };
    const from = under.clock.now();
    under.clock.set('2026-06-01T12:00:00Z');
    const scheduled = await createdId(under, {}, { caller });
    const active = await createdId(under, startingNow, { caller });
    const unpaid = await createdId(under, { payment_method: 'E' }, { caller });
    const paused = await createdId(under, {}, { caller });
    await under.call('POST', `/offers/${paused}/pause`, { caller });
    const deleted = await createdId(under, {}, { caller });
    await under.call('DELETE', `/offers/${deleted}`, { caller });

    expect(await idsOf(12, 'offer_status=active')).toEqual([active]);
    expect(await idsOf(12, 'offer_status=AWAITING_PAYMENT')).toEqual([unpaid]);
    expect(await idsOf(12, 'offer_status=paused')).toEqual([paused]);
    expect(await idsOf(12, 'offer_status=ended')).toEqual([]);
    under.clock.set('2026-06-01T13:00:00Z');
    expect(await idsOf(12, 'offer_status=active')).toEqual([active, scheduled]);
    under.clock.set('2026-06-01T23:00:00Z');
    expect(await idsOf(12, 'offer_status=ended')).toEqual([paused, unpaid, active, scheduled]);
    under.clock.set(from);
  });

  it('filters by creation time, bounds included', async () => {
    const caller = { organisationId: 13 };
    under.clock.set('2026-06-01T12:00:00Z');
    const first = await createdId(under, {}, { caller });
    under.clock.set('2026-06-01T12:30:00Z');
    const second = await createdId(under, {}, { caller });
    expect(await idsOf(13, 'created_after=2026-06-01T12:30:00Z')).toEqual([second]);
    expect(await idsOf(13, 'created_before=2026-06-01T14:00:00%2B02:00')).toEqual([first]);
    under.clock.set('2026-06-01T12:00:00Z');
  });

  it("shows only the caller's organisation and mode", async () => {
    const id = await createdId(under, {}, { caller: { organisationId: 14 } });
    expect(await idsOf(15, '')).toEqual([]);
    const live = { caller: { organisationId: 14, mode: 'LIVE' as const } };
    expect((await under.call('GET', '/offers?environment=live', live)).body).toMatchObject({ data: [] });
    expect(await idsOf(14, '')).toEqual([id]);
  });

  it('says whether an admin has disabled the offer', async () => {
    const id = await createdId(under, startingNow, { caller: { organisationId: 16 } });
    await under.admin('POST', `/admin/offers/${id}/disable`);
    expect((await list(16, '')).data[0]).toMatchObject({ status: 'disabled', offer_status: 'Active' });
  });

  it('goes on when the otherServices are down', async () => {
    under.otherServices.pricing.breaks.beforeWork = 5;
    under.otherServices.billing.breaks.beforeWork = 5;
    expect(await idsOf(10, '')).toHaveLength(1);
    under.otherServices.reset();
  });
});

describe('400', () => {
  it.each([
    'limit=0',
    'limit=101',
    'limit=x',
    'cursor=x',
    'cursor=0-0',
    'cursor=zzzzzzzzzz-zzzzzz',
    'cursor=1-1&cursor=1-1',
    'offer_status=scheduled',
    'created_after=yesterday',
  ])('for %s', async (query) => {
    const answer = await under.call('GET', `/offers?environment=test&${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ return_code: 'E1', status: 'Error', code: 400 });
  });

  it.each(['', '?environment=prod'])('for a missing or unknown environment (%j)', async (query) => {
    expect((await under.call('GET', `/offers${query}`)).status).toBe(400);
  });
});

describe('403', () => {
  it.each([
    ['TEST', 'live'],
    ['TEST', 'LIVE'],
    ['LIVE', 'test'],
  ] as const)("when environment is not the key's mode, which is named: %s", async (mode, environment) => {
    const answer = await under.call('GET', `/offers?environment=${environment}`, { caller: { mode } });
    expect([answer.status, answer.body]).toEqual([
      403,
      {
        return_code: 'E1',
        status: 'Error',
        code: 403,
        message: expect.stringContaining(`works in ${mode} mode only`),
      },
    ]);
  });
});

describe('401', () => {
  it.each(['', 'x', 'x.y'])('without a signed caller context (%j)', async (context) => {
    const answer = await under.call('GET', '/offers?environment=test', {
      headers: { 'x-caller-context': context },
    });
    expect([answer.status, answer.body]).toEqual([401, { message: 'Unauthorised' }]);
  });
});

describe('500', () => {
  it('without any detail when something is broken', async () => {
    await under.postgres.query('ALTER TABLE categories RENAME TO categories_away');
    const answers = [
      await under.call('GET', '/offers?environment=test'),
      await under.call('GET', '/offers?environment=test&offer_status=active'),
    ];
    await under.postgres.query('ALTER TABLE categories_away RENAME TO categories');
    for (const { status, body } of answers)
      expect([status, body]).toEqual([500, { message: 'Internal server error' }]);
  });
});
