/** The platform's own look at an offer and its switch. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { adminToken } from '@offer-ads/testing/admin';
import { createdId, startingNow } from './forms.ts';
import { type OffersUnderTest, startOffersUnderTest } from './offers-under-test.ts';

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

describe('GET /admin/offers/:id', () => {
  it('shows an offer with its money and times, deleted or not', async () => {
    const id = await createdId(under);
    await under.call('DELETE', `/offers/${id}`);
    const answer = await under.admin('GET', `/admin/offers/${id}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      id,
      organisationId: 1,
      mode: 'TEST',
      status: 'Deleted',
      enabled: true,
      netMinor: '1000',
      deletedAt: '2026-06-01T12:00:00.000Z',
    });
  });

  it('is of one mind with list and analytics once the end was told, though a clock is behind', async () => {
    const caller = { organisationId: 51 };
    const id = await createdId(under, startingNow, { caller });
    under.clock.set('2026-06-01T23:00:00Z');
    await under.offers.sweeper.announce();
    under.clock.set('2026-06-01T22:59:59.900Z');
    const list = await under.call('GET', '/offers?environment=test', { caller });
    const analytics = await under.call('GET', `/offers/${id}/analytics?interval=all`, { caller });
    expect((await under.admin('GET', `/admin/offers/${id}`)).body).toMatchObject({ status: 'Ended' });
    expect(list.body).toMatchObject({ data: [{ offer_status: 'Ended' }] });
    expect(analytics.body).toMatchObject({ status: 'Ended' });
  });

  it('is 404 for an offer that is not', async () => {
    expect((await under.admin('GET', '/admin/offers/424242')).status).toBe(404);
    expect((await under.admin('GET', '/admin/offers/x')).status).toBe(404);
  });
});

describe('GET /admin/offers', () => {
  const list = async (query: string) => under.admin('GET', `/admin/offers?${query}`);

  it('lists the offers of an organisation in a mode page by page, newest first, and no other', async () => {
    const caller = { organisationId: 61 };
    const ids: number[] = [];
    for (const _ of [1, 2, 3]) {
      ids.unshift(await createdId(under, startingNow, { caller }));
      under.clock.advance(1_000);
    }
    await createdId(under, startingNow, { caller: { organisationId: 62 } });
    const first = await list('organisationId=61&mode=TEST&limit=2');
    expect(first.body).toMatchObject({ offers: [{ id: ids[0] }, { id: ids[1] }] });
    const { nextCursor } = first.body as { nextCursor: string };
    const second = await list(`organisationId=61&mode=TEST&limit=2&cursor=${nextCursor}`);
    expect(second.body).toMatchObject({ offers: [{ id: ids[2], organisationId: 61 }], nextCursor: null });
    expect((await list('organisationId=61&mode=LIVE')).body).toEqual({ offers: [], nextCursor: null });
  });

  it.each([
    ['mode=TEST', 'organisationId: '],
    ['organisationId=1&mode=BOTH', 'mode: '],
    ['organisationId=1&mode=TEST&cursor=0', 'cursor: '],
  ])('with %s says what is wrong', async (query, problem) => {
    const { status, body } = await list(query);
    expect([status, body]).toEqual([400, { message: expect.stringContaining(problem) }]);
  });
});

describe('GET /admin/images/:hash', () => {
  it('shows the picture of an offer by its hash, and which offers show it', async () => {
    const id = await createdId(under, startingNow, { caller: { organisationId: 63 } });
    const { imageHash } = (await under.admin('GET', `/admin/offers/${id}`)).body as { imageHash: string };
    const { offers } = (await under.admin('GET', `/admin/images/${imageHash}/offers`)).body as {
      offers: { id: number }[];
    };
    expect(offers.map((offer) => offer.id)).toContain(id);
    const picture = await fetch(`${under.offers.url}/admin/images/${imageHash}`, {
      headers: { authorization: `Bearer ${adminToken}` },
    });
    expect(picture.headers.get('content-type')).toMatch(/^image\/(jpeg|png)$/);
    expect(picture.headers.get('cache-control')).toBe('no-store');
    const bytes = Buffer.from(await picture.arrayBuffer());
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(imageHash);
  });

  it('knows nothing of other hashes, and is closed to whoever has no credential', async () => {
    const unknown = '0'.repeat(64);
    expect((await under.admin('GET', `/admin/images/${unknown}`)).status).toBe(404);
    expect((await under.admin('GET', `/admin/images/${unknown}/offers`)).body).toEqual({ offers: [] });
    expect((await under.admin('GET', '/admin/images/..%2fx')).status).toBe(400);
    expect((await fetch(`${under.offers.url}/admin/images/${unknown}`)).status).toBe(401);
  });
});

describe('POST /admin/offers/:id/disable and enable', () => {
  it('switch an offer off and on, tell the others, and make the time between unused', async () => {
    const id = await createdId(under, startingNow);
    await under.clearEvents();
    const off = await under.admin('POST', `/admin/offers/${id}/disable`);
    expect(off.body).toMatchObject({ enabled: false, status: 'Active' });
    under.clock.advance(60_000);
    const on = await under.admin('POST', `/admin/offers/${id}/enable`);
    expect(on.body).toMatchObject({ enabled: true, unusedMs: 60_000 });
    expect((await under.events()).map((event) => event.name)).toEqual(['OfferDisabled', 'OfferEnabled']);
  });

  it('tell exactly which offer and when, and refuse in words that an admin reads', async () => {
    const id = await createdId(under, startingNow);
    await under.clearEvents();
    await under.admin('POST', `/admin/offers/${id}/disable`);
    under.clock.advance(1);
    await under.admin('POST', `/admin/offers/${id}/enable`);
    expect(await under.events()).toMatchObject([
      {
        name: 'OfferDisabled',
        subjectVersion: 3,
        data: { offerId: id, disabledAt: '2026-06-01T12:00:00.000Z' },
      },
      {
        name: 'OfferEnabled',
        subjectVersion: 4,
        data: { offerId: id, enabledAt: '2026-06-01T12:00:00.001Z' },
      },
    ]);
    expect(await under.admin('POST', `/admin/offers/${id}/enable`)).toMatchObject({
      status: 409,
      body: { message: 'Offer is already enabled' },
    });
    await under.admin('POST', `/admin/offers/${id}/disable`);
    expect(await under.admin('POST', `/admin/offers/${id}/disable`)).toMatchObject({
      status: 409,
      body: { message: 'Offer is already disabled' },
    });
    expect(await under.admin('POST', '/admin/offers/x/disable')).toMatchObject({
      status: 404,
      body: { message: 'Offer not found' },
    });
  });

  it('change what members see and leave the status that the advertiser sees', async () => {
    const caller = { organisationId: 50 };
    const id = await createdId(under, startingNow, { caller });
    const listed = async () => {
      const { body } = await under.call('GET', '/offers?environment=test', { caller });
      const [offer] = (body as { data: { offer_status: string; status: string }[] }).data;
      return [offer!.offer_status, offer!.status];
    };
    await under.admin('POST', `/admin/offers/${id}/disable`);
    expect(await listed()).toEqual(['Active', 'disabled']);
    const { body } = await under.call('GET', '/offers?environment=test&offer_status=active', { caller });
    expect(body).toMatchObject({ data: [{ offer_id: id }] });
    await under.call('POST', `/offers/${id}/pause`, { caller });
    expect(await listed()).toEqual(['Paused', 'disabled']);
    await under.admin('POST', `/admin/offers/${id}/enable`);
    expect(await listed()).toEqual(['Paused', 'enabled']);
  });

  it('keep a disabled offer from being told as activated until it is enabled', async () => {
    const id = await createdId(under);
    await under.admin('POST', `/admin/offers/${id}/disable`);
    under.clock.set('2026-06-01T13:00:00Z');
    await under.offers.sweeper.announce();
    const activations = async () =>
      (await under.events('all')).filter((it) => it.name === 'OfferActivated' && it.data['offerId'] === id);
    expect(await activations()).toEqual([]);
    under.clock.set('2026-06-01T13:10:00Z');
    await under.admin('POST', `/admin/offers/${id}/enable`);
    await under.offers.sweeper.announce();
    expect(await activations()).toMatchObject([{ data: { activatedAt: '2026-06-01T13:10:00.000Z' } }]);
  });

  it('reach offers of either mode, unpaid and ended ones, but no deleted one', async () => {
    const live = await createdId(under, { environment: 'LIVE' }, { caller: { mode: 'LIVE' } });
    const unpaid = await createdId(under, { payment_method: 'E' });
    const ran = await createdId(under, startingNow);
    const gone = await createdId(under);
    await under.call('DELETE', `/offers/${gone}`);
    under.clock.set('2026-06-02T12:00:00Z');
    for (const id of [live, unpaid, ran]) {
      expect(await under.admin('POST', `/admin/offers/${id}/disable`)).toMatchObject({
        status: 200,
        body: { status: 'Ended', enabled: false, unusedMs: 0 },
      });
    }
    expect((await under.admin('POST', `/admin/offers/${gone}/disable`)).status).toBe(404);
  });

  it('succeed once of many at once', async () => {
    const id = await createdId(under, startingNow);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => under.admin('POST', `/admin/offers/${id}/disable`)),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(5);
  });

  it('refuse what is so already, and an offer that is not', async () => {
    const id = await createdId(under, startingNow);
    expect((await under.admin('POST', `/admin/offers/${id}/enable`)).status).toBe(409);
    await under.admin('POST', `/admin/offers/${id}/disable`);
    expect((await under.admin('POST', `/admin/offers/${id}/disable`)).status).toBe(409);
    expect((await under.admin('POST', '/admin/offers/424242/disable')).status).toBe(404);
  });
});
