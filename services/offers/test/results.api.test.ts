/** What was paid for: offers by status, views, clicks and spend of the last days, the best offers; and the same for keys. */
import { describe, expect, it } from '@jest/globals';
import { BalanceCredited } from '@offer-ads/contracts/events/billing';
import { type ResultsReply, resultsReply } from '@offer-ads/contracts/portal/offers-api';
import { resultsReply as keysResultsReply, offerResultsReply } from '@offer-ads/contracts/public/api';
import { readResults } from '../src/results/read-results.ts';
import { byCard, create, createdId, startingNow } from './forms.ts';
import { offersUnderTest } from './offers-under-test.ts';
import { credited } from './payments.ts';
import { seeOffer } from './placements/placing.ts';
import { advance } from './test-clock/clocks.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const under = offersUnderTest();

async function results(query = '', caller = {}): Promise<ResultsReply> {
  const { status, body } = await under.call('GET', `/portal/results?${query}`, { caller });
  expect(status).toBe(200);
  return resultsReply.parse(body);
}

const nothing = { views: 0, clicks: 0, spend_minor: '0' };

describe('200', () => {
  it('of a new organisation is empty', async () => {
    expect(await results()).toMatchObject({
      days: 7,
      time_zone: 'UTC',
      currency: 'GBP',
      offers: { active: 0, disabled: 0, are_more: false, total: 'none' },
      current: nothing,
      before: nothing,
      best: [],
    });
  });

  it('counts what has not ended by its status now', async () => {
    await createdId(under);
    await createdId(under, startingNow);
    const paused = await createdId(under, startingNow);
    await under.call('POST', `/offers/${paused}/pause`);
    await create(under, { ...startingNow, ...byCard });
    const deleted = await createdId(under, startingNow);
    await under.call('DELETE', `/offers/${deleted}`);
    const withheld = await createdId(under, startingNow);
    await under.admin('POST', `/admin/offers/${withheld}/disable`, { reason: 'its terms' });
    expect((await results()).offers).toEqual({
      active: 1,
      scheduled: 1,
      paused: 1,
      awaiting_payment: 1,
      // Members do not see it, whatever its status is.
      disabled: 1,
      are_more: false,
      total: 'some',
    });
    under.clock.set('2027-06-01T12:00:00Z');
    expect((await results()).offers).toMatchObject({ active: 0, paused: 0, total: 'some' });
    expect((await results('', { mode: 'LIVE' })).offers).toMatchObject({ active: 0, total: 'none' });
  });

  it('adds up the period and the one before, by hours, and the spend as it was booked', async () => {
    under.clock.set('2026-05-20T12:00:00Z');
    const period = { start_datetime: '2026-05-20T12:00:00Z', expiry_datetime: '2026-09-20T12:00:00Z' };
    const first = await createdId(under, period);
    const second = await createdId(under, period);
    const now = new Date('2026-06-03T12:34:56.789Z');
    under.clock.set(now.toISOString());
    const see = (id: number, hoursAgo: number, views: number, clicks: number) =>
      seeOffer(under, id, { views, clicks, at: new Date(now.getTime() - hoursAgo * HOUR) });
    await see(first, 0, 2, 1);
    await see(second, 168, 5, 0);
    await see(first, 169, 3, 2);
    await see(second, 335, 4, 0);
    await under.deliver(BalanceCredited, credited(first, 300));
    const week = await results('time_zone=America/New_York');
    expect(week.current).toEqual({ views: 7, clicks: 1, spend_minor: '-300' });
    // Both prices were paid in the hour in which the period before begins.
    expect(week.before).toEqual({ views: 7, clicks: 2, spend_minor: '2000' });
    expect(
      week.best.map(({ offer_id: id, views, clicks, spend_minor: spend }) => [id, views, clicks, spend]),
    ).toEqual([
      [second, 5, 0, '1000'],
      [first, 2, 1, '700'],
    ]);
    expect(week.start_datetime).toBe('2026-05-27T12:00:00.000Z');
    expect(week.points.map(({ views }) => views)).toEqual([5, 0, 0, 0, 0, 0, 0, 2]);
    // Midnight in New York.
    expect(week.points[1]?.start_datetime).toBe('2026-05-28T04:00:00.000Z');
    const month = await results('days=30');
    expect(month.current).toMatchObject({ views: 14, clicks: 3, spend_minor: '1700' });
    expect(month.points.reduce((sum, { views }) => sum + views, 0)).toBe(14);
    expect(await results('days=30', { organisationId: 2 })).toMatchObject({ current: nothing, best: [] });
  });

  it('adds up chosen days of the time zone beside as many days before, until now at the latest', async () => {
    under.clock.set('2026-05-20T12:00:00Z');
    const id = await createdId(under, {
      start_datetime: '2026-05-20T12:00:00Z',
      expiry_datetime: '2026-09-20T12:00:00Z',
    });
    under.clock.set('2026-06-03T12:34:56.789Z');
    // Days in New York begin at 04:00 UTC.
    for (const [at, views] of [
      ['05-30T03:59:59', 1],
      ['05-30T04:00:00', 2],
      ['06-01T03:59:59', 4],
      ['06-01T04:00:00', 8],
    ] as const)
      await seeOffer(under, id, { views, at: new Date(`2026-${at}Z`) });
    const chosen = await results('from=2026-05-30&to=2026-05-31&time_zone=America/New_York');
    expect(chosen).toMatchObject({
      days: 2,
      start_datetime: '2026-05-30T04:00:00.000Z',
      end_datetime: '2026-06-01T03:59:59.999Z',
      current: { views: 6, spend_minor: '0' },
      before: { views: 1 },
      best: [{ offer_id: id, views: 6 }],
    });
    expect(chosen.points.map(({ views }) => views)).toEqual([2, 4]);
    await results('from=1000-01-01&to=1000-12-31&time_zone=Asia/Tokyo');
    const toNow = await results('from=2026-05-20&to=2026-06-30');
    expect(toNow).toMatchObject({
      end_datetime: '2026-06-03T12:34:56.789Z',
      current: { views: 15, spend_minor: '1000' },
    });
  });

  it('takes one connection to the database at a time, so that visits keep no creation waiting', async () => {
    const { postgres } = under;
    let inUse = 0;
    let mostInUse = 0;
    const onAcquire = () => (mostInUse = Math.max(mostInUse, (inUse += 1)));
    const onRelease = () => (inUse -= 1);
    postgres.pool.on('acquire', onAcquire).on('release', onRelease);
    const now = under.clock.now();
    const owner = { organisationId: 1, mode: 'TEST', currency: 'GBP' } as const;
    await readResults(postgres, owner, { asked: 7, timeZone: 'UTC' }, { now, realNow: now });
    postgres.pool.off('acquire', onAcquire).off('release', onRelease);
    expect(mostInUse).toBe(1);
  });

  it('keeps the views of deleted offers, which are not among the best', async () => {
    const id = await createdId(under, startingNow);
    await seeOffer(under, id, { views: 1 });
    await under.call('DELETE', `/offers/${id}`);
    expect(await results()).toMatchObject({ current: { views: 1 }, best: [] });
  });

  it('counts TEST traffic by the test clock and money by the real time', async () => {
    const id = await createdId(under, {
      start_datetime: '2026-06-20T12:00:00Z',
      expiry_datetime: '2026-08-20T12:00:00Z',
    });
    await advance(under, (30 * DAY) / 1_000);
    await seeOffer(under, id, { views: 1 });
    expect(await results()).toMatchObject({
      current: { views: 1, spend_minor: '1000' },
      best: [{ offer_id: id, offer_status: 'Active' }],
    });
  });
});

