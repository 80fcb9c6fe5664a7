/** GET /offers and GET /offers/{offer_id}; listing-status.int.test.ts compares filters and pages with the domain. */
import { describe, expect, it } from '@jest/globals';
import { type ListReply, listReply, type OfferReply, offerReply } from '@offer-ads/contracts/public/api';
import { byField } from '@offer-ads/contracts/values/offer-texts';
import { coded } from '../creation/refusals.ts';
import { byCard, copyOffer, create, createdId, formOf, startingNow } from '../forms.ts';
import { offersUnderTest } from '../offers-under-test.ts';
import { itemsOfPages } from '../pages.ts';
import { pay } from '../payments.ts';

const under = offersUnderTest();

async function list(query = '', caller = {}): Promise<ListReply> {
  const answer = await under.call('GET', `/offers?environment=TEST&${query}`, { caller });
  expect(answer.status).toBe(200);
  return listReply.parse(answer.body);
}

async function idsOf(query = '', caller = {}): Promise<number[]> {
  return (await list(query, caller)).data.map((offer) => offer.offer_id);
}

describe('200', () => {
  it('has every field of an offer', async () => {
    const parts = { 'gender[]': ['Female'], 'interests[]': ['2', '1'], advertised_name: 'The Bean' };
    const id = await createdId(under, parts);
    expect((await list()).data).toEqual([
      {
        offer_id: id,
        ...byField(() => ''),
        title: 'Two for one',
        category: 'Food & Drink',
        description: 'Two coffees for the price of one',
        advertised_name: 'The Bean',
        url: 'https://cafe.example/two-for-one',
        image: expect.stringMatching(
          /^http:\/\/images\.test\/images\/[0-9a-f]{64}-[0-9a-f]{16}-320x240\.jpg\?expires=\d+&signature=/,
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
    const pagination = { limit: 20, count: 0, has_more: false, next_cursor: null };
    expect(await list()).toEqual({ data: [], pagination });
  });

  it('goes through all offers newest first, although new ones come in between the pages', async () => {
    const ids: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      // Two of them have the same creation time.
      if (count !== 3) under.clock.advance(1_000);
      ids.unshift(await createdId(under));
    }
    const pages: ListReply[] = [];
    const listed = await itemsOfPages(async (cursor) => {
      const page = await list(`limit=2${cursor && `&cursor=${cursor}`}`);
      pages.push(page);
      await createdId(under);
      return { items: page.data, next: page.pagination.next_cursor };
    });
    expect(listed.map((offer) => offer.offer_id)).toEqual(ids);
    expect(pages.map((page) => page.pagination.count)).toEqual([2, 2, 1]);
    expect(pages.map((page) => page.pagination.has_more)).toEqual([true, true, false]);
  });

  it('is of the organisation and mode only; a cursor of another organisation grants nothing', async () => {
    await createdId(under, {}, { caller: { organisationId: 2 } });
    await createdId(under, {}, { caller: { organisationId: 2 } });
    const { next_cursor: cursor } = (await list('limit=1', { organisationId: 2 })).pagination;
    expect(await idsOf(`cursor=${cursor}`)).toEqual([]);
    expect(await idsOf(`cursor=${cursor}`, { organisationId: 2 })).toHaveLength(1);
    const ofLive = await under.call('GET', '/offers?environment=live', {
      caller: { organisationId: 2, mode: 'LIVE' },
    });
    expect(ofLive.body).toMatchObject({ data: [] });
  });

  it('takes bounds and cursors at the ends of time', async () => {
    const id = await createdId(under);
    const all = 'created_after=0000-01-01T00:00:00Z&created_before=9999-12-31T23:59:59.999Z';
    expect(await idsOf(all)).toEqual([id]);
    expect(await idsOf(`${all}&offer_status=ended`)).toEqual([]);
    expect(await idsOf('cursor=zzzzzzzzzz-zik0zj')).toEqual([id]);
    expect(await idsOf(`${all}&cursor=0-1`)).toEqual([]);
  });

  it('has up to 100 offers on a page', async () => {
    await copyOffer(under, await createdId(under), 100);
    const { data, pagination } = await list('limit=100');
    expect(new Set(data.map((offer) => offer.offer_id)).size).toBe(100);
    expect(pagination).toMatchObject({ limit: 100, count: 100, has_more: true });
  });

  it('filters by status and creation time', async () => {
    const active = await createdId(under, startingNow);
    const unpaid = await createdId(under, byCard);
    under.clock.set('2026-06-01T12:30:00Z');
    const scheduled = await createdId(under);
    expect(await idsOf('offer_status=active')).toEqual([active]);
    expect(await idsOf('offer_status=AWAITING_PAYMENT')).toEqual([unpaid]);
    expect(await idsOf('created_after=2026-06-01T12:30:00Z')).toEqual([scheduled]);
    expect(await idsOf('created_before=2026-06-01T14:00:00%2B02:00')).toEqual([unpaid, active]);
    under.clock.set('2026-06-01T23:00:00Z');
    expect(await idsOf('offer_status=ended')).toEqual([scheduled, unpaid, active]);
  });
});

it.each(['', '?environment=prod', '?environment=test&limit=101', '?environment=test&cursor=1-1&cursor=1-1'])(
  '400 for %j',
  async (query) => {
    expect(await under.call('GET', `/offers${query}`)).toMatchObject({
      status: 400,
      body: { return_code: 'E1', status: 'Error', code: 400 },
    });
  },
);

it.each(['live', 'LIVE'])('403 for environment=%s with a key of TEST mode', async (environment) => {
  expect(await under.call('GET', `/offers?environment=${environment}`)).toMatchObject(
    coded('E1', 403, 'This key works in TEST mode only, environment must be TEST'),
  );
});

describe('GET /offers/{offer_id}', () => {
  async function read(id: number): Promise<OfferReply> {
    const { status, body } = await under.call('GET', `/offers/${id}`);
    expect(status).toBe(200);
    return offerReply.parse(body);
  }

  it('has what the listing shows of the offer', async () => {
    const id = await createdId(under, startingNow);
    const [listed] = (await list()).data;
    expect(await read(id)).toEqual({
      ...listed,
      payment_url: null,
      group_id: null,
      place_label: null,
      disabled_reason: null,
      matching_users: 50,
      actions: ['pause', 'edit', 'delete'],
    });
  });

  it('has the payment link as long as the offer can be paid', async () => {
    const { body } = await create(under, { ...startingNow, ...byCard });
    const { offer_id: id, payment_url: url } = body as { offer_id: number; payment_url: string };
    expect(await read(id)).toMatchObject({ payment_url: url, actions: ['pay', 'edit', 'delete'] });
    await pay(under, id);
    expect(await read(id)).toMatchObject({ payment_url: null, actions: ['pause', 'edit', 'delete'] });
  });

  it.each([
    ['Awaiting Payment', { ...startingNow, ...byCard }, '', '12:00'],
    ['Scheduled', {}, '', '12:00'],
    ['Active', startingNow, '', '12:00'],
    ['Paused', startingNow, 'pause', '12:00'],
    ['Ended', startingNow, '', '23:00'],
  ])('names exactly the commands that an offer accepts that is %s', async (status, parts, before, now) => {
    const commands = [
      ['pause', 'POST', '/pause'],
      ['resume', 'POST', '/resume'],
      ['edit', 'PATCH', ''],
      ['delete', 'DELETE', ''],
    ] as const;
    for (const [action, method, path] of commands) {
      under.clock.set('2026-06-01T12:00:00Z');
      const { body: created } = await create(under, parts);
      const id = (created as { offer_id: number }).offer_id;
      if (before !== '') await under.call('POST', `/offers/${id}/${before}`);
      under.clock.set(`2026-06-01T${now}:00Z`);
      const offer = await read(id);
      expect(offer.offer_status).toBe(status);
      const o = action === 'edit' ? { body: formOf({ title: 'Three for one' }) } : {};
      const { body } = await under.call(method, `/offers/${id}${path}`, o);
      const accepted = (body as { return_code: string }).return_code.startsWith('S');
      expect([action, offer.actions.includes(action)]).toEqual([action, accepted]);
    }
  });
});
