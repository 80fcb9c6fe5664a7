/** Routes that only the portal uses: prices, single offers, Scheduled offers, charts, credits in advance, simulated traffic. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  creationReply,
  offerCreditReply,
  portalOffer,
  seriesReply,
  simulatedTrafficReply,
} from '@offer-ads/contracts/portal/offers-api';
import { byCard, create, createdId, live, startingNow } from './forms.ts';
import { type Answer, offersUnderTest } from './offers-under-test.ts';
import { seeOffer } from './placements/placing.ts';

const under = offersUnderTest();

const notFound = { status: 404, body: { message: 'Not found' } };
const get = (path: string, caller = {}): Promise<Answer> => under.call('GET', `/portal${path}`, { caller });

describe('the state of a creation', () => {
  const stateOf = async (key: string, caller = {}) =>
    creationReply.parse((await get(`/creations/${encodeURIComponent(key)}`, caller)).body);
  const nothing = { state: 'none', offer_id: null, group_id: null };

  it('is found by its key: none before it and after a refusal, then the offer, even a deleted one', async () => {
    const key = `order/${randomUUID()}?`;
    expect(await stateOf(key)).toEqual(nothing);
    await create(under, { title: 'x'.repeat(41) }, { key });
    expect(await stateOf(key)).toEqual(nothing);
    const offer_id = await createdId(under, {}, { key });
    expect(await stateOf(key)).toEqual({ state: 'created', offer_id, group_id: null });
    await under.call('DELETE', `/offers/${offer_id}`);
    expect(await stateOf(key)).toEqual({ state: 'created', offer_id, group_id: null });
    for (const caller of [{ organisationId: 2 }, { mode: 'LIVE' }])
      expect(await stateOf(key, caller)).toEqual(nothing);
    expect(await stateOf('no\u0000key')).toEqual(nothing);
  });

  it('is under_way, without the id of an offer that may still fail, while it is not finished', async () => {
    const key = randomUUID();
    await create(under, {}, { key });
    await under.postgres.query("UPDATE idempotency_keys SET recovery_point = 'charging', reply = NULL");
    expect(await stateOf(key)).toEqual({ state: 'under_way', offer_id: null, group_id: null });
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
      group_id: null,
      place_label: null,
      group_offers: null,
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
      trading_name: 'Corner Cafe',
      matching_users: 50,
      ran_seconds: 0,
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
    for (const [id, offer_status, credited_minor, ran_seconds] of [
      [active, 'Active', '818', 7_200],
      [paused, 'Paused', '1000', 0],
      [unpaid, 'Awaiting Payment', '0', 0],
    ] as const) {
      const { status, body } = await get(`/offers/${id}`);
      expect(status).toBe(200);
      expect(portalOffer.parse(body)).toMatchObject({
        title: 'Two for one',
        ...deleted,
        offer_status,
        credited_minor,
        ran_seconds,
      });
      expect(await get(`/offers/${id}/credit`)).toMatchObject(notFound);
      for (const caller of [{ organisationId: 2 }, { mode: 'LIVE' as const }])
        expect(await get(`/offers/${id}`, caller)).toMatchObject(notFound);
      for (const path of ['', '/analytics?interval=all', '/analytics/series?interval=all&granularity=day'])
        expect((await under.call('GET', `/offers/${id}${path}`)).status).toBe(401);
    }
    expect(await get(`/offers/${active}/analytics/series?interval=all`)).toMatchObject({
      status: 200,
      body: { end_datetime: '2026-06-01T14:00:00.000Z' },
    });
  });
});

describe('the listing', () => {
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

  it('is apart from what was credited before, and of the deleted offer both are one sum', async () => {
    const id = await createdId(under, startingNow);
    under.clock.set('2026-06-01T14:00:00Z');
    under.otherServices.billing.creditedMinor = 10n;
    expect(await creditOf(id)).toMatchObject({ credit_minor: '808', credited_minor: '10' });
    await under.call('DELETE', `/offers/${id}`);
    expect((await get(`/offers/${id}`)).body).toMatchObject({ credited_minor: '818' });
  });
});

describe('simulated traffic', () => {
  const simulate = (id: number, body: object, caller = {}): Promise<Answer> =>
    under.call('POST', `/portal/offers/${id}/simulated-traffic`, { caller, json: body });

  it('is added to the traffic of members in analytics and charts, and no event is written', async () => {
    const id = await createdId(under, startingNow);
    await seeOffer(under, id, { views: 1 });
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
