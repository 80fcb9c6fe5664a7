/** OfferActivated, OfferEndsSoon, OfferEnded and WeekEnded: each is written once, with several replicas running. */
import { describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { byCard, copyOffer, createdId, createGroup, formOf, startingNow, threePlaces } from '../forms.ts';
import { offersUnderTest } from '../offers-under-test.ts';
import { offerPaid } from '../payments.ts';
import { seeOffer } from '../placements/placing.ts';

const HOUR = 3_600_000;
/** More than one batch of the sweeper. */
const HUNDREDS = 250;

const under = offersUnderTest();
const replica = forAllTests(() => under.startReplica());

async function announceAt(time: string): Promise<void> {
  under.clock.set(`2026-06-01T${time}Z`);
  for (const _ of [1, 2]) {
    const replicas = [under.offers, replica, under.offers];
    await Promise.all(replicas.map(({ sweeper }) => sweeper.announce()));
  }
}

const command = (id: number, name: string) => under.call('POST', `/offers/${id}/${name}`);

async function written(id: number, name: string): Promise<Record<string, unknown>[]> {
  const events = await under.events('all');
  return events.filter((event) => event.name === name && event.data.offerId === id).map(({ data }) => data);
}

describe('OfferActivated', () => {
  it('is written soon after its time, without any request', async () => {
    const id = await createdId(under);
    under.clock.set('2026-06-01T13:00:00Z');
    await eventually(async () => expect(await written(id, 'OfferActivated')).toHaveLength(1));
  });

  it('is written once for each of hundreds that begin at once, and not before', async () => {
    const id = await createdId(under);
    await copyOffer(under, id, HUNDREDS);
    await announceAt('12:59:59.999');
    expect(await written(id, 'OfferActivated')).toEqual([]);
    await announceAt('13:00:01');
    expect(await written(id, 'OfferActivated')).toMatchObject([{ activatedAt: '2026-06-01T13:00:00.000Z' }]);
    const begun = (await under.events('all')).filter((event) => event.name === 'OfferActivated');
    expect(begun).toHaveLength(HUNDREDS + 1);
    expect(new Set(begun.map(({ data }) => data.offerId)).size).toBe(HUNDREDS + 1);
  });
});

describe('OfferEndsSoon', () => {
  const days = (count: number) => ({ ...startingNow, expiry_datetime: `2026-06-0${1 + count}T12:00:00Z` });
  const sweep = async (at: string) => {
    under.clock.set(at);
    for (const { sweeper } of [under.offers, replica, under.offers]) await sweeper.announce();
  };

  it('is written once, a day before the end, of paused offers too', async () => {
    const id = await createdId(under, days(3));
    const paused = await createdId(under, days(3));
    await command(paused, 'pause');
    await sweep('2026-06-03T11:59:59Z');
    expect(await written(id, 'OfferEndsSoon')).toEqual([]);
    for (const at of ['2026-06-03T12:00:00Z', '2026-06-03T18:00:00Z', '2026-06-04T12:00:00Z'])
      await sweep(at);
    expect(await written(id, 'OfferEndsSoon')).toMatchObject([{ paused: false }]);
    expect(await written(paused, 'OfferEndsSoon')).toMatchObject([{ paused: true }]);
  });

  it('is not written of offers that are short, unpaid, disabled, deleted, extended, or over', async () => {
    const extended = await createdId(under, days(3));
    const following = { start_datetime: '2026-06-04T12:00:00Z', expiry_datetime: '2026-06-05T12:00:00Z' };
    await createdId(under, { ...following, image_offer_id: `${extended}` }, { picture: null });
    const short = await createdId(under, { ...days(2), start_datetime: '2026-06-01T12:00:01Z' });
    const unpaid = await createdId(under, { ...days(3), ...byCard });
    const [disabled, deleted] = [await createdId(under, days(3)), await createdId(under, days(3))];
    await under.admin('POST', `/admin/offers/${disabled}/disable`, { reason: 'its terms' });
    await under.call('DELETE', `/offers/${deleted}`);
    await sweep('2026-06-02T13:00:00Z');
    await sweep('2026-06-03T13:00:00Z');
    const passedOver = await createdId(under, {
      start_datetime: '2026-06-03T13:00:00Z',
      expiry_datetime: '2026-06-08T12:00:00Z',
    });
    await sweep('2026-06-09T00:00:00Z');
    for (const id of [extended, short, unpaid, disabled, deleted, passedOver])
      expect(await written(id, 'OfferEndsSoon')).toEqual([]);
  });

  it('and OfferEnded of a group name the offers that end together', async () => {
    const { body } = await createGroup(under, {
      ...days(3),
      places: JSON.stringify([...threePlaces, { latitude: 10, longitude: 10, label: 'Deleted' }]),
    });
    const { group_id: groupId, offers } = body as { group_id: number; offers: { offer_id: number }[] };
    const [first, second, third, gone] = offers.map(({ offer_id: id }) => id) as [
      number,
      number,
      number,
      number,
    ];
    await under.call('DELETE', `/offers/${gone}`);
    await command(first, 'pause');
    await under.admin('POST', `/admin/offers/${third}/disable`, { reason: 'its terms' });
    const [soho, named, camden] = [
      { offerId: first, label: 'Soho' },
      { offerId: second, label: `${threePlaces[1]?.latitude}, ${threePlaces[1]?.longitude}` },
      { offerId: third, label: 'Camden' },
    ];
    await sweep('2026-06-03T12:00:00Z');
    const soon = { group: { groupId, title: 'Two for one (2 places)', places: [soho, named], paused: 1 } };
    for (const id of [first, second]) expect(await written(id, 'OfferEndsSoon')).toMatchObject([soon]);
    await sweep('2026-06-04T12:00:00Z');
    const over = { group: { groupId, places: [soho, named, camden], unusedMs: 3 * 24 * HOUR } };
    for (const id of [first, second, third]) expect(await written(id, 'OfferEnded')).toMatchObject([over]);
    expect(await written(second, 'OfferEnded')).toMatchObject([{ unusedMs: 0 }]);
  });

  it('of a group whose offers end at different times names those that end with it, by their titles', async () => {
    const places = [
      { latitude: 10, longitude: 10, label: 'Soho' },
      { latitude: 10, longitude: 20, label: 'Camden', title: 'Half price' },
      { latitude: 10, longitude: 30, ...days(5) },
    ];
    const { body } = await createGroup(under, { ...days(3), places: JSON.stringify(places) });
    const { group_id: groupId, offers } = body as { group_id: number; offers: { offer_id: number }[] };
    const [first = 0, second = 0, third = 0] = offers.map(({ offer_id: id }) => id);
    await sweep('2026-06-03T12:00:00Z');
    const soon = [
      { offerId: first, label: 'Two for one (Soho)' },
      { offerId: second, label: 'Half price (Camden)' },
    ];
    expect(await written(first, 'OfferEndsSoon')).toMatchObject([
      { group: { groupId, title: 'Two for one and 1 more', places: soon } },
    ]);
    expect(await written(third, 'OfferEndsSoon')).toEqual([]);
    await sweep('2026-06-05T12:00:00Z');
    expect(await written(third, 'OfferEndsSoon')).toMatchObject([
      { group: { groupId, title: 'Two for one (1 place)', places: [{ offerId: third, label: '10, 30' }] } },
    ]);
    const edited = await under.call('PATCH', `/offer-groups/${groupId}`, {
      body: formOf({ title: 'New' }),
    });
    expect(edited).toMatchObject({ status: 200 });
  });

  it('is written by the test clock as soon as that comes to the last day', async () => {
    const id = await createdId(under, days(3));
    const { status } = await under.call('POST', '/test/clock', { json: { advance_seconds: 2.5 * 86_400 } });
    expect(status).toBe(200);
    expect(await written(id, 'OfferEndsSoon')).toHaveLength(1);
    await sweep('2026-06-03T18:00:00Z');
    expect(await written(id, 'OfferEndsSoon')).toHaveLength(1);
  });
});

describe('WeekEnded', () => {
  it('is written once on Monday from 06:00 on, of organisations whose LIVE offers ran, with views, clicks and cost of the week', async () => {
    // 1 June 2026 is a Monday.
    const week = {
      start_datetime: '2026-06-01T12:00:00Z',
      expiry_datetime: '2026-06-15T12:00:00Z',
      environment: 'LIVE',
    };
    const caller = { mode: 'LIVE' as const };
    const id = await createdId(under, week, { caller });
    const paused = await createdId(under, week, { caller });
    await under.call('POST', `/offers/${paused}/pause`, { caller });
    const places = JSON.stringify([{ latitude: 50, longitude: 10, label: 'Soho' }]);
    const group = (await createGroup(under, { ...week, places }, { caller })).body as {
      offers: { offer_id: number }[];
    };
    const placed = group.offers[0]!.offer_id;
    await createdId(under, { ...week, environment: 'TEST' });
    await createdId(
      under,
      { ...week, start_datetime: '2026-06-09T12:00:00Z' },
      { caller: { ...caller, organisationId: 2 } },
    );
    under.clock.set('2026-06-08T03:00:00Z');
    await seeOffer(under, id, { views: 3, clicks: 1, at: new Date('2026-06-07T23:00:00Z') });
    await seeOffer(under, id, { views: 9, at: new Date('2026-06-08T02:00:00Z') });
    const report = async (at: string) => {
      under.clock.set(at);
      await Promise.all([under.offers, replica].map(({ sweeper }) => sweeper.report()));
      return (await under.events('all')).filter(({ name }) => name === 'WeekEnded').map(({ data }) => data);
    };
    expect(await report('2026-06-08T05:59:59Z')).toEqual([]);
    expect(await report('2026-06-09T00:00:00Z')).toEqual([]);
    // Of each 6.5 of 14 days of 10.00.
    const results = { views: 3, clicks: 1, costMinor: '464' };
    const unseen = { views: 0, clicks: 0, costMinor: '464' };
    const written = await report('2026-06-08T06:00:00Z');
    expect(written).toEqual([
      {
        organisationId: 1,
        mode: 'LIVE',
        currency: 'GBP',
        from: '2026-06-01T00:00:00.000Z',
        to: '2026-06-08T00:00:00.000Z',
        offers: [
          { offerId: id, title: 'Two for one', ...results },
          { offerId: placed, title: 'Two for one (Soho)', ...unseen },
        ],
        moreOffers: 0,
        total: { ...results, costMinor: '928' },
      },
    ]);
    expect(await report('2026-06-08T07:00:00Z')).toEqual(written);
    // The loop of a new process has forgotten that the week is done.
    await using restarted = await under.startReplica();
    await restarted.sweeper.report();
    expect(await report('2026-06-08T08:00:00Z')).toEqual(written);
  });
});

describe('OfferEnded', () => {
  it('is written once, with the Unused Time of a paid offer', async () => {
    const id = await createdId(under, startingNow);
    under.clock.set('2026-06-01T20:00:00Z');
    await command(id, 'pause');
    await announceAt('23:30:00');
    expect(await written(id, 'OfferEnded')).toMatchObject([
      { paid: true, unusedMs: 3 * HOUR, scheduledMs: 11 * HOUR, endedAt: '2026-06-01T23:00:00.000Z' },
    ]);
  });

  it('is written for an unpaid offer too, so that billing closes its page; a later payment is wholly unused', async () => {
    const id = await createdId(under, byCard);
    await announceAt('23:00:00');
    expect(await written(id, 'OfferEnded')).toMatchObject([{ paid: false, unusedMs: 0 }]);
    await under.deliver(OfferPaid, offerPaid(under, id));
    expect(await written(id, 'OfferPaymentApplied')).toMatchObject([
      { outcome: 'ended', unusedMs: 10 * HOUR, scheduledMs: 10 * HOUR },
    ]);
  });

  it('decides: a command that arrived before the end and is handled after it comes too late', async () => {
    const paused = await createdId(under, startingNow);
    const running = await createdId(under, startingNow);
    const unpaid = await createdId(under, { ...startingNow, ...byCard });
    await command(paused, 'pause');
    await announceAt('23:00:00');
    under.clock.set('2026-06-01T22:59:59Z');
    for (const answer of [await command(paused, 'resume'), await command(running, 'pause')])
      expect(answer.body).toMatchObject({ return_code: 'E2' });
    await under.deliver(OfferPaid, offerPaid(under, unpaid));
    expect(await written(unpaid, 'OfferPaymentApplied')).toMatchObject([
      { outcome: 'ended', unusedMs: 11 * HOUR, scheduledMs: 11 * HOUR },
    ]);
  });

  it('is not written for an offer that was deleted before its end, but for one that was deleted after it', async () => {
    const [early, late] = [await createdId(under), await createdId(under)];
    await under.call('DELETE', `/offers/${early}`);
    under.clock.set('2026-06-01T23:00:00Z');
    await under.call('DELETE', `/offers/${late}`);
    await announceAt('23:00:00');
    expect(await written(early, 'OfferEnded')).toEqual([]);
    expect(await written(late, 'OfferEnded')).toHaveLength(1);
  });
});
