/** GET, POST and DELETE /test/clock, and what TEST offers do by the clock (decision 216, test clock). */
import { describe, expect, it } from '@jest/globals';
import { placementsReply } from '@offer-ads/contracts/community/placements-api';
import { analyticsReply, MOST_AHEAD_SECONDS, testClockReply } from '@offer-ads/contracts/public/api';
import type { OutgoingEvent } from '@offer-ads/platform/messaging/events';
import { replyToTestClockRefusal } from '../../src/http/replies.ts';
import { byCard, create, createdId, formOf, live, startingNow } from '../forms.ts';
import { offersUnderTest } from '../offers-under-test.ts';
import { pausePoint } from '../pause-point.ts';
import { askForPlacements, countsOf, place, seeOffer, sendViews } from '../placements/placing.ts';
import { advance, askToAdvance, DAY_S, eventsOf, HOUR_S, namesOfEvents } from './clocks.ts';

const under = offersUnderTest();

const clock = () => under.call('GET', '/test/clock');
const command = (id: number, name: string) => under.call('POST', `/offers/${id}/${name}`);
const status = async (id: number) =>
  ((await under.call('GET', `/offers/${id}`)).body as { offer_status: string }).offer_status;
async function listed(filter = '', environment = 'test'): Promise<number[]> {
  const caller = environment === 'live' ? { mode: 'LIVE' as const } : {};
  const { body } = await under.call('GET', `/offers?environment=${environment}${filter}`, { caller });
  return (body as { data: { offer_id: number }[] }).data.map(({ offer_id: id }) => id);
}

describe('GET /test/clock', () => {
  it('is the real time until the first advance', async () => {
    const { status: code, body } = await clock();
    expect([code, body]).toEqual([
      200,
      { now: '2026-06-01T12:00:00.000Z', offset_seconds: 0, status: 'ready' },
    ]);
  });

  it('goes on from where it was moved to, for all keys of the organisation and no other one', async () => {
    await advance(under, DAY_S);
    under.clock.advance(90_000);
    expect((await clock()).body).toEqual({
      now: '2026-06-02T12:01:30.000Z',
      offset_seconds: DAY_S,
      status: 'ready',
    });
    const other = await under.call('GET', '/test/clock', { caller: { organisationId: 2 } });
    expect(other.body).toMatchObject({ now: '2026-06-01T12:01:30.000Z', offset_seconds: 0 });
  });
});

describe('POST /test/clock', () => {
  it('moves the clock by seconds, or to an instant, rounded up to a whole second', async () => {
    expect(await advance(under, 60)).toMatchObject({ now: '2026-06-01T12:01:00.000Z', offset_seconds: 60 });
    expect(await advance(under, 60)).toMatchObject({ offset_seconds: 120 });
    const answer = await askToAdvance(under, { now: '2026-06-03T14:00:00.5+02:00' });
    expect([answer.status, answer.body]).toEqual([
      200,
      { now: '2026-06-03T12:00:01.000Z', offset_seconds: 2 * DAY_S + 1, status: 'ready' },
    ]);
  });

  it.each([
    ['nothing', '{}'],
    ['both', '{"advance_seconds":60,"now":"2027-01-01T00:00:00Z"}'],
    ['no time', '{"advance_seconds":0}'],
    ['a time back', '{"advance_seconds":-60}'],
    ['parts of a second', '{"advance_seconds":1.5}'],
    ['a text', '{"advance_seconds":"60"}'],
    ['an instant without a zone', '{"now":"2027-01-01T00:00:00"}'],
    ['no JSON', '{'],
    ['a list', '[]'],
    ['another type', '{"advance_seconds":1}', 'text/plain'],
    ['a body that is too long', `{"advance_seconds":1,"x":"${'x'.repeat(5_000)}"}`],
    ['no body', undefined],
  ])('refuses %s as E1 and moves nothing', async (_what, body, type = 'application/json') => {
    const o = { headers: { 'content-type': type }, ...(body !== undefined && { body }) };
    expect(await under.call('POST', '/test/clock', o)).toMatchObject(
      replyToTestClockRefusal({ reason: 'not-an-advance' }),
    );
    expect((await clock()).body).toMatchObject({ offset_seconds: 0 });
  });

  it('never moves back, and says where the clock is', async () => {
    await advance(under, DAY_S);
    const answer = await askToAdvance(under, { now: '2026-06-02T12:00:00Z' });
    const now = new Date('2026-06-02T12:00:00.000Z');
    expect(answer).toMatchObject(replyToTestClockRefusal({ reason: 'not-forward', now }));
  });

  it('goes two years ahead in all and no second further', async () => {
    await advance(under, MOST_AHEAD_SECONDS - 10);
    for (const body of [
      { advance_seconds: 11 },
      { now: '9000-01-01T00:00:00Z' },
      { advance_seconds: 2 ** 53 },
    ])
      expect([(await askToAdvance(under, body)).status, (await clock()).body]).toMatchObject([
        400,
        { offset_seconds: MOST_AHEAD_SECONDS - 10 },
      ]);
    expect((await askToAdvance(under, { advance_seconds: 11 })).body).toMatchObject({
      message: expect.stringContaining('by 10 seconds more'),
    });
    await advance(under, 10);
  });
});

