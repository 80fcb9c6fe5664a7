/** GET /offers/{offer_id}/analytics and /analytics/series, fed by events as the community platform sends them. */
import { describe, expect, it } from '@jest/globals';
import { OfferClicked, OfferViewed } from '@offer-ads/contracts/events/community';
import { seriesReply } from '@offer-ads/contracts/portal/offers-api';
import {
  type AnalyticsSeriesReply,
  analyticsReply,
  analyticsSeriesReply,
  MAX_POINTS,
} from '@offer-ads/contracts/public/api';
import { type CreateGroupReply, groupSeriesReply } from '@offer-ads/contracts/public/groups-api';
import { createdId, createGroup, startingNow } from '../forms.ts';
import { offersUnderTest } from '../offers-under-test.ts';
import { seeOffer } from '../placements/placing.ts';

const HOUR = 3_600_000;
const under = offersUnderTest();

function view(offerId: number, viewedAt: string, facts = {}): Promise<void> {
  return under.deliver(OfferViewed, { offerId, viewedAt, ...facts });
}

function click(offerId: number, clickedAt: string, facts = {}): Promise<void> {
  return under.deliver(OfferClicked, { offerId, clickedAt, ...facts });
}

async function metrics(id: number, interval: string): Promise<{ views: number; clicks: number }> {
  const answer = await under.call('GET', `/offers/${id}/analytics?interval=${interval}`);
  return analyticsReply.parse(answer.body).metrics;
}

describe('200', () => {
  it('has the interval, its bounds, the status and the counts', async () => {
    const id = await createdId(under, startingNow);
    under.clock.set('2026-06-02T15:30:00.500Z');
    await view(id, '2026-06-02T14:00:00.000Z');
    await view(id, '2026-06-02T15:30:00.000Z');
    await click(id, '2026-06-02T15:30:00.000Z');
    const answer = await under.call('GET', `/offers/${id}/analytics?interval=24h`);
    expect([answer.status, answer.body]).toEqual([
      200,
      {
        offer_id: id,
        interval: '24h',
        start_datetime: '2026-06-01T15:00:00.000Z',
        end_datetime: '2026-06-02T15:30:00.500Z',
        status: 'Ended',
        metrics: { views: 2, clicks: 1 },
      },
    ]);
  });

  it('ignores traffic of offers that do not exist', async () => {
    for (const id of [424_242, 9_999_999_999]) await view(id, '2026-06-01T12:00:00.000Z');
    expect(await under.count('traffic')).toBe(0);
  });

  it('does not count repeats and bots; admins see them', async () => {
    const id = await createdId(under, startingNow);
    for (const facts of [{}, { viewer: 'ann' }, { viewer: 'ann' }, { automated: true }])
      await view(id, '2026-06-01T12:00:00.000Z', facts);
    for (const facts of [{ viewer: 'ann' }, { viewer: 'ann' }, { viewer: 'bob', automated: true }])
      await click(id, '2026-06-01T12:00:00.000Z', facts);
    expect(await metrics(id, '24h')).toEqual({ views: 2, clicks: 1 });
    expect((await under.offer(id))['traffic']).toEqual({
      views: 2,
      clicks: 1,
      viewsRepeated: 1,
      clicksRepeated: 1,
      viewsAutomated: 1,
      clicksAutomated: 1,
    });
  });
});

describe('400', () => {
  it.each(['', '?interval=1h', '?interval=24h&interval=7d'])(
    'for %j, before the offer is looked up',
    async (query) => {
      expect(await under.call('GET', `/offers/424242/analytics${query}`)).toMatchObject({
        status: 400,
        body: {
          return_code: 'E1',
          code: 400,
          message: 'interval must be one of 24h, 7d, 30d, 60d, 90d, all',
        },
      });
    },
  );
});