describe('400', () => {
  it.each([
    ['days=14', 'days'],
    ['time_zone=Nowhere', 'time_zone'],
    ['time_zone=%2B01:00', 'time_zone'],
    ['from=2026-05-01', 'to: must be sent too where `from` is'],
    ['to=2026-05-01', 'from: must be sent too where `to` is'],
    ['from=2026-02-30&to=2026-03-01', 'from: must be a day such as 2026-06-30'],
    ['from=0999-12-31&to=1000-12-30', 'from: must be a day such as 2026-06-30'],
    ['from=2026-05-02&to=2026-05-01', 'to: must not be before `from`'],
    ['from=2025-05-31&to=2026-06-01', 'to: must be at most 366 days from `from` on'],
    ['from=2026-06-02&to=2026-06-02', 'from: must not be in the future'],
    ['days=7&from=2026-05-01&to=2026-05-02', 'interval: must be sent, or `from` and `to` instead of it'],
  ])('for %s', async (query, message) => {
    const { status, body } = await under.call('GET', `/portal/results?${query}`);
    expect([status, body]).toEqual([400, { message: expect.stringContaining(message) }]);
  });
});

describe('GET /results', () => {
  it.each([
    ['', 'days=7', '7d'],
    ['interval=30d', 'days=30', '30d'],
    ['from=2026-05-20&to=2026-05-31&time_zone=America/New_York', '', null],
  ])('for %j has the figures of the portal, with amounts', async (query, same, interval) => {
    under.clock.set('2026-05-20T12:00:00Z');
    const id = await createdId(under, { ...startingNow, expiry_datetime: '2026-09-20T12:00:00Z' });
    under.clock.set('2026-06-01T12:00:00Z');
    for (const [day, views] of [
      ['05-20', 1],
      ['06-01', 2],
    ] as const)
      await seeOffer(under, id, { views, clicks: 1, at: new Date(`2026-${day}T12:00:00Z`) });
    await under.deliver(BalanceCredited, credited(id, 300));
    const { status, body } = await under.call('GET', `/results?${query}`);
    expect(status).toBe(200);
    const portal = await results(same === '' ? query : same);
    const amounts = ({ spend_minor: minor, ...traffic }: ResultsReply['current']) => ({
      ...traffic,
      spent: Number(minor) / 100,
    });
    const { days: _days, offers: _offers, best, ...others } = portal;
    expect(keysResultsReply.parse(body)).toEqual({
      ...others,
      interval,
      current: amounts(portal.current),
      before: amounts(portal.before),
      best_offers: [expect.objectContaining({ offer_id: id, views: best[0]?.views })],
    });
    for (const caller of [{ organisationId: 2 }, { mode: 'LIVE' as const }])
      expect((await under.call('GET', `/results?${query}`, { caller })).body).toMatchObject({
        current: { views: 0, spent: 0 },
        best_offers: [],
      });
  });

  it.each([
    'interval=all',
    'interval=7d&interval=7d',
    'time_zone=Nowhere',
    'from=2026-05-01',
    'from=0001-01-01&to=0001-01-02',
    'from=2026-05-02&to=2026-05-01',
    'from=2025-05-31&to=2026-06-01',
    'from=2026-06-02&to=2026-06-02',
    'interval=7d&from=2026-05-01&to=2026-05-02',
  ])('is 400 for %s', async (query) => {
    expect(await under.call('GET', `/results?${query}`)).toMatchObject({
      status: 400,
      body: { return_code: 'E1', message: expect.stringContaining('interval must be one of 24h, 7d') },
    });
  });
});

