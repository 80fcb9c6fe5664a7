/** The portal's list: figures, search, order, deleted offers; commands for many offers; files. */
import { describe, expect, it } from '@jest/globals';
import { BalanceCredited } from '@offer-ads/contracts/events/billing';
import { OfferViewed } from '@offer-ads/contracts/events/community';
import { bulkReply, type PortalListReply, portalListReply } from '@offer-ads/contracts/portal/offers-api';
import { MAX_OFFERS_AT_ONCE } from '@offer-ads/contracts/values/offers-list';
import { writeRankedCursor } from '../../src/domain/portal-listing.ts';
import { byCard, create, createdId, startingNow } from '../forms.ts';
import { offersUnderTest } from '../offers-under-test.ts';
import { itemsOfPages } from '../pages.ts';
import { credited } from '../payments.ts';
import { seeOffer } from '../placements/placing.ts';

const HOUR = 3_600_000;
const under = offersUnderTest();
const get = (path: string, caller = {}) => under.call('GET', `/portal${path}`, { caller });

async function list(query: string, caller = {}): Promise<PortalListReply> {
  const { status, body } = await get(`/offers?${query}`, caller);
  expect(status).toBe(200);
  return portalListReply.parse(body);
}
const idsOf = async (query: string, caller = {}) =>
  (await list(query, caller)).data.map(({ offer_id: id }) => id);
const idsOfPages = (query: string) =>
  itemsOfPages(async (cursor) => {
    const { data, pagination, only_newest } = await list(`${query}&limit=1${cursor && `&cursor=${cursor}`}`);
    expect(only_newest).toBe(false);
    return { items: data.map(({ offer_id: id }) => id), next: pagination.next_cursor };
  });

const see = (id: number, views: number, clicks: number) => seeOffer(under, id, { views, clicks });

describe('the figures', () => {
  it('are all views and clicks that count, and the price less what was credited, once per event', async () => {
    const id = await createdId(under, startingNow);
    const unpaid = (await create(under, { ...startingNow, ...byCard })).body as { offer_id: number };
    await see(id, 3, 1);
    const viewer = { viewer: 'a-member', viewedAt: under.clock.now().toISOString() };
    for (let n = 0; n < 2; n += 1) await under.deliver(OfferViewed, { offerId: id, ...viewer });
    await under.deliver(OfferViewed, { offerId: id, viewedAt: viewer.viewedAt, automated: true });
    under.clock.advance(5 * HOUR);
    await see(id, 1, 1);
    const event = '0b1c5d0e-6f5a-4c7e-9d2f-1a2b3c4d5e6f';
    for (let n = 0; n < 2; n += 1) await under.deliver(BalanceCredited, credited(id, 250), event);
    const { data } = await list('');
    expect(
      data.map(({ offer_id, views, clicks, spend_minor }) => [offer_id, views, clicks, spend_minor]),
    ).toEqual([
      [unpaid.offer_id, 0, 0, '0'],
      [id, 5, 2, '750'],
    ]);
    // They are those of the charts.
    const series = await get(`/offers/${id}/analytics/series?interval=all`);
    expect(series.body).toMatchObject({ metrics: { views: 5, clicks: 2 } });
  });
});

describe('the search', () => {
  it('finds a part of the title in any case, and a number, of the own offers only', async () => {
    const coffee = await createdId(under, { ...startingNow, title: 'Two COFFEES for one' });
    const tea = await createdId(under, { ...startingNow, title: '100% tea_time' });
    expect(await idsOf('search=coffee')).toEqual([coffee]);
    expect(await idsOf(`search=${encodeURIComponent('100% tea_')}`)).toEqual([tea]);
    // They are no wild cards.
    expect(await idsOf(`search=${encodeURIComponent('t%e')}`)).toEqual([]);
    expect(await idsOf(`search=${tea}`)).toEqual([tea]);
    expect(await idsOf('search=coffee', { organisationId: 2 })).toEqual([]);
    expect(await idsOf('search=coffee', { mode: 'LIVE' })).toEqual([]);
    expect(await idsOf('search=coffee&offer_status=ended')).toEqual([]);
  });

  it('goes on page by page, with every filter', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      ids.unshift(
        await createdId(under, { ...startingNow, title: n % 2 === 0 ? `Coffee ${n}` : `Tea ${n}` }),
      );
      under.clock.advance(1_000);
    }
    const found = await idsOfPages('search=coffee&offer_status=active');
    expect(found).toEqual(ids.filter((_, index) => index % 2 === 0));
  });
});

