/** GET /offers/{offer_id}/analytics, fed by events as the community platform sends them. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { OfferClicked, OfferViewed } from '@offer-ads/contracts/events/community';
import { analyticsReply } from '@offer-ads/contracts/public/api';
import { createdId, startingNow } from '../forms.ts';
import { idsOfNoOffer } from '../no-offers.ts';
import { type OffersUnderTest, startOffersUnderTest } from '../offers-under-test.ts';

let under: OffersUnderTest;
beforeAll(async () => {
  under = await startOffersUnderTest();
});
afterAll(async () => {
  await under[Symbol.asyncDispose]();
});
beforeEach(() => {
  under.clock.set('2026-06-01T12:00:00Z');
});

function view(offerId: number, viewedAt: string, eventId?: string): Promise<void> {
  return under.deliver(OfferViewed, { offerId, viewedAt }, eventId);
}

async function metrics(id: number, interval: string): Promise<{ views: number; clicks: number }> {
  const answer = await under.call('GET', `/offers/${id}/analytics?interval=${interval}`);
  return analyticsReply.parse(answer.body).metrics;
}

describe('200', () => {
  it('gives the interval, its bounds, the status and the counts', async () => {
    const id = await createdId(under, startingNow);
    under.clock.set('2026-06-02T15:30:00.500Z');
    await view(id, '2026-06-02T14:00:00.000Z');
    await view(id, '2026-06-02T15:30:00.000Z');
    await under.deliver(OfferClicked, { offerId: id, clickedAt: '2026-06-02T15:30:00.000Z' });
    const answer = await under.call('GET', `/offers/${id}/analytics?interval=24h`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      offer_id: id,
      interval: '24h',
      start_datetime: '2026-06-01T15:00:00.000Z',
      end_datetime: '2026-06-02T15:30:00.500Z',
      status: 'Ended',
      metrics: { views: 2, clicks: 1 },
    });
  });

  it('counts exactly what lies between the bounds', async () => {
    const id = await createdId(under, startingNow);
    under.clock.set('2026-06-02T15:30:00Z');
    await view(id, '2026-06-01T14:59:59.999Z');
    expect(await metrics(id, '24h')).toEqual({ views: 0, clicks: 0 });
    await view(id, '2026-06-01T15:00:00.000Z');
    expect(await metrics(id, '24h')).toEqual({ views: 1, clicks: 0 });
    expect(await metrics(id, 'all')).toEqual({ views: 2, clicks: 0 });
    expect(await metrics(id, '90d')).toEqual({ views: 2, clicks: 0 });
  });

  it.each([
    ['24h', '2026-05-31T12:00:00.000Z'],
    ['7d', '2026-05-25T12:00:00.000Z'],
    ['30d', '2026-05-02T12:00:00.000Z'],
    ['60d', '2026-04-02T12:00:00.000Z'],
    ['90d', '2026-03-03T12:00:00.000Z'],
    ['all', '2026-01-15T09:12:13.456Z'],
  ])('of %s counts from its first moment to now and nothing before', async (interval, from) => {
    under.clock.set('2026-01-15T09:12:13.456Z');
    const id = await createdId(under, {
      start_datetime: '2026-01-15T10:00:00Z',
      expiry_datetime: '2026-02-15T10:00:00Z',
    });
    const now = '2026-06-01T12:34:56.789Z';
    under.clock.set(now);
    await view(id, new Date(Date.parse(from) - 1).toISOString());
    expect(await metrics(id, interval)).toEqual({ views: 0, clicks: 0 });
    for (const at of [from, now]) {
      await view(id, at);
      await under.deliver(OfferClicked, { offerId: id, clickedAt: at });
    }
    const answer = await under.call('GET', `/offers/${id}/analytics?interval=${interval}`);
    expect(answer.body).toMatchObject({
      interval,
      start_datetime: from,
      end_datetime: now,
      metrics: { views: 2, clicks: 2 },
    });
  });

  it('starts at the creation for all', async () => {
    under.clock.set('2026-06-01T12:10:00Z');
    const id = await createdId(under);
    await view(id, '2026-06-01T12:10:00.000Z');
    const answer = await under.call('GET', `/offers/${id}/analytics?interval=all`);
    expect(answer.body).toMatchObject({ start_datetime: '2026-06-01T12:10:00.000Z', metrics: { views: 1 } });
  });

  it('counts an event once, however often and in whatever order it comes', async () => {
    const id = await createdId(under, startingNow);
    const views = Array.from({ length: 20 }, (_, minute) => ({
      at: `2026-06-01T${String(12 + (minute % 3)).padStart(2, '0')}:00:00.000Z`,
      eventId: randomUUID(),
    }));
    under.clock.set('2026-06-01T15:00:00Z');
    await Promise.all([...views, ...views.toReversed()].map(({ at, eventId }) => view(id, at, eventId)));
    expect(await metrics(id, '7d')).toEqual({ views: 20, clicks: 0 });
  });

  it('takes traffic of unknown offers and from before the creation for noise', async () => {
    const id = await createdId(under);
    await view(id, '2026-06-01T11:59:59.999Z');
    await view(424_242, '2026-06-01T12:00:00.000Z');
    await view(9_999_999_999, '2026-06-01T12:00:00.000Z');
    expect(await metrics(id, 'all')).toEqual({ views: 0, clicks: 0 });
  });
});

describe('repeated views and bots', () => {
  const counts = async (id: number) => (await under.admin('GET', `/admin/offers/${id}`)).body;

  it('count once per viewer, offer and hour, and the repeats are kept for the admins', async () => {
    const [id, other] = [await createdId(under, startingNow), await createdId(under, startingNow)];
    under.clock.set('2026-06-01T14:00:00Z');
    const at = (offerId: number, viewedAt: string, viewer: string) =>
      under.deliver(OfferViewed, { offerId, viewedAt, viewer });
    await at(id, '2026-06-01T12:10:00.000Z', 'ann');
    await at(id, '2026-06-01T12:59:59.999Z', 'ann');
    await at(id, '2026-06-01T12:20:00.000Z', 'bob');
    await at(id, '2026-06-01T13:00:00.000Z', 'ann');
    await at(other, '2026-06-01T12:30:00.000Z', 'ann');
    for (const clickedAt of ['2026-06-01T12:11:00.000Z', '2026-06-01T12:12:00.000Z'])
      await under.deliver(OfferClicked, { offerId: id, clickedAt, viewer: 'ann' });
    expect(await metrics(id, '24h')).toEqual({ views: 3, clicks: 1 });
    expect(await metrics(other, '24h')).toEqual({ views: 1, clicks: 0 });
    expect(await counts(id)).toMatchObject({
      traffic: { views: 3, clicks: 1, viewsRepeated: 1, clicksRepeated: 1, viewsAutomated: 0 },
    });
  });

  it('do not count when the platform calls them automated, and are kept for the admins', async () => {
    const id = await createdId(under, startingNow);
    const bot = { offerId: id, automated: true };
    await under.deliver(OfferViewed, { ...bot, viewedAt: '2026-06-01T12:00:00.000Z' });
    await under.deliver(OfferClicked, { ...bot, clickedAt: '2026-06-01T12:00:00.000Z', viewer: 'ann' });
    await under.deliver(OfferViewed, { ...bot, automated: false, viewedAt: '2026-06-01T12:00:00.000Z' });
    expect(await metrics(id, '24h')).toEqual({ views: 1, clicks: 0 });
    expect(await counts(id)).toMatchObject({ traffic: { viewsAutomated: 1, clicksAutomated: 1 } });
  });
});

describe('400', () => {
  it.each(['', '?interval=1h', '?interval=24h&interval=7d'])(
    'for %j, before the offer is looked up',
    async (query) => {
      const answer = await under.call('GET', `/offers/424242/analytics${query}`);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({
        return_code: 'E1',
        code: 400,
        message: expect.stringContaining('interval'),
      });
    },
  );
});

describe('401', () => {
  const unauthorised = { status: 401, body: { message: 'Unauthorised' } };
  const ask = async (path: string, o = {}) => {
    const { status, body } = await under.call('GET', `/offers/${path}/analytics?interval=all`, o);
    return { status, body };
  };

  it('for an offer of another organisation, of the other mode, or deleted, told like one that never was', async () => {
    const id = await createdId(under);
    expect(await ask(`${id}`, { caller: { organisationId: 2 } })).toEqual(unauthorised);
    expect(await ask(`${id}`, { caller: { mode: 'LIVE' } })).toEqual(unauthorised);
    await under.call('DELETE', `/offers/${id}`);
    expect(await ask(`${id}`)).toEqual(unauthorised);
  });

  it.each(idsOfNoOffer)('for %s in place of an id', async (path) => {
    expect(await ask(path)).toEqual(unauthorised);
  });

  it('without a caller, whose offer it may be', async () => {
    const id = await createdId(under);
    for (const context of ['', 'x', 'x.y'])
      expect(await ask(`${id}`, { headers: { 'x-caller-context': context } })).toEqual(unauthorised);
  });
});

describe('500', () => {
  it('without any detail when something is broken', async () => {
    const id = await createdId(under);
    await under.postgres.query('ALTER TABLE traffic RENAME TO traffic_away');
    const answer = await under.call('GET', `/offers/${id}/analytics?interval=all`);
    await under.postgres.query('ALTER TABLE traffic_away RENAME TO traffic');
    expect([answer.status, answer.body]).toEqual([500, { message: 'Internal server error' }]);
  });
});
