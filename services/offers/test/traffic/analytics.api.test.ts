/** GET /offers/{offer_id}/analytics, fed by events as the community platform sends them. */
import { describe, expect, it } from '@jest/globals';
import { OfferClicked, OfferViewed } from '@offer-ads/contracts/events/community';
import { analyticsReply } from '@offer-ads/contracts/public/api';
import { createdId, startingNow } from '../forms.ts';
import { offersUnderTest } from '../offers-under-test.ts';

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