it.each(['GET', 'POST', 'DELETE'])('a LIVE key is refused by %s as E1 403', async (method) => {
  expect(await under.call(method, '/test/clock', { caller: { mode: 'LIVE' } })).toMatchObject(
    replyToTestClockRefusal({ reason: 'live-mode' }),
  );
});

describe('an advance', () => {
  it('leaves the time of events real, and puts the instants inside them in test time', async () => {
    const id = await createdId(under, startingNow);
    await advance(under, 5 * HOUR_S);
    under.clock.advance(1_000);
    await command(id, 'pause');
    await advance(under, 6 * HOUR_S);
    const rows = await under.postgres.query<{ event: OutgoingEvent }>(
      "SELECT event FROM outbox WHERE event ->> 'type' ~ 'OfferPaused|OfferEnded' ORDER BY position",
    );
    expect(rows.map(({ event }) => event)).toMatchObject([
      { time: '2026-06-01T12:00:01.000Z', data: { pausedAt: '2026-06-01T17:00:01.000Z' } },
      { time: '2026-06-01T12:00:01.000Z', data: { unusedMs: (6 * HOUR_S - 1) * 1_000 } },
    ]);
  });

  it('decides which start lies in the past', async () => {
    await advance(under, DAY_S);
    const at = (start_datetime: string) =>
      create(under, { start_datetime, expiry_datetime: '2026-06-05T00:00:00Z' });
    expect((await at('2026-06-02T11:58:59Z')).body).toMatchObject({ return_code: 'E1' });
    const { body } = await at('2026-06-02T11:59:00Z');
    expect(body).toMatchObject({ return_code: 'S1', status: 'Active' });
    const { data } = (await under.call('GET', '/offers?environment=test')).body as { data: object[] };
    expect(data).toMatchObject([{ creation_datetime: '2026-06-02T12:00:00.000Z' }]);
  });

  it('frees the quota of offers that have ended', async () => {
    const caller = { quota: { perPerson: 1, perOrganisation: 1 } };
    await createdId(under, {}, { caller });
    const later = { start_datetime: '2026-06-03T00:00:00Z', expiry_datetime: '2026-06-04T00:00:00Z' };
    expect((await create(under, later, { caller })).body).toMatchObject({ return_code: 'E4' });
    await advance(under, DAY_S);
    await createdId(under, later, { caller });
  });

  it('decides when members see an offer, and views count in its hours', async () => {
    const id = await createdId(under);
    const seen = async () => {
      await under.offers.followed.refresh();
      const member = { latitude: 51.5074, longitude: -0.1278, gender: 'Female', interests: [] };
      const answer = await askForPlacements(under, member);
      return placementsReply.parse(answer.body).placements.map(({ offer_id: shown }) => shown);
    };
    const analytics = async () => {
      const { body } = await under.call('GET', `/offers/${id}/analytics?interval=24h`);
      return analyticsReply.parse(body);
    };
    expect(await seen()).toEqual([]);
    await advance(under, HOUR_S);
    expect(await seen()).toEqual([id]);
    const viewer = { viewer: 'a member' };
    const view = () => sendViews(under, [place(under, id, viewer).viewToken]);
    for (const _ of [1, 2]) await view();
    await seeOffer(under, id, { views: 1 });
    expect(await countsOf(under, id)).toEqual({ views: 2, viewsRepeated: 1 });
    await advance(under, 2 * HOUR_S);
    // In another hour of the offer the same viewer counts anew.
    await view();
    expect(await analytics()).toMatchObject({
      start_datetime: '2026-05-31T15:00:00.000Z',
      end_datetime: '2026-06-01T15:00:00.000Z',
      metrics: { views: 3 },
    });
    await advance(under, 23 * HOUR_S);
    expect([await seen(), (await analytics()).metrics.views]).toEqual([[], 1]);
  });

  it('leaves real how long a deletion has been running, and how long addresses of pictures last', async () => {
    await advance(under, 30 * DAY_S);
    const id = await createdId(under, {
      ...byCard,
      start_datetime: '2026-07-02T00:00:00Z',
      expiry_datetime: '2026-07-03T00:00:00Z',
    });
    const { image } = (await under.call('GET', `/offers/${id}`)).body as { image: string };
    const lastsS = Number(new URL(image).searchParams.get('expires')) - under.clock.now().getTime() / 1_000;
    expect(lastsS).toBeLessThan(2 * DAY_S);
    let closings = 0;
    under.otherServices.billing.onClose = async () => {
      closings += 1;
      // It would take over a deletion that seems abandoned.
      if (closings === 1) await under.offers.sweeper.recover();
    };
    expect((await under.call('DELETE', `/offers/${id}`)).body).toMatchObject({ return_code: 'S1' });
    expect(closings).toBe(1);
  });

  it('lets go of the picture of an offer that is deleted at an instant to come', async () => {
    await advance(under, 300 * DAY_S);
    const later = { start_datetime: '2027-05-01T00:00:00Z', expiry_datetime: '2027-06-01T00:00:00Z' };
    const id = await createdId(under, later);
    await under.call('DELETE', `/offers/${id}`);
    expect(await under.count('images')).toBe(1);
    await under.offers.imageRemoval.remove();
    expect(await under.count('images')).toBe(0);
  });
});

