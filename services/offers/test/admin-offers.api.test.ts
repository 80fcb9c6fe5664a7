/** The admin routes of offers: one offer, the list, pictures, the switch, and the check of payments. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { offersExportReply } from '@offer-ads/contracts/admin/offers-api';
import type { KnownPayment } from '@offer-ads/contracts/internal/payments-api';
import { adminToken } from '@offer-ads/testing/admin';
import type { ListingPlace } from '../src/domain/listing-query.ts';
import { countWaitingForReview, searchOffers } from '../src/listing/search-store.ts';
import { byCard, createdId, live, startingNow } from './forms.ts';
import { offersUnderTest } from './offers-under-test.ts';
import { itemsOfPages } from './pages.ts';

const under = offersUnderTest();

describe('GET /admin/offers', () => {
  const list = (query: string) => under.admin('GET', `/admin/offers?${query}`);

  type Listed = { offers: { id: number; status: string }[]; nextCursor: string | null };
  const idsOf = async (query: string) => ((await list(query)).body as Listed).offers.map(({ id }) => id);

  it("lists one organisation's offers of one mode or of both, page by page, newest first", async () => {
    const ids: number[] = [];
    for (const [parts, o] of [[startingNow], live, [startingNow], live] as const) {
      ids.unshift(await createdId(under, parts, o));
      under.clock.advance(1_000);
    }
    await createdId(under, startingNow, { caller: { organisationId: 2 } });
    const listed = await itemsOfPages(async (cursor) => {
      const page = (await list(`organisationId=1&limit=3${cursor && `&cursor=${cursor}`}`)).body as Listed;
      return { items: page.offers.map(({ id }) => id), next: page.nextCursor };
    });
    expect(listed).toEqual(ids);
    expect(await idsOf('organisationId=1&mode=LIVE')).toEqual([ids[0], ids[2]]);
  });

  it('finds offers of all organisations by beginnings of words of the title, in any case', async () => {
    const tea = await createdId(under, { title: 'Tea-time: 2-for-1 at -20%' });
    const cafe = await createdId(under, { title: 'Café au lait' }, { caller: { organisationId: 2 } });
    for (const title of ['tea', 'TIME te', '2 1 20', 'tea-time', "tea & '20"])
      expect([title, await idsOf(`title=${encodeURIComponent(title)}`)]).toEqual([title, [tea]]);
    for (const title of ['CAF', 'café lait', 'au'])
      expect([title, await idsOf(`title=${encodeURIComponent(title)}`)]).toEqual([title, [cafe]]);
    for (const title of ['tea lait', 'ime'])
      expect([title, await idsOf(`title=${encodeURIComponent(title)}`)]).toEqual([title, []]);
  });

  // Postgres and JavaScript do not agree about the lower case of each letter.
  it.each(['İzmir', 'ΟΔΟΣ'])('finds %s by its own word', async (title) => {
    const id = await createdId(under, { title });
    expect(await idsOf(`title=${encodeURIComponent(title)}`)).toEqual([id]);
  });

  it('filters by state, deleted and disabled ones too, of one organisation or of all', async () => {
    const active = await createdId(under, startingNow);
    const scheduled = await createdId(under);
    const paused = await createdId(under);
    const deleted = await createdId(under);
    const waiting = await createdId(under, byCard, { caller: { organisationId: 2 } });
    await under.call('POST', `/offers/${paused}/pause`);
    await under.call('DELETE', `/offers/${deleted}`);
    await under.admin('POST', `/admin/offers/${scheduled}/disable`, { reason: 'misleading' });
    const of: Record<string, number[]> = {
      Active: [active],
      Scheduled: [scheduled],
      Paused: [paused],
      Deleted: [deleted],
      Disabled: [scheduled],
      'Awaiting Payment': [waiting],
      Ended: [],
    };
    for (const [state, ids] of Object.entries(of))
      for (const more of ['', '&mode=TEST'])
        expect([state, await idsOf(`state=${state}${more}`)]).toEqual([state, ids]);
    for (const mode of ['', '&mode=TEST'])
      expect(await idsOf(`organisationId=1&state=Deleted${mode}`)).toEqual([deleted]);
    expect(await idsOf('organisationId=1&state=Awaiting Payment')).toEqual([]);
    expect(await idsOf('')).toEqual([waiting, paused, scheduled, active]);
    expect(await idsOf('mode=LIVE')).toEqual([]);
  });

  it('takes the status of a TEST offer by the test clock of its organisation', async () => {
    const id = await createdId(under);
    await under.postgres.query('INSERT INTO test_clocks VALUES (1, 7200)');
    expect(await idsOf('state=Active')).toEqual([id]);
    expect(await idsOf('state=Scheduled')).toEqual([]);
  });

  it('looks at a bounded number of offers, and goes on after the last one with the next page', async () => {
    const active = await createdId(under, startingNow);
    await createdId(under);
    await createdId(under);
    const search = { state: 'Active', limit: 5 } as const;
    const page = (after: ListingPlace | null) =>
      searchOffers(under.postgres, { ...search, after }, under.clock.now(), 2);
    const first = await page(null);
    expect(first).toEqual({ offers: [], next: expect.objectContaining({ offerId: active + 1 }) });
    const second = await page(first.next);
    expect([second.offers.map(({ offerId }) => offerId), second.next]).toEqual([[active], null]);
  });

  it.each([
    ['organisationId=0', 'organisationId: '],
    ['organisationId=1&mode=BOTH', 'mode: '],
    ['organisationId=1&mode=TEST&cursor=0', 'cursor: '],
    ['state=Running', 'state: '],
    ['title=%20', 'title: '],
    // Without a word to search for, all offers would be listed.
    ['title=!!!', 'title: Must have a letter or a digit'],
  ])('is 400 with %s, and names the fault', async (query, fault) => {
    const { status, body } = await list(query);
    expect([status, body]).toEqual([400, { message: expect.stringContaining(fault) }]);
  });
});

it('the offers that wait for a review are counted by mode, up to a bound', async () => {
  const count = (mode: 'TEST' | 'LIVE', atMost = 10) => countWaitingForReview(under.postgres, mode, atMost);
  const id = await createdId(under, ...live);
  await createdId(under, ...live);
  await createdId(under, ...live).then((deleted) => under.call('DELETE', `/offers/${deleted}`, live[1]));
  expect([await count('LIVE'), await count('LIVE', 1), await count('TEST')]).toEqual([2, 1, 0]);
  const { contentVersion } = await under.offer(id);
  expect((await under.admin('POST', `/admin/offers/${id}/review`, { contentVersion })).status).toBe(200);
  expect(await count('LIVE')).toBe(1);
});

describe('GET /admin/offers/export', () => {
  const page = (query: string) => under.admin('GET', `/admin/offers/export?${query}`);

  it('has everything about the offers of an organisation, with the hours of each; deleted ones apart', async () => {
    const id = await createdId(under, { ...startingNow, 'interests[]': ['1'] });
    const inLive = await createdId(under, ...live);
    const deleted = await createdId(under);
    await createdId(under, startingNow, { caller: { organisationId: 2 } });
    await under.call('DELETE', `/offers/${deleted}`);
    await under.postgres.query(
      `INSERT INTO traffic (offer_id, hour, views, clicks) VALUES ($1, '2026-06-01T12:00:00Z', 5, 2), ($1, '2026-06-01T13:00:00Z', 0, 0)`,
      [id],
    );
    const { body } = await page('organisationId=1&deleted=false');
    const { offers, nextCursor } = offersExportReply.parse(body);
    expect([new Set(offers.map((offer) => offer.id)), nextCursor]).toEqual([new Set([id, inLive]), null]);
    expect(offers.find((offer) => offer.id === id)).toMatchObject({
      description: 'Two coffees for the price of one',
      latitude: 51.5074,
      interests: [1],
      traffic: [{ hour: '2026-06-01T12:00:00.000Z', views: 5, clicks: 2 }],
    });
    const gone = await page('organisationId=1&deleted=true');
    expect(gone.body).toMatchObject({ offers: [{ id: deleted, status: 'Deleted' }], nextCursor: null });
    expect((await page('organisationId=1')).status).toBe(400);
  });
});

describe('GET /admin/images/:hash', () => {
  it('shows the picture of an offer by its hash, and which offers show it', async () => {
    const id = await createdId(under, startingNow);
    const imageHash = String((await under.offer(id))['imageHash']);
    expect((await under.admin('GET', `/admin/images/${imageHash}/offers`)).body).toMatchObject({
      offers: [{ id }],
    });
    const warnings: string[] = [];
    const note = ({ name }: Error) => warnings.push(name);
    process.on('warning', note);
    const picture = await fetch(`${under.offers.adminUrl}/admin/images/${imageHash}`, {
      headers: { authorization: `Bearer ${adminToken}` },
    });
    process.off('warning', note);
    expect(warnings).not.toContain('MaxListenersExceededWarning');
    expect(picture.headers.get('content-type')).toBe('image/jpeg');
    expect(picture.headers.get('cache-control')).toBe('no-store');
    const bytes = Buffer.from(await picture.arrayBuffer());
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(imageHash);
  });

  it('has nothing for other hashes, and is closed without the credential', async () => {
    const unknown = '0'.repeat(64);
    expect((await under.admin('GET', `/admin/images/${unknown}`)).status).toBe(404);
    expect((await under.admin('GET', `/admin/images/${unknown}/offers`)).body).toEqual({ offers: [] });
    expect((await under.admin('GET', '/admin/images/..%2fx')).status).toBe(400);
    expect((await fetch(`${under.offers.adminUrl}/admin/images/${unknown}`)).status).toBe(401);
  });
});

describe('POST /admin/offers/:id/disable and enable', () => {
  const reason = 'Its terms promise more than the description.';
  const change = (name: 'disable' | 'enable', id: number) =>
    under.admin('POST', `/admin/offers/${id}/${name}`, name === 'disable' ? { reason } : undefined);

  it('switch an offer off, with a reason that its advertiser reads, and on, write the events, and make the time between unused', async () => {
    const id = await createdId(under, startingNow);
    await under.clearEvents();
    const told = () =>
      Promise.all(
        [`/offers/${id}`, `/portal/offers/${id}`].map(async (path) => (await under.call('GET', path)).body),
      );
    expect((await change('disable', id)).body).toMatchObject({
      enabled: false,
      disabledReason: reason,
      status: 'Active',
    });
    expect(await told()).toMatchObject([{ disabled_reason: reason }, { disabled_reason: reason }]);
    const { body } = await under.call('GET', '/offers?environment=test&offer_status=active');
    expect(body).toMatchObject({ data: [{ offer_id: id, offer_status: 'Active', status: 'disabled' }] });
    under.clock.advance(60_000);
    expect((await change('enable', id)).body).toMatchObject({
      enabled: true,
      disabledReason: null,
      unusedMs: 60_000,
    });
    expect(await told()).toMatchObject([{ disabled_reason: null }, { disabled_reason: null }]);
    expect(await under.events()).toMatchObject([
      {
        name: 'OfferDisabled',
        subjectVersion: 3,
        data: { offerId: id, disabledAt: '2026-06-01T12:00:00.000Z', reason },
      },
      {
        name: 'OfferEnabled',
        subjectVersion: 4,
        data: { offerId: id, enabledAt: '2026-06-01T12:01:00.000Z' },
      },
    ]);
  });

  it.each([undefined, {}, { reason: '' }, { reason: 'two\nlines' }, { reason: 'a'.repeat(501) }])(
    'disable nothing without a reason in one line: 400 for %j',
    async (body) => {
      const id = await createdId(under, startingNow);
      const { status, body: reply } = await under.admin('POST', `/admin/offers/${id}/disable`, body);
      expect({ status, reply }).toMatchObject({
        status: 400,
        reply: { message: expect.stringContaining('reason') },
      });
      expect(await under.offer(id)).toMatchObject({ enabled: true });
    },
  );

  it('are refused when there is nothing to change', async () => {
    const id = await createdId(under, startingNow);
    const refused = (status: number, message: string) => ({ status, body: { message } });
    expect(await change('enable', id)).toMatchObject(refused(409, 'Offer is already enabled'));
    await change('disable', id);
    expect(await change('disable', id)).toMatchObject(refused(409, 'Offer is already disabled'));
    await under.call('DELETE', `/offers/${id}`);
    for (const gone of ['x', '424242', id])
      for (const name of ['enable', 'disable'])
        expect(await under.admin('POST', `/admin/offers/${gone}/${name}`, { reason })).toMatchObject(
          refused(404, 'Offer not found'),
        );
    for (const gone of ['x', '424242'])
      expect((await under.admin('GET', `/admin/offers/${gone}`)).status).toBe(404);
  });
});

describe('the check of payments', () => {
  const known = async (offerId: number) => {
    const answer = await under.admin('GET', `/admin/payments?after=${offerId - 1}&limit=1`);
    return (answer.body as { payments: KnownPayment[] }).payments;
  };
  const chargeAgain = (offerId: number) => under.admin('POST', `/admin/payments/${offerId}/charge`);

  it('lists by id what was sold, whether it is paid, and its Unused Time', async () => {
    const id = await createdId(under, startingNow);
    const sold = {
      offerId: id,
      organisationId: 1,
      mode: 'TEST',
      currency: 'GBP',
      netMinor: '1000',
      paymentMethod: 'B',
      paid: true,
      shown: true,
    };
    expect(await known(id)).toMatchObject([{ ...sold, over: false, unusedMs: 0 }]);
    under.clock.advance(60_000);
    await under.call('DELETE', `/offers/${id}`);
    const [payment] = await known(id);
    expect(payment).toMatchObject({ ...sold, over: true });
    expect(payment?.unusedMs).toBe((payment?.scheduledMs ?? 0) - 60_000);
    expect(await known(id + 1)).toEqual([]);
  });

  it('charges again what billing has lost, once however often it is asked', async () => {
    const id = await createdId(under, startingNow);
    const { billing } = under.otherServices;
    billing.sales.delete(id);
    for (const _time of [1, 2])
      expect(await chargeAgain(id)).toMatchObject({ status: 200, body: { offerId: id, outcome: 'charged' } });
    expect(billing.sales.get(id)).toMatchObject({ state: 'charged', netMinor: 1000n });
  });

  it('reports a balance that is too low, and refuses an offer paid by card and one that does not exist', async () => {
    const [id, card] = [await createdId(under, startingNow), await createdId(under, byCard)];
    under.otherServices.billing.sales.delete(id);
    under.otherServices.billing.spent = true;
    expect((await chargeAgain(id)).body).toMatchObject({ outcome: 'balance-too-low' });
    expect([(await chargeAgain(card)).status, (await chargeAgain(424_242)).status]).toEqual([409, 404]);
  });
});