describe('GET /offers/{offer_id}/analytics/series', () => {
  async function series(id: number, query: string): Promise<AnalyticsSeriesReply> {
    const { status, body } = await under.call('GET', `/offers/${id}/analytics/series?${query}`);
    expect(status).toBe(200);
    return analyticsSeriesReply.parse(body);
  }

  it.each([
    ['24h', 'hour', 3_600],
    ['30d', 'day', 86_400],
    ['all', 'hour', 7 * 86_400],
  ])(
    'of %s by %s has the figures of analytics, in points of %d seconds',
    async (interval, granularity, bucket) => {
      under.clock.set('2025-01-15T09:12:13.456Z');
      const id = await createdId(under, {
        start_datetime: '2025-01-15T10:00:00Z',
        expiry_datetime: '2026-09-15T10:00:00Z',
      });
      const now = Date.parse('2026-06-01T12:34:56.789Z');
      under.clock.set(new Date(now).toISOString());
      // On both sides of the edges of hours, days and weeks.
      for (const ms of [0, 1, 23, 24, 25, 167, 168, 700, 2_000, 12_000].flatMap((hours) => [
        hours * HOUR,
        hours * HOUR + 1,
      ])) {
        await seeOffer(under, id, { views: 1, clicks: 1, at: new Date(now - ms) });
      }
      const answer = await under.call('GET', `/offers/${id}/analytics?interval=${interval}`);
      const analytics = analyticsReply.parse(answer.body);
      const { points, ...others } = await series(id, `interval=${interval}&granularity=${granularity}`);
      expect(others).toEqual({ ...analytics, granularity, bucket_seconds: bucket });
      const sum = (name: 'views' | 'clicks') => points.reduce((all, point) => all + point[name], 0);
      expect(analytics.metrics.views).toBeGreaterThan(1);
      expect({ views: sum('views'), clicks: sum('clicks') }).toEqual(analytics.metrics);
      expect(points.length).toBeLessThanOrEqual(MAX_POINTS);
      expect(points[0]?.start_datetime).toBe(analytics.start_datetime);
      if (granularity === 'hour') {
        const portal = await under.call('GET', `/portal/offers/${id}/analytics/series?interval=${interval}`);
        const { status: _, granularity: _hour, offer_id: _id, ...same } = others;
        expect(seriesReply.parse(portal.body)).toEqual({ ...same, points, time_zone: 'UTC' });
      }
      // All others begin at whole hours, days or weeks of UTC.
      const monday = Date.parse('2001-01-01T00:00:00Z');
      for (const { start_datetime: at } of points.slice(1))
        expect((Date.parse(at) - monday) % (bucket * 1_000)).toBe(0);
    },
  );

  it('of a group has the sums over all its offers, also deleted ones, until none is left', async () => {
    const { body } = await createGroup(under, startingNow);
    const { group_id: group, offers } = body as CreateGroupReply;
    const ids = offers.map(({ offer_id: id }) => id);
    for (const [index, id] of ids.entries()) await seeOffer(under, id, { views: 10 ** index, clicks: index });
    await seeOffer(under, await createdId(under, startingNow), { views: 5 });
    under.clock.set('2026-06-01T14:00:00Z');
    await under.call('DELETE', `/offers/${ids[0]}`);
    const path = `/offer-groups/${group}/analytics/series`;
    const metrics = { views: 111, clicks: 3 };
    const reply = await under.call('GET', `${path}?interval=24h&granularity=hour`);
    expect(groupSeriesReply.parse(reply.body)).toMatchObject({
      group_id: group,
      granularity: 'hour',
      metrics,
    });
    const portal = async () => (await under.call('GET', `/portal${path}?interval=all`)).body;
    expect(seriesReply.parse(await portal())).toMatchObject({
      metrics,
      points: [
        { start_datetime: expect.any(String), ...metrics },
        ...[13, 14].map((hour) => ({ start_datetime: `2026-06-01T${hour}:00:00.000Z`, views: 0, clicks: 0 })),
      ],
    });
    const file = await under.call('GET', `/portal/offer-groups/${group}/analytics.csv?interval=all`);
    expect(file.body).toContain(',111,3,');
    await under.call('DELETE', `/offer-groups/${group}`);
    under.clock.set('2026-06-05T14:00:00Z');
    expect((await under.call('GET', `${path}?interval=24h&granularity=hour`)).status).toBe(401);
    expect(await portal()).toMatchObject({ metrics, end_datetime: '2026-06-01T14:00:00.000Z' });
  });

  it('of chosen days, the last one included, has their counts alone', async () => {
    const id = await createdId(under, { ...startingNow, expiry_datetime: '2026-07-01T12:00:00Z' });
    under.clock.set('2026-06-20T12:00:00Z');
    for (const [at, views] of [
      ['03T23:59:59', 1],
      ['04T00:00:00', 2],
      ['05T23:59:59', 4],
      ['06T00:00:00', 8],
    ] as const)
      await seeOffer(under, id, { views, at: new Date(`2026-06-${at}Z`) });
    const { points, ...others } = await series(id, 'from=2026-06-04&to=2026-06-05&granularity=day');
    expect(points.map(({ views }) => views)).toEqual([2, 4]);
    expect(others).toMatchObject({
      interval: null,
      metrics: { views: 6, clicks: 0 },
      end_datetime: '2026-06-05T23:59:59.999Z',
    });
  });

  it.each([
    '',
    '?from=2026-06-01&granularity=day',
    '?from=2026-06-02&to=2026-06-01&granularity=day',
    '?from=2025-06-01&to=2026-06-30&granularity=day',
    '?from=2027-06-01&to=2027-06-01&granularity=day',
    '?interval=24h&from=2026-06-01&to=2026-06-02&granularity=day',
    '?interval=24h',
    '?granularity=hour',
    '?interval=1h&granularity=hour',
    '?interval=24h&granularity=week',
    '?interval=24h&granularity=hour&granularity=day',
  ])('is 400 for %j', async (query) => {
    const id = await createdId(under, startingNow);
    expect(await under.call('GET', `/offers/${id}/analytics/series${query}`)).toMatchObject({
      status: 400,
      body: { return_code: 'E1', message: expect.stringContaining('granularity must be hour or day') },
    });
  });
});