describe('DELETE /test/clock', () => {
  const reset = () => under.call('DELETE', '/test/clock');

  it('sets the clock back when every TEST offer has ended or was deleted, and they stay so', async () => {
    const ended = await createdId(under);
    await advance(under, 2 * DAY_S);
    const begun = { start_datetime: '2026-06-03T12:00:00Z', expiry_datetime: '2026-06-05T00:00:00Z' };
    const deleted = await createdId(under, begun);
    expect(await reset()).toMatchObject(replyToTestClockRefusal({ reason: 'offers-not-over' }));
    await under.call('DELETE', `/offers/${deleted}`);
    const { status: code, body } = await reset();
    expect([code, testClockReply.parse(body)]).toEqual([
      200,
      { now: '2026-06-01T12:00:00.000Z', offset_seconds: 0, status: 'ready' },
    ]);
    expect([
      await status(ended),
      await listed('&offer_status=ended'),
      await listed('&offer_status=active'),
    ]).toEqual(['Ended', [ended], []]);
    expect((await command(ended, 'pause')).body).toMatchObject({ return_code: 'E2' });
    expect((await under.call('GET', `/offers/${ended}/analytics?interval=all`)).status).toBe(200);
    expect(
      (await under.call('GET', `/offers/${ended}/analytics/series?interval=all&granularity=hour`)).status,
    ).toBe(200);
    expect((await under.call('DELETE', `/offers/${ended}`)).status).toBe(200);
    expect((await namesOfEvents(under, ended)).slice(-1)).toEqual(['OfferDeleted']);
  });

  it('counts an unfinished creation as an offer that has not ended', async () => {
    await advance(under, DAY_S);
    const tomorrow = { start_datetime: '2026-06-03T00:00:00Z', expiry_datetime: '2026-06-04T00:00:00Z' };
    const pricing = pausePoint();
    under.otherServices.pricing.onAsked = pricing.step;
    const creating = create(under, tomorrow);
    await pricing.reached;
    expect((await reset()).body).toMatchObject({ return_code: 'E2' });
    pricing.goOn();
    expect((await creating).body).toMatchObject({ return_code: 'S1' });
  });

  it('leaves the books right: a deletion while paused credits the pause, also when it is asked for later', async () => {
    const id = await createdId(under, startingNow);
    await advance(under, HOUR_S);
    await command(id, 'pause');
    await advance(under, 2 * HOUR_S);
    await under.call('DELETE', `/offers/${id}`);
    const { unusedMs } = (await eventsOf(under, id)).at(-1)?.data ?? {};
    expect(unusedMs).toBe(10 * HOUR_S * 1_000);
    await reset();
    const { body } = await under.admin('GET', '/admin/payments?limit=10');
    expect(body).toMatchObject({ payments: [{ offerId: id, over: true, unusedMs }] });
  });
});