describe('the order', () => {
  it('is by views, clicks, spend or end, page by page, without an offer twice', async () => {
    const ids: number[] = [];
    for (let n = 0; n < 4; n += 1)
      ids.push(await createdId(under, { ...startingNow, expiry_datetime: `2026-06-0${5 - n}T12:00:00Z` }));
    const [a = 0, b = 0, c = 0, d = 0] = ids;
    await see(b, 3, 0);
    await see(c, 3, 2);
    await see(d, 1, 1);
    await under.deliver(BalanceCredited, credited(a, 600));
    const all = (sort: string) => idsOfPages(`sort=${sort}`);
    expect(await all('most_views')).toEqual([c, b, d, a]);
    expect(await all('most_clicks')).toEqual([c, d, b, a]);
    expect(await all('most_spend')).toEqual([d, c, b, a]);
    expect(await all('ending_soon')).toEqual([d, c, b, a]);
    expect(await idsOf('sort=most_views&search=two&offer_status=active')).toEqual([c, b, d, a]);
  });

  it('by the end leaves out what has ended, also by the test clock, and keeps the filters', async () => {
    const soon = await createdId(under, { ...startingNow, expiry_datetime: '2026-06-01T13:00:00Z' });
    const later = await createdId(under, { ...startingNow, expiry_datetime: '2026-06-03T13:00:00Z' });
    await under.call('POST', `/offers/${later}/pause`);
    expect(await idsOf('sort=ending_soon')).toEqual([soon, later]);
    expect(await idsOf('sort=ending_soon&offer_status=paused')).toEqual([later]);
    expect(await idsOf('sort=ending_soon&status=disabled')).toEqual([]);
    under.clock.set('2026-06-01T13:00:00Z');
    expect(await idsOf('sort=ending_soon')).toEqual([later]);
  });

  it('by the end takes cursors at the ends of time, and refuses those beyond', async () => {
    await createdId(under, startingNow);
    const answerTo = async (rank: number) => {
      const cursor = writeRankedCursor('ending_soon', { rank, offerId: 1 });
      return (await get(`/offers?sort=ending_soon&cursor=${cursor}`)).status;
    };
    expect(await answerTo(0)).toBe(200);
    expect(await answerTo(8_640_000_000_000_000)).toBe(200);
    expect(await answerTo(8_640_000_000_000_001)).toBe(400);
  });

  it('of an unknown name is 400', async () => {
    expect(await get('/offers?sort=best')).toMatchObject({ status: 400, body: { return_code: 'E1' } });
  });
});

describe('deleted offers', () => {
  it('are listed only when they are asked for, with their figures', async () => {
    const kept = await createdId(under, startingNow);
    const gone = await createdId(under, startingNow);
    await see(gone, 2, 1);
    await under.call('DELETE', `/offers/${gone}`);
    expect(await idsOf('')).toEqual([kept]);
    expect(await idsOf('sort=most_views')).toEqual([kept]);
    const { data } = await list('offer_status=deleted');
    expect(data).toMatchObject([{ offer_id: gone, views: 2, clicks: 1, offer_status: 'Active' }]);
    expect(data[0]?.deleted_datetime).not.toBeNull();
    expect(await idsOf('offer_status=deleted&search=two')).toEqual([gone]);
    expect(await idsOf('offer_status=deleted&sort=most_clicks')).toEqual([gone]);
    expect(await idsOf('offer_status=deleted', { organisationId: 2 })).toEqual([]);
    expect((await under.call('GET', '/offers?environment=test&offer_status=deleted')).status).toBe(400);
  });
});