describe('GET /offers/{offer_id}/results', () => {
  const resultsOf = async (id: number) => {
    const { status, body } = await under.call('GET', `/offers/${id}/results`);
    expect(status).toBe(200);
    return offerResultsReply.parse(body);
  };

  it('has what was paid and credited, what came of it, and how much of the time has run', async () => {
    const id = await createdId(under, startingNow);
    await seeOffer(under, id, { views: 40, clicks: 4 });
    under.clock.set('2026-06-01T14:00:00Z');
    await under.call('POST', `/offers/${id}/pause`);
    await under.deliver(BalanceCredited, credited(id, 100));
    under.clock.set('2026-06-01T15:00:00Z');
    expect(await resultsOf(id)).toEqual({
      offer_id: id,
      status: 'Paused',
      currency: 'GBP',
      matching_users: 50,
      cost: 10,
      spent: 9,
      views: 40,
      clicks: 4,
      cost_per_click: 2.25,
      cost_per_thousand_views: 225,
      bought_seconds: 11 * 3_600,
      ran_seconds: 2 * 3_600,
    });
  });

  it('has no costs before the payment', async () => {
    expect(await resultsOf(await createdId(under, byCard))).toMatchObject({
      cost: 10,
      spent: 0,
      cost_per_click: null,
      cost_per_thousand_views: null,
      ran_seconds: 0,
    });
  });
});