describe('LIVE mode', () => {
  it('works without the table of test clocks: nothing reads it', async () => {
    const [parts, options] = live;
    const id = await createdId(under, { ...parts, ...startingNow }, options);
    await under.postgres.query('ALTER TABLE test_clocks RENAME TO hidden');
    try {
      const call = (method: string, path: string) => under.call(method, path, options);
      const other = await createdId(under, parts, options);
      for (const name of ['pause', 'resume'])
        expect((await call('POST', `/offers/${id}/${name}`)).status).toBe(200);
      const edit = { ...options, body: formOf({ title: 'Three for one', environment: 'LIVE' }) };
      expect((await under.call('PATCH', `/offers/${id}`, edit)).status).toBe(200);
      for (const path of ['', '/analytics?interval=all', '/analytics/series?interval=24h&granularity=hour'])
        expect((await call('GET', `/offers/${id}${path}`)).status).toBe(200);
      expect((await call('POST', `/offers/${id}/credit-estimate`)).status).toBe(200);
      for (const filter of ['', '&offer_status=active'])
        expect((await listed(filter, 'live')).includes(id)).toBe(true);
      await sendViews(under, [place(under, id, { mode: 'LIVE' }).viewToken], { mode: 'LIVE' });
      expect(await countsOf(under, id)).toEqual({ views: 1 });
      expect(
        (await under.admin('POST', `/admin/offers/${id}/disable`, { reason: 'Not as agreed' })).status,
      ).toBe(200);
      expect((await call('DELETE', `/offers/${id}`)).body).toMatchObject({ return_code: 'S1' });
      under.clock.set('2026-06-02T00:00:00Z');
      // The rest of the run, which is about TEST offers, fails.
      await under.offers.sweeper.announce().catch(() => {});
      expect((await namesOfEvents(under, other)).slice(-1)).toEqual(['OfferEnded']);
      // The opposite, so that this test can fail: TEST mode does read it.
      expect((await under.call('GET', '/offers?environment=test', { once: true })).status).not.toBe(200);
    } finally {
      await under.postgres.query('ALTER TABLE hidden RENAME TO test_clocks');
    }
  });
});