describe('a command for many offers', () => {
  const send = async (action: string, offerIds: readonly unknown[], caller = {}) =>
    under.call('POST', `/portal/offers/${action}`, { caller, json: { offer_ids: offerIds } });

  it('does each by itself, and says which were refused and why', async () => {
    const active = await createdId(under, startingNow);
    const paused = await createdId(under, startingNow);
    await under.call('POST', `/offers/${paused}/pause`);
    const foreign = await createdId(under, startingNow, { caller: { organisationId: 2 } });
    await under.clearEvents();
    const { status, body } = await send('pause', [paused, active, foreign, 999_999]);
    expect(status).toBe(200);
    expect(bulkReply.parse(body).results).toEqual([
      { offer_id: paused, done: false, message: 'Offer is already paused' },
      { offer_id: active, done: true, message: 'Offer has been paused' },
      { offer_id: foreign, done: false, message: 'Offer not found' },
      { offer_id: 999_999, done: false, message: 'Offer not found' },
    ]);
    expect(await under.events()).toMatchObject([{ name: 'OfferPaused', data: { offerId: active } }]);
    expect((await send('resume', [active, paused])).body).toMatchObject({
      results: [{ done: true }, { done: true }],
    });
    expect(await idsOf('offer_status=active')).toEqual([paused, active]);
  });

  it.each([
    ['none', []],
    ['the same twice', [1, 1]],
    ['too many', Array.from({ length: MAX_OFFERS_AT_ONCE + 1 }, (_, n) => n + 1)],
    ['no numbers', ['1']],
    ['a number above all ids', [1, 2 ** 31]],
  ])('is 400 for %s', async (_, offerIds) => {
    expect(await send('pause', offerIds)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('offer_ids') },
    });
  });
});

describe('files', () => {
  it('have the offers of the list, newest first, for a spreadsheet', async () => {
    await createdId(under, { ...startingNow, title: '=1+1, "now"' });
    under.clock.advance(1_000);
    const coffee = await createdId(under, { ...startingNow, title: 'Coffee' });
    await see(coffee, 8, 1);
    const { status, headers, body } = await get('/offers.csv');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(headers.get('content-disposition')).toBe('attachment; filename="offers-test.csv"');
    const lines = String(body).split('\r\n');
    expect(lines).toHaveLength(4);
    expect(lines[1]).toMatch(
      new RegExp(
        `^${coffee},Coffee,"51.5074, -0.1278",Active,no,.*,8,1,12.5,GBP,10.00,10.00,10.00,1250.00,50$`,
      ),
    );
    expect(lines[2]).toContain(`,"'=1+1, ""now""","51.5074, -0.1278",Active,`);
    expect(
      String((await get('/offers.csv?search=coffee&offer_status=active')).body).split('\r\n'),
    ).toHaveLength(3);
    expect(String((await get('/offers.csv?offer_status=deleted')).body).split('\r\n')).toHaveLength(2);
    expect((await get('/offers.csv?offer_status=gone')).status).toBe(400);

    const toImport = String((await get('/offers.csv?columns=import')).body).split('\r\n');
    expect(toImport[0]).toBe(
      '\uFEFFlabel,title,description,terms_and_conditions,advertised_name,url,category_id,latitude,longitude,radius,gender,interests,start_datetime,expiry_datetime,image_offer_id',
    );
    expect(toImport[1]).toBe(
      `,Coffee,Two coffees for the price of one,,,https://cafe.example/two-for-one,1,51.5074,-0.1278,10,,,2026-06-01T12:00:00.000Z,2026-06-01T23:00:00.000Z,${coffee}`,
    );
  });

  it('have the points of a chart', async () => {
    const id = await createdId(under, startingNow);
    await see(id, 2, 1);
    const { body } = await get(`/offers/${id}/analytics.csv?interval=24h&time_zone=Europe/London`);
    const lines = String(body).split('\r\n');
    expect(lines[0]).toBe('\uFEFFFrom (UTC),From (Europe/London),Views,Clicks,Clicks per 100 views');
    expect(lines.at(-2)).toBe('2026-06-01T12:00:00.000Z,2026-06-01 13:00,2,1,50');
    expect((await get(`/offers/999999/analytics.csv?interval=24h`)).status).toBe(404);
    expect((await get(`/offers/${id}/analytics.csv?interval=24h&time_zone=Nowhere`)).status).toBe(400);
  });
});
