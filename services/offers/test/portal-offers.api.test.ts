/** What only the portal asks of offers: prices, single offers, Scheduled ones, charts, credits beforehand, made up traffic. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OfferViewed } from '@offer-ads/contracts/events/community';
import {
  creationReply,
  offerCreditReply,
  portalListReply,
  portalOffer,
  seriesReply,
  simulatedTrafficReply,
} from '@offer-ads/contracts/portal/offers-api';
import { analyticsIntervals, analyticsReply } from '@offer-ads/contracts/public/api';
import { creditTarget } from '@offer-ads/contracts/values/unused-time';
import { create, createdId, startingNow } from './forms.ts';
import { idsOfNoOffer } from './no-offers.ts';
import { type Answer, type OffersUnderTest, startOffersUnderTest } from './offers-under-test.ts';
import { pay } from './payments.ts';

let under: OffersUnderTest;
beforeAll(async () => {
  under = await startOffersUnderTest();
});
afterAll(async () => {
  await under[Symbol.asyncDispose]();
});
beforeEach(() => {
  under.otherServices.reset();
  under.clock.set('2026-06-01T12:00:00Z');
});

const notFound = { status: 404, body: { message: 'Not found' } };
const get = (path: string, caller = {}): Promise<Answer> => under.call('GET', `/portal${path}`, { caller });

describe('an offer that is not the caller’s', () => {
  it('is 404 everywhere, as is one of the other mode and one that was deleted', async () => {
    const theirs = await createdId(under, startingNow, { caller: { organisationId: 2 } });
    const mine = await createdId(under, startingNow);
    const deleted = await createdId(under, startingNow);
    await under.call('DELETE', `/offers/${deleted}`);
    const others = [...idsOfNoOffer, theirs, deleted].map((id) => [id, {}] as const);
    for (const [id, caller] of [...others, [mine, { mode: 'LIVE' }] as const]) {
      for (const path of ['', '/credit', '/analytics/series?interval=all'])
        expect([id, path, await get(`/offers/${id}${path}`, caller)]).toMatchObject([id, path, notFound]);
      expect(await simulate(id, { views: 1, clicks: 0 }, caller)).toMatchObject(notFound);
    }
    expect((await get(`/offers/${mine}`)).status).toBe(200);
  });
});

describe('what became of a creation', () => {
  const became = async (key: string, caller = {}) =>
    creationReply.parse((await get(`/creations/${encodeURIComponent(key)}`, caller)).body);
  const nothing = { state: 'none', offer_id: null };

  it('is told by its key: the offer, even after its deletion, and nothing before or after a refusal', async () => {
    const key = `order/${randomUUID()}?`;
    expect(await became(key)).toEqual(nothing);
    await create(under, { ...startingNow, title: 'x'.repeat(41) }, { key });
    expect(await became(key)).toEqual(nothing);
    const { body } = await create(under, startingNow, { key });
    const { offer_id } = body as { offer_id: number };
    expect(await became(key)).toEqual({ state: 'created', offer_id });
    await under.call('DELETE', `/offers/${offer_id}`);
    expect(await became(key)).toEqual({ state: 'created', offer_id });
  });

  it('is told to nobody else, nor in the other mode', async () => {
    const key = randomUUID();
    await create(under, startingNow, { key });
    for (const caller of [{ organisationId: 2 }, { mode: 'LIVE' }])
      expect(await became(key, caller)).toEqual(nothing);
    expect(await became('no\u0000key')).toEqual(nothing);
  });

  it('is open while it is being worked on, without an offer that may come to nothing', async () => {
    const key = randomUUID();
    await create(under, startingNow, { key });
    await under.postgres.query(
      `UPDATE idempotency_keys SET recovery_point = 'charging', reply = NULL, lease_until = $2
       WHERE idempotency_key = $1`,
      [key, new Date('2026-06-01T12:00:30Z')],
    );
    expect(await became(key)).toEqual({ state: 'under_way', offer_id: null });
    await under.postgres.query('DELETE FROM idempotency_keys WHERE idempotency_key = $1', [key]);
  });
});

describe('one offer', () => {
  it('tells what it cost and how it was paid, beside what the listing tells', async () => {
    const id = await createdId(under, startingNow);
    const { body } = await under.call('GET', '/offers?environment=test&limit=1');
    const [listed] = (body as { data: object[] }).data;
    const answer = await get(`/offers/${id}`);
    expect(answer.status).toBe(200);
    expect(portalOffer.parse(answer.body)).toEqual({
      ...listed,
      image: expect.any(String),
      category_id: 1,
      payment_method: 'B',
      payment_url: null,
      paid_datetime: expect.any(String),
      currency: 'GBP',
      cost_minor: '1000',
      vat_minor: '0',
    });
  });

  it('has its link to pay by for as long as it awaits payment', async () => {
    const answer = await create(under, { ...startingNow, payment_method: 'E' });
    const { offer_id: id, payment_url: url } = answer.body as { offer_id: number; payment_url: string };
    expect((await get(`/offers/${id}`)).body).toMatchObject({
      offer_status: 'Awaiting Payment',
      payment_url: url,
      paid_datetime: null,
      cost_minor: '1000',
      vat_minor: '200',
    });
    await pay(under, id);
    expect((await get(`/offers/${id}`)).body).toMatchObject({ offer_status: 'Active', payment_url: null });
  });
});

describe('the listing', () => {
  const idsOf = async (query: string, caller: object) => {
    const answer = await get(`/offers?${query}`, caller);
    expect(answer.status).toBe(200);
    return portalListReply.parse(answer.body).data.map(({ offer_id: id }) => id);
  };

  it('finds Scheduled offers, those alone, page by page', async () => {
    const caller = { organisationId: 31 };
    const first = await createdId(under, {}, { caller });
    const active = await createdId(under, startingNow, { caller });
    const second = await createdId(under, {}, { caller });
    const paused = await createdId(under, {}, { caller });
    await under.call('POST', `/offers/${paused}/pause`, { caller });
    expect(await idsOf('offer_status=Scheduled', caller)).toEqual([second, first]);
    expect(await idsOf('offer_status=active', caller)).toEqual([active]);
    expect(await idsOf('', caller)).toEqual([paused, second, active, first]);
    const page = portalListReply.parse((await get('/offers?offer_status=scheduled&limit=1', caller)).body);
    expect(page.pagination).toMatchObject({ limit: 1, count: 1, has_more: true });
    const next = page.pagination.next_cursor ?? '';
    expect(await idsOf(`offer_status=scheduled&limit=1&cursor=${next}`, caller)).toEqual([first]);

    await under.call('POST', `/offers/${paused}/resume`, { caller });
    expect(await idsOf('offer_status=scheduled', caller)).toEqual([paused, second, first]);
    // At the very start they are not Scheduled any more, whatever the sweeper has done.
    under.clock.set('2026-06-01T13:00:00Z');
    expect(await idsOf('offer_status=scheduled', caller)).toEqual([]);
    expect(await idsOf('offer_status=active', caller)).toEqual([paused, second, active, first]);
  });

  it('finds what the platform has disabled, in one state too', async () => {
    const caller = { organisationId: 32 };
    const active = await createdId(under, startingNow, { caller });
    const waiting = await createdId(under, {}, { caller });
    await createdId(under, startingNow, { caller });
    for (const id of [active, waiting]) await under.admin('POST', `/admin/offers/${id}/disable`);
    expect(await idsOf('status=disabled', caller)).toEqual([waiting, active]);
    expect(await idsOf('status=disabled&offer_status=active', caller)).toEqual([active]);
    expect(await idsOf('status=disabled', { organisationId: 33 })).toEqual([]);
  });

  it('needs no environment, because the path has said it, and refuses the other one', async () => {
    expect((await get('/offers?environment=TEST')).status).toBe(200);
    expect(await get('/offers?environment=live')).toMatchObject({ status: 403, body: { return_code: 'E1' } });
    expect(await get('/offers?offer_status=gone')).toMatchObject({
      status: 400,
      body: {
        message: 'offer_status must be one of awaiting_payment, scheduled, active, paused, ended',
      },
    });
  });

  it('of the public API knows no Scheduled', async () => {
    const answer = await under.call('GET', '/offers?environment=test&offer_status=scheduled');
    expect(answer).toMatchObject({
      status: 400,
      body: { message: 'offer_status must be one of awaiting_payment, active, paused, ended' },
    });
  });
});

describe('the credit of a deletion', () => {
  const creditOf = async (id: number) => offerCreditReply.parse((await get(`/offers/${id}/credit`)).body);
  const deletionOf = async (id: number) =>
    (await under.events()).find(({ name, data }) => name === 'OfferDeleted' && data.offerId === id)?.data;

  it('is what the deletion then tells billing', async () => {
    const id = await createdId(under, startingNow);
    under.clock.set('2026-06-01T14:00:00Z');
    await under.call('POST', `/offers/${id}/pause`);
    under.clock.set('2026-06-01T15:00:00Z');
    const told = await creditOf(id);
    expect(told).toMatchObject({ offer_status: 'Paused', currency: 'GBP', cost_minor: '1000' });
    await under.call('DELETE', `/offers/${id}`);
    const { unusedMs, scheduledMs } = (await deletionOf(id)) as { unusedMs: number; scheduledMs: number };
    expect(told.credit_minor).toBe(`${creditTarget(1000n, { unusedMs, scheduledMs })}`);
    // Nine of eleven hours.
    expect(told.credit_minor).toBe('818');
  });

  it('is the whole price before the start, nothing while payment is awaited, and nothing after the end', async () => {
    expect(await creditOf(await createdId(under))).toMatchObject({
      offer_status: 'Scheduled',
      credit_minor: '1000',
    });
    const unpaid = await createdId(under, { ...startingNow, payment_method: 'E' });
    expect(await creditOf(unpaid)).toMatchObject({ offer_status: 'Awaiting Payment', credit_minor: '0' });
    const ended = await createdId(under, startingNow);
    under.clock.set('2026-06-02T12:00:00Z');
    expect(await creditOf(ended)).toMatchObject({ offer_status: 'Ended', credit_minor: '0' });
  });

  it('is 503 while billing is away, and offers themselves are shown', async () => {
    const id = await createdId(under, startingNow);
    under.otherServices.billing.breaks.beforeWork = Number.POSITIVE_INFINITY;
    const answer = await get(`/offers/${id}/credit`);
    expect(answer).toMatchObject({ status: 503, body: { message: 'Service unavailable' } });
    expect((await get(`/offers/${id}`)).status).toBe(200);
  });
});

describe('the series of analytics', () => {
  const seriesOf = async (id: number, interval: string) => {
    const answer = await get(`/offers/${id}/analytics/series?interval=${interval}`);
    expect(answer.status).toBe(200);
    return seriesReply.parse(answer.body);
  };

  it.each(analyticsIntervals)('of %s has the bounds and the sums of analytics, exactly', async (interval) => {
    under.clock.set('2026-01-15T09:12:13.456Z');
    const id = await createdId(under, {
      start_datetime: '2026-01-15T10:00:00Z',
      expiry_datetime: '2026-09-15T10:00:00Z',
    });
    const now = new Date('2026-06-01T12:34:56.789Z');
    under.clock.set(now.toISOString());
    const asked = await under.call('GET', `/offers/${id}/analytics?interval=${interval}`);
    const { start_datetime: start } = analyticsReply.parse(asked.body);
    const HOUR = 3_600_000;
    // On both sides of every edge that there is: of the period, of its first buckets, of its last ones.
    const edges = [Date.parse(start), now.getTime()].flatMap((edge) =>
      [-25, -24, -1, 0, 1, 13, 24, 167, 168].map((hours) => edge + hours * HOUR),
    );
    for (const edge of edges)
      for (const seenAt of [edge - 1, edge])
        await under.deliver(OfferViewed, { offerId: id, viewedAt: new Date(seenAt).toISOString() });

    const answer = await under.call('GET', `/offers/${id}/analytics?interval=${interval}`);
    const analytics = analyticsReply.parse(answer.body);
    const series = await seriesOf(id, interval);
    expect(analytics.metrics.views).toBeGreaterThan(0);
    expect(series).toMatchObject({
      offer_id: id,
      interval,
      start_datetime: analytics.start_datetime,
      end_datetime: analytics.end_datetime,
      offer_status: analytics.status,
      metrics: analytics.metrics,
    });
    const summed = series.points.reduce((sum, { views }) => sum + views, 0);
    expect(summed).toBe(analytics.metrics.views);
    expect(series.points[0]?.start_datetime).toBe(analytics.start_datetime);
    expect(series.points.every(({ start_datetime: at }) => at <= analytics.end_datetime)).toBe(true);
  });

  it('counts each view in the bucket of its moment', async () => {
    const id = await createdId(under, startingNow);
    under.clock.set('2026-06-01T15:30:00Z');
    for (const viewedAt of [
      '2026-06-01T12:00:00.000Z',
      '2026-06-01T14:59:59.999Z',
      '2026-06-01T15:00:00.000Z',
    ])
      await under.deliver(OfferViewed, { offerId: id, viewedAt });
    const { points, bucket_seconds: bucket } = await seriesOf(id, 'all');
    expect(bucket).toBe(3_600);
    expect(points.map(({ start_datetime: at, views }) => [at, views])).toEqual([
      ['2026-06-01T12:00:00.000Z', 1],
      ['2026-06-01T13:00:00.000Z', 0],
      ['2026-06-01T14:00:00.000Z', 1],
      ['2026-06-01T15:00:00.000Z', 1],
    ]);
  });

  it('is 400 for an interval that there is not', async () => {
    const id = await createdId(under);
    expect((await get(`/offers/${id}/analytics/series?interval=1y`)).status).toBe(400);
    expect((await get(`/offers/${id}/analytics/series`)).status).toBe(400);
  });
});

function simulate(id: number | string, body: object, caller = {}): Promise<Answer> {
  return under.call('POST', `/portal/offers/${id}/simulated-traffic`, {
    caller,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

describe('made up traffic', () => {
  it('counts in analytics and charts like that of members, on top of it', async () => {
    const id = await createdId(under, startingNow);
    await under.deliver(OfferViewed, { offerId: id, viewedAt: '2026-06-01T12:00:00.000Z' });
    under.clock.set('2026-06-01T14:20:00Z');
    await simulate(id, { views: 40, clicks: 3 });
    const answer = await simulate(id, { views: 2, clicks: 2 });
    expect(simulatedTrafficReply.parse(answer.body)).toEqual({
      offer_id: id,
      metrics: { views: 43, clicks: 5 },
    });
    const analytics = await under.call('GET', `/offers/${id}/analytics?interval=24h`);
    expect(analytics.body).toMatchObject({ metrics: { views: 43, clicks: 5 } });
    const series = await get(`/offers/${id}/analytics/series?interval=24h`);
    expect(seriesReply.parse(series.body).points.at(-1)).toEqual({
      start_datetime: '2026-06-01T14:00:00.000Z',
      views: 42,
      clicks: 5,
    });
  });

  it('is told to nobody: no event leaves the service', async () => {
    const id = await createdId(under, startingNow);
    await under.clearEvents();
    await simulate(id, { views: 40, clicks: 3 });
    expect(await under.events()).toEqual([]);
  });

  it('is never counted for a LIVE offer, whatever the path says', async () => {
    const caller = { mode: 'LIVE' } as const;
    const id = await createdId(under, { ...startingNow, environment: 'LIVE' }, { caller });
    expect(await simulate(id, { views: 1, clicks: 0 }, caller)).toMatchObject(notFound);
    expect(await simulate(id, { views: 1, clicks: 0 })).toMatchObject(notFound);
    const analytics = await under.call('GET', `/offers/${id}/analytics?interval=all`, { caller });
    expect(analytics.body).toMatchObject({ metrics: { views: 0, clicks: 0 } });
  });

  it('is refused, with the reason, for an offer that nobody is shown', async () => {
    const id = await createdId(under);
    const refusal = async () => {
      const { status, body } = await simulate(id, { views: 1, clicks: 0 });
      return [status, (body as { message: string }).message];
    };
    expect(await refusal()).toEqual([
      409,
      'The offer is Scheduled, so nobody is shown it: only an Active offer can have views',
    ]);
    under.clock.set('2026-06-01T13:00:00Z');
    await under.admin('POST', `/admin/offers/${id}/disable`);
    expect(await refusal()).toEqual([
      409,
      'The platform team has disabled the offer, so nobody is shown it: it can have no views',
    ]);
  });

  it.each([
    [{ views: 0, clicks: 0 }, 'views'],
    [{ views: 1_001, clicks: 0 }, 'views'],
    [{ views: 1.5, clicks: 0 }, 'views'],
    [{ views: 1 }, 'clicks'],
    [{ views: 1, clicks: -1 }, 'clicks'],
    [{ views: 5, clicks: 6 }, 'clicks: must not be more than views'],
  ])('of %j is 400 and names what is wrong', async (body, fault) => {
    const id = await createdId(under, startingNow);
    const answer = await simulate(id, body);
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(fault) } });
  });
});
