/** Routes that only the portal uses: prices, single offers, Scheduled offers, charts, credits in advance, simulated traffic. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { OfferViewed } from '@offer-ads/contracts/events/community';
import {
  creationReply,
  offerCreditReply,
  portalListReply,
  portalOffer,
  seriesReply,
  simulatedTrafficReply,
} from '@offer-ads/contracts/portal/offers-api';
import { analyticsReply } from '@offer-ads/contracts/public/api';
import { creditTarget } from '@offer-ads/contracts/values/unused-time';
import { byCard, create, createdId, live, startingNow } from './forms.ts';
import { type Answer, offersUnderTest } from './offers-under-test.ts';
import { pay } from './payments.ts';

const HOUR = 3_600_000;
const under = offersUnderTest();

const notFound = { status: 404, body: { message: 'Not found' } };
const get = (path: string, caller = {}): Promise<Answer> => under.call('GET', `/portal${path}`, { caller });

describe('the state of a creation', () => {
  const stateOf = async (key: string, caller = {}) =>
    creationReply.parse((await get(`/creations/${encodeURIComponent(key)}`, caller)).body);
  const nothing = { state: 'none', offer_id: null };

  it('is found by its key: none before it and after a refusal, then the offer, even a deleted one', async () => {
    const key = `order/${randomUUID()}?`;
    expect(await stateOf(key)).toEqual(nothing);
    await create(under, { title: 'x'.repeat(41) }, { key });
    expect(await stateOf(key)).toEqual(nothing);
    const offer_id = await createdId(under, {}, { key });
    expect(await stateOf(key)).toEqual({ state: 'created', offer_id });
    await under.call('DELETE', `/offers/${offer_id}`);
    expect(await stateOf(key)).toEqual({ state: 'created', offer_id });
    for (const caller of [{ organisationId: 2 }, { mode: 'LIVE' }])
      expect(await stateOf(key, caller)).toEqual(nothing);
    expect(await stateOf('no\u0000key')).toEqual(nothing);
  });

  it('is under_way, without the id of an offer that may still fail, while it is not finished', async () => {
    const key = randomUUID();
    await create(under, {}, { key });
    await under.postgres.query("UPDATE idempotency_keys SET recovery_point = 'charging', reply = NULL");
    expect(await stateOf(key)).toEqual({ state: 'under_way', offer_id: null });
  });
});

describe('one offer', () => {
  it('has its price and payment, beside what the listing shows', async () => {
    const id = await createdId(under, startingNow);
    const { body } = await under.call('GET', '/offers?environment=test');
    const [listed] = (body as { data: object[] }).data;
    const answer = await get(`/offers/${id}`);
    expect(answer.status).toBe(200);
    expect(portalOffer.parse(answer.body)).toEqual({
      ...listed,
      category_id: 1,
      payment_method: 'B',
      payment_url: null,
      paid_datetime: expect.any(String),
      disabled_reason: null,
      currency: 'GBP',
      cost_minor: '1000',
      vat_minor: '0',
      deleted_datetime: null,
      credited_minor: null,
      review_waiting_datetime: null,
      views: 0,
      clicks: 0,
      spend_minor: '1000',
    });
  });

  it('that was deleted has its last facts and what is credited, and neither others nor the public API have it', async () => {
    const active = await createdId(under, startingNow);
    const paused = await createdId(under, startingNow);
    await under.call('POST', `/offers/${paused}/pause`);
    const unpaid = await createdId(under, byCard);
    under.clock.set('2026-06-01T14:00:00Z');
    for (const id of [active, paused, unpaid]) await under.call('DELETE', `/offers/${id}`);
    under.clock.set('2026-12-01T00:00:00Z');
    const deleted = { deleted_datetime: '2026-06-01T14:00:00.000Z', payment_url: null };
    // Nine of eleven hours are unused.
    for (const [id, offer_status, credited_minor] of [
      [active, 'Active', '818'],
      [paused, 'Paused', '1000'],
      [unpaid, 'Awaiting Payment', '0'],
    ] as const) {
      const { status, body } = await get(`/offers/${id}`);
      expect(status).toBe(200);
      expect(portalOffer.parse(body)).toMatchObject({
        title: 'Two for one',
        ...deleted,
        offer_status,
        credited_minor,
      });
      expect(await get(`/offers/${id}/credit`)).toMatchObject(notFound);
      for (const caller of [{ organisationId: 2 }, { mode: 'LIVE' as const }])
        expect(await get(`/offers/${id}`, caller)).toMatchObject(notFound);
      for (const path of ['', '/analytics?interval=all', '/analytics/series?interval=all&granularity=day'])
        expect((await under.call('GET', `/offers/${id}${path}`)).status).toBe(401);
    }
    expect(await get(`/offers/${active}/analytics/series?interval=all`)).toMatchObject({
      status: 200,
      body: { offer_id: active, end_datetime: '2026-06-01T14:00:00.000Z' },
    });
  });

  it('has its payment link as long as it awaits payment', async () => {
    const answer = await create(under, { ...startingNow, ...byCard });
    const { offer_id: id, payment_url: url } = answer.body as { offer_id: number; payment_url: string };
    expect((await get(`/offers/${id}`)).body).toMatchObject({
      offer_status: 'Awaiting Payment',
      payment_url: url,
      paid_datetime: null,
      vat_minor: '200',
    });
    await pay(under, id);
    expect((await get(`/offers/${id}`)).body).toMatchObject({ offer_status: 'Active', payment_url: null });
  });
});

describe('the listing', () => {
  const idsOf = async (query: string, caller = {}) =>
    portalListReply.parse((await get(`/offers?${query}`, caller)).body).data.map(({ offer_id: id }) => id);

  it('filters by Scheduled and by disabled, page by page', async () => {
    const first = await createdId(under);
    const active = await createdId(under, startingNow);
    const second = await createdId(under);
    expect(await idsOf('offer_status=Scheduled')).toEqual([second, first]);
    const page = portalListReply.parse((await get('/offers?offer_status=scheduled&limit=1')).body);
    expect(page.pagination).toMatchObject({ limit: 1, count: 1, has_more: true });
    const { next_cursor: cursor } = page.pagination;
    expect(await idsOf(`offer_status=scheduled&limit=1&cursor=${cursor}`)).toEqual([first]);
    for (const id of [first, active])
      await under.admin('POST', `/admin/offers/${id}/disable`, { reason: 'its terms' });
    expect(await idsOf('status=disabled')).toEqual([active, first]);
    expect(await idsOf('status=disabled&offer_status=active')).toEqual([active]);
    expect(await idsOf('status=disabled', { organisationId: 33 })).toEqual([]);
  });

  it('needs no environment, because the path names it, and refuses the other one', async () => {
    expect((await get('/offers?environment=TEST')).status).toBe(200);
    expect(await get('/offers?environment=live')).toMatchObject({ status: 403, body: { return_code: 'E1' } });
  });

  it.each([
    ['/portal/offers?offer_status=gone', 'awaiting_payment, scheduled, active, paused, ended'],
    ['/offers?environment=test&offer_status=scheduled', 'awaiting_payment, active, paused, ended'],
  ])('%s is 400 and lists the statuses of its own filter', async (path, statuses) => {
    expect(await under.call('GET', path)).toMatchObject({
      status: 400,
      body: { message: `offer_status must be one of ${statuses}` },
    });
  });
});

describe('the credit of a deletion', () => {
  const creditOf = async (id: number) => offerCreditReply.parse((await get(`/offers/${id}/credit`)).body);

  it('is what the deletion then reports to billing', async () => {
    const id = await createdId(under, startingNow);
    under.clock.set('2026-06-01T14:00:00Z');
    await under.call('POST', `/offers/${id}/pause`);
    under.clock.set('2026-06-01T15:00:00Z');
    const credit = await creditOf(id);
    // Nine of eleven hours.
    const expected = { offer_status: 'Paused', currency: 'GBP', cost_minor: '1000', credit_minor: '818' };
    expect(credit).toMatchObject(expected);
    await under.call('DELETE', `/offers/${id}`);
    const deleted = (await under.events()).find(({ name }) => name === 'OfferDeleted')?.data;
    const unused = deleted as { unusedMs: number; scheduledMs: number };
    expect(credit.credit_minor).toBe(`${creditTarget(1000n, unused)}`);
  });

  it('is apart from what was credited before, and of the deleted offer both are one sum', async () => {
    const id = await createdId(under, startingNow);
    under.clock.set('2026-06-01T14:00:00Z');
    under.otherServices.billing.creditedMinor = 10n;
    expect(await creditOf(id)).toMatchObject({ credit_minor: '808', credited_minor: '10' });
    await under.call('DELETE', `/offers/${id}`);
    expect((await get(`/offers/${id}`)).body).toMatchObject({ credited_minor: '818' });
  });

  it('is 503 while billing is away; the offer itself is shown', async () => {
    const id = await createdId(under, startingNow);
    under.otherServices.billing.breaks.beforeWork = Number.POSITIVE_INFINITY;
    const answer = await get(`/offers/${id}/credit`);
    expect(answer).toMatchObject({ status: 503, body: { message: 'Service unavailable' } });
    expect((await get(`/offers/${id}`)).status).toBe(200);
  });
});

describe('the series of analytics', () => {
  const seriesOf = async (id: number, interval: string) =>
    seriesReply.parse((await get(`/offers/${id}/analytics/series?interval=${interval}`)).body);

  // One interval each with points of hours, days and weeks.
  it.each(['24h', '30d', 'all'])('of %s has exactly the bounds and sums of analytics', async (interval) => {
    under.clock.set('2025-01-15T09:12:13.456Z');
    const id = await createdId(under, {
      start_datetime: '2025-01-15T10:00:00Z',
      expiry_datetime: '2026-09-15T10:00:00Z',
    });
    const now = '2026-06-01T12:34:56.789Z';
    under.clock.set(now);
    const analytics = async () => {
      const answer = await under.call('GET', `/offers/${id}/analytics?interval=${interval}`);
      return analyticsReply.parse(answer.body);
    };
    const edges = [Date.parse((await analytics()).start_datetime), Date.parse(now)];
    const hours = [-25, -24, -1, 0, 1, 13, 24, 167, 168];
    // On both sides of every edge: of the period, of its first buckets, and of its last ones.
    for (const seenAt of edges.flatMap((edge) =>
      hours.flatMap((hour) => [edge + hour * HOUR - 1, edge + hour * HOUR]),
    ))
      await under.deliver(OfferViewed, { offerId: id, viewedAt: new Date(seenAt).toISOString() });

    const { status, ...expected } = await analytics();
    const { points, ...series } = await seriesOf(id, interval);
    expect(expected.metrics.views).toBeGreaterThan(0);
    expect(series).toMatchObject({ ...expected, offer_status: status });
    expect(points.reduce((sum, { views }) => sum + views, 0)).toBe(expected.metrics.views);
    expect(points[0]?.start_datetime).toBe(expected.start_datetime);
    expect(points.every(({ start_datetime: at }) => at <= expected.end_datetime)).toBe(true);
  });

  it('counts each view in the bucket of its time', async () => {
    const id = await createdId(under, startingNow);
    under.clock.set('2026-06-01T15:30:00Z');
    for (const time of ['12:00:00.000', '14:59:59.999', '15:00:00.000'])
      await under.deliver(OfferViewed, { offerId: id, viewedAt: `2026-06-01T${time}Z` });
    const { points, bucket_seconds: bucket } = await seriesOf(id, 'all');
    expect(bucket).toBe(3_600);
    expect(points.map(({ start_datetime: at, views }) => [at, views])).toEqual([
      ['2026-06-01T12:00:00.000Z', 1],
      ['2026-06-01T13:00:00.000Z', 0],
      ['2026-06-01T14:00:00.000Z', 1],
      ['2026-06-01T15:00:00.000Z', 1],
    ]);
  });

  it.each(['', '?interval=1y'])('is 400 with %j', async (query) => {
    expect((await get(`/offers/${await createdId(under)}/analytics/series${query}`)).status).toBe(400);
  });
});

describe('simulated traffic', () => {
  const simulate = (id: number, body: object, caller = {}): Promise<Answer> =>
    under.call('POST', `/portal/offers/${id}/simulated-traffic`, {
      caller,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  it('is added to the traffic of members in analytics and charts, and no event is written', async () => {
    const id = await createdId(under, startingNow);
    await under.deliver(OfferViewed, { offerId: id, viewedAt: '2026-06-01T12:00:00.000Z' });
    under.clock.set('2026-06-01T14:20:00Z');
    await under.clearEvents();
    await simulate(id, { views: 40, clicks: 3 });
    const answer = await simulate(id, { views: 2, clicks: 2 });
    const metrics = { views: 43, clicks: 5 };
    expect(simulatedTrafficReply.parse(answer.body)).toEqual({ offer_id: id, metrics });
    expect((await under.call('GET', `/offers/${id}/analytics?interval=24h`)).body).toMatchObject({ metrics });
    const series = await get(`/offers/${id}/analytics/series?interval=24h`);
    expect(seriesReply.parse(series.body).points.at(-1)).toEqual({
      start_datetime: '2026-06-01T14:00:00.000Z',
      views: 42,
      clicks: 5,
    });
    expect(await under.events()).toEqual([]);
  });

  it('is never counted for a LIVE offer, whatever the path says', async () => {
    const [parts, { caller }] = live;
    const id = await createdId(under, { ...startingNow, ...parts }, { caller });
    expect(await simulate(id, { views: 1, clicks: 0 }, caller)).toMatchObject(notFound);
    expect(await simulate(id, { views: 1, clicks: 0 })).toMatchObject(notFound);
    expect(await under.count('traffic')).toBe(0);
  });

  it('is refused, with the reason, for an offer that is not live', async () => {
    const id = await createdId(under);
    const refused = (message: string) => ({ status: 409, body: { message } });
    expect(await simulate(id, { views: 1, clicks: 0 })).toMatchObject(
      refused('The offer is Scheduled, so nobody is shown it: only an Active offer can have views'),
    );
    under.clock.set('2026-06-01T13:00:00Z');
    await under.admin('POST', `/admin/offers/${id}/disable`, { reason: 'its terms' });
    expect(await simulate(id, { views: 1, clicks: 0 })).toMatchObject(
      refused('The platform team has disabled the offer, so nobody is shown it: it can have no views'),
    );
  });

  it.each([
    [{ views: 0, clicks: 0 }, 'views'],
    [{ views: 1_001, clicks: 0 }, 'views'],
    [{ views: 1.5, clicks: 0 }, 'views'],
    [{ views: 1 }, 'clicks'],
    [{ views: 1, clicks: -1 }, 'clicks'],
    [{ views: 5, clicks: 6 }, 'clicks: must not be more than views'],
  ])('%j is 400 and names the fault', async (body, fault) => {
    expect(await simulate(await createdId(under, startingNow), body)).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(fault) },
    });
  });
});
