/** POST /offer-groups, and what is read and done with a group (decision 270, offer groups). */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { OfferPaid } from '@offer-ads/contracts/events/billing';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import { ownNames, placeLimits } from '@offer-ads/contracts/values/places';
import { gif, png } from '@offer-ads/testing/pictures/pictures';
import {
  type CreateOptions,
  create,
  createdId,
  createGroup,
  form,
  formOf,
  type Parts,
  startingNow,
  threePlaces,
} from '../forms.ts';
import { type CallOptions, offersUnderTest } from '../offers-under-test.ts';
import { pausePoint } from '../pause-point.ts';
import { offerPaid } from '../payments.ts';
import { created, nothing, salesIn, tracesIn } from './creating.ts';
import { coded } from './refusals.ts';

const under = offersUnderTest();

type Offer = Record<string, unknown> & { readonly image?: string };

type Created = {
  group_id: number;
  offers: { offer_id: number; status: string }[];
  payment_url: string | null;
};

async function createdGroup(parts: Parts = {}): Promise<Created> {
  const answer = await createGroup(under, parts);
  expect(answer).toMatchObject(created);
  return answer.body as Created;
}

const idsOf = ({ offers }: Created) => offers.map(({ offer_id: id }) => id);
const shown = async (id: number) => (await under.call('GET', `/portal/offers/${id}`)).body as Offer;
const bodyOf = async (method: string, path: string) => (await under.call(method, path)).body;
const states = async (group: Created) =>
  Promise.all(idsOf(group).map(async (id) => (await under.offer(id))['status']));
const byCard = { payment_method: 'E' };

/** What billing says of each offer when the payer has paid for all: 2.00 VAT. */
const paidGroup = (ids: readonly number[]) => {
  const together = ['66', '67', '67'].map((vatMinor, index) => ({
    offerId: ids[index] ?? 0,
    netMinor: '1000',
    vatMinor,
  }));
  return together.map((part) => offerPaid(under, part.offerId, { ...part, together }));
};
async function payGroup(group: Created): Promise<void> {
  under.otherServices.billing.pay(-group.group_id);
  for (const paid of paidGroup(idsOf(group))) await under.deliver(OfferPaid, paid);
}

describe('a group from the balance', () => {
  it('is one charge and an ordinary offer at each place, in their order', async () => {
    const key = randomUUID();
    const parts = { ...startingNow, max_cost: '30' };
    const answer = await createGroup(under, parts, { key });
    const { group_id: groupId, offers } = answer.body as Created;
    expect(answer.body).toEqual({
      return_code: 'S1',
      group_id: groupId,
      offers: ['Soho', null, 'Camden'].map((label) => ({
        offer_id: expect.any(Number),
        status: 'Active',
        label,
      })),
      payment_url: null,
      currency: 'GBP',
    });
    expect(salesIn(under)).toMatchObject([[-groupId, { state: 'charged', netMinor: 30_00n }]]);
    expect((await under.events()).map(({ name, data }) => [data.offerId, name])).toEqual(
      offers.flatMap(({ offer_id: id }) => [
        [id, 'OfferCreated'],
        [id, 'OfferPaymentApplied'],
      ]),
    );
    const group = { groupId, places: 3, haveSameTime: true, netMinor: '3000', vatMinor: '0' };
    expect((await under.events())[1]?.data).toMatchObject({ netMinor: '1000', group });
    for (const [index, { offer_id: id }] of offers.entries()) {
      const { latitude, longitude, label = null } = threePlaces[index]!;
      const place = { latitude, longitude, place_label: label, group_id: groupId };
      expect(await bodyOf('GET', `/offers/${id}`)).toMatchObject({ title: 'Two for one', ...place });
      expect(await bodyOf('GET', `/portal/offers/${id}`)).toMatchObject({
        ...place,
        cost_minor: '1000',
        group_offers: 3,
      });
    }

    // The repeat of a purchase has the reply of the first, also at another price.
    under.otherServices.pricing.costMinor = 99_00n;
    expect((await createGroup(under, parts, { key })).body).toEqual(answer.body);
    for (const other of [startingNow, { ...startingNow, max_cost: '31' }])
      expect((await createGroup(under, other, { key })).status).toBe(422);
    expect((await create(under, parts, { key })).status).toBe(422);
    expect(await bodyOf('GET', `/portal/creations/${key}`)).toEqual({
      state: 'created',
      offer_id: offers[0]?.offer_id,
      group_id: groupId,
    });
    expect(under.otherServices.billing.charges()).toBe(1);
  });

  it('is charged and created once when two requests with its key meet', async () => {
    const key = randomUUID();
    const answers = await Promise.all([createGroup(under, {}, { key }), createGroup(under, {}, { key })]);
    expect(answers.map(({ status }) => status)).toContain(200);
    expect(await tracesIn(under)).toEqual({ offers: 3, keys: 1, sales: 1, events: 6 });
  });

  it.each<[string, Parts, object, object]>([
    [
      'places where nobody matches, which are all named',
      {},
      { pricing: { matchingAt: [0, 50, 0] } },
      coded('E5', 400, 'places[0] "Soho", places[2] "Camden": No users match the targeting'),
    ],
    [
      'a sum above the balance',
      {},
      { billing: { balanceMinor: 29_99n } },
      coded('E3', 200, 'The balance is below the cost of 30.00 GBP'),
    ],
    [
      'a balance that is spent by the time of the charge',
      {},
      { billing: { spent: true } },
      coded('E3', 200, 'The balance is below the cost of 30.00 GBP'),
    ],
    [
      'a sum above max_cost',
      { max_cost: '29.99' },
      {},
      coded('E1', 400, 'The cost of 30.00 GBP is above the max_cost of 29.99'),
    ],
    [
      'a sum above the card maximum',
      byCard,
      { pricing: { costMinor: 500_000_00n } },
      coded('E1', 400, expect.stringContaining('A card payment must be at most')),
    ],
    [
      'a picture that failed moderation',
      {},
      { moderation: { verdict: 'refused' } },
      coded('E2', 200, expect.anything()),
    ],
    [
      'a quote',
      { quote_id: 'a.b' },
      {},
      coded(
        'E1',
        400,
        'quote_id must not be sent: a quote is for a single offer, so each of places may have one',
      ),
    ],
    [
      'no places',
      { places: '' },
      {},
      coded('E1', 400, expect.stringMatching(/^places must be a list of 1 to 20/)),
    ],
    [
      'places that break their rules',
      {
        places: JSON.stringify([
          { latitude: 91, longitude: 0, lat: 1 },
          { latitude: 0, longitude: '0', label: 'x'.repeat(placeLimits.labelAtMost + 1) },
          null,
          // Half of a surrogate pair, which Postgres cannot store.
          { latitude: 0, longitude: 0, label: '\ud83d' },
        ]),
      },
      {},
      coded(
        'E1',
        400,
        `places[0].latitude must be a number from -90 to 90; places[0].lat is not known, a place has latitude, longitude, label, ${ownNames.join(', ')}; places[1].longitude must be a number from -180 to 180; places[1].label must be a text of at most 80 characters without line breaks and HTML; places[2] must be an object; places[3].label must be a text of at most 80 characters without line breaks and HTML`,
      ),
    ],
    [
      'one place twice',
      { places: '[{"latitude": 51.50001, "longitude": 0}, {"latitude": 51.50004, "longitude": -0.00004}]' },
      {},
      coded('E1', 400, 'places[1] is the same place as places[0]'),
    ],
    [
      'values of places, with those of the form that are wrong, and all at once',
      {
        url: 'x',
        radius: '4',
        places: JSON.stringify([
          {
            latitude: 1,
            longitude: 2,
            title: '',
            radius: '£10',
            gender: ['Men'],
            expiry_datetime: '2026-06-01T12:59',
          },
          { latitude: 91, longitude: 2, title: ['a'], description: '\ud800', category_id: 'Food' },
        ]),
      },
      {},
      coded(
        'E1',
        400,
        'places[0].title is missing; url must be an http or https address without user information; places[0].radius must be a whole number of miles from 5 to 30; places[0].gender must be Male, Female, Non-binary or All; places[0].expiry_datetime must be an ISO 8601 date and time with its zone, such as 2026-03-01T10:00:00Z; places[1].category_id must be an id from GET /categories; radius must be a whole number of miles from 5 to 30; places[1].latitude must be a number from -90 to 90; places[1].title must be a text or a number; places[1].description must be a text or a number',
      ),
    ],
    [
      'a start in the past, an unknown category or interest at one place',
      {
        places: JSON.stringify([
          threePlaces[0],
          { ...threePlaces[1], start_datetime: '2026-06-01T11:00:00Z' },
        ]),
      },
      {},
      coded('E1', 400, 'places[1]: start_datetime must not be more than 60 seconds in the past'),
    ],
    [
      'a category that is not known at one place',
      { places: JSON.stringify([threePlaces[0], { ...threePlaces[1], category_id: 999 }]) },
      {},
      coded('E1', 400, 'places[1]: category_id must be an id from GET /categories'),
    ],
    [
      'the picture of an offer that is not theirs',
      { places: JSON.stringify([threePlaces[0], { ...threePlaces[1], image_offer_id: 999 }]) },
      {},
      coded(
        'E1',
        400,
        expect.stringMatching(/^places\[1\]: image_offer_id must be the id of an offer of yours/),
      ),
    ],
    [
      'a quote of a place that does not hold',
      { places: JSON.stringify([threePlaces[0], { ...threePlaces[1], quote_id: 'quote.1' }]) },
      { pricing: { quoteRefusal: { outcome: 'refused', reason: 'expired' } } },
      coded('E1', 400, expect.stringMatching(/^places\[1\]: quote_id has expired/)),
    ],
  ])('is refused as a whole for %s', async (_, parts, world, reply) => {
    for (const [service, facts] of Object.entries(world))
      Object.assign(under.otherServices[service as 'billing'], facts);
    const { status, body } = await createGroup(under, parts);
    expect({ status, body }).toEqual(reply);
    expect({ ...(await tracesIn(under)), groups: await under.count('offer_groups') }).toEqual({
      ...nothing,
      groups: 0,
    });
  });

  it('counts each offer in the quota, and free LIVE ones in theirs', async () => {
    const quota = (perPerson: number) => ({ caller: { quota: { perPerson, perOrganisation: 9 } } });
    const { status, body } = await createGroup(under, {}, quota(2));
    const message =
      'Offer quota exceeded: this user may have 2 offers at a time and has 0; this request is for 3 more';
    expect({ status, body }).toEqual(coded('E4', 400, message));
    expect(await createGroup(under, {}, quota(3))).toMatchObject(created);

    under.otherServices.pricing.costMinor = 0n;
    const free = () => createGroup(under, { environment: 'LIVE' }, { caller: { mode: 'LIVE' } });
    for (let group = 0; group < 3; group += 1) expect(await free()).toMatchObject(created);
    expect((await free()).body).toMatchObject({
      return_code: 'E4',
      message: expect.stringContaining('3 more'),
    });
  });

  it('is one sum for a spending limit, early and at the charge', async () => {
    const spending = { spender: 'key/1', access: 'full', perDayMinor: '6000', perMonthMinor: null } as const;
    const { billing } = under.otherServices;
    for (const left of [{ leftMinor: 29_99n }, { leftMinor: 60_00n, leftAtSaleMinor: 29_99n }]) {
      Object.assign(billing, left);
      expect(await createGroup(under, {}, { caller: { spending } })).toMatchObject({
        status: 403,
        body: { message: expect.stringMatching(/^The cost is 30\.00 GBP, .* 29\.99 GBP is left$/) },
      });
    }
    expect(await tracesIn(under)).toEqual(nothing);
  });
});

/** A place with everything of its own, as a row of a CSV file has it. */
const own = {
  ...threePlaces[1],
  category_id: '1',
  title: 'Three for two',
  description: 'Pizzas',
  url: 'https://pizza.example/',
  radius: '5',
  gender: ['Female'],
  interests: [],
  start_datetime: '2026-06-01T12:00:00Z',
  expiry_datetime: '2026-06-03T12:00:00Z',
};

describe('places with values of their own', () => {
  it('are offers with these; the form has those of the others, and its picture', async () => {
    const earlier = await createdId(under, startingNow);
    const group = await createdGroup({
      places: JSON.stringify([{ ...own, image_offer_id: earlier, quote_id: 'quote.0' }, threePlaces[0], own]),
    });
    expect(group.offers.map(({ status }) => status)).toEqual(['Active', 'Scheduled', 'Active']);
    const offers = await Promise.all(idsOf(group).map(shown));
    const [copied, shared, another] = offers;
    expect(copied).toMatchObject({
      ...own,
      category_id: 1,
      radius: 5,
      interests: [],
      start_datetime: '2026-06-01T12:00:00.000Z',
      expiry_datetime: '2026-06-03T12:00:00.000Z',
      cost_minor: '777',
    });
    expect(shared).toMatchObject({ title: 'Two for one', radius: 10, category_id: 1, cost_minor: '1000' });
    const pictureOf = ({ image = '' }: Offer = {}) => new URL(image).pathname;
    expect(pictureOf(copied)).toBe(pictureOf(await shown(earlier)));
    expect(pictureOf(another)).toBe(pictureOf(shared));
    expect(salesIn(under)).toContainEqual([-group.group_id, expect.objectContaining({ netMinor: 27_77n })]);
  });

  it('have the pictures that they name, or the only one; another name is a fault of the place', async () => {
    const create = async (images: readonly (string | undefined)[], sent: readonly string[]) => {
      const places = images.map((image, index) => ({ ...threePlaces[index], image }));
      const body = await form({ 'location[]': undefined, places: JSON.stringify(places) }, null);
      for (const [index, name] of sent.entries())
        body.append('image', new Blob([new Uint8Array(await png({ seed: index + 1 }))]), name);
      const headers = { 'Idempotency-Key': randomUUID() };
      return (await under.call('POST', '/offer-groups', { body, headers })).body as Created;
    };
    const group = await create(['soho.png', 'caf\u00e9.png', 'soho.png'], ['soho.png', 'caf\u00e9.png']);
    const [soho, cafe, again] = await Promise.all(idsOf(group).map(shown));
    expect(again?.image?.split('?')[0]).toBe(soho?.image?.split('?')[0]);
    expect(cafe?.image?.split('?')[0]).not.toBe(soho?.image?.split('?')[0]);
    expect(await create(['a.png', undefined], ['a.png'])).toMatchObject({ return_code: 'S1' });
    expect(await create(['a.png', undefined], ['a.png', 'b.png'])).toMatchObject({
      message: 'places[1].image is missing',
    });
    expect(await create(['a.png', 'c.png'], ['a.png', 'b.png'])).toMatchObject({
      message: 'places[1].image must be the file name of a picture that is sent with the form as image',
    });
  });

  it('have one payment link, which ends with the first of them', async () => {
    await createdGroup({
      ...byCard,
      places: JSON.stringify([threePlaces[0], { ...own, expiry_datetime: '2026-06-01T13:30:00Z' }]),
    });
    expect(under.otherServices.billing.groupCheckout).toMatchObject({
      title: 'Two for one and 1 more',
      offerExpiryAt: '2026-06-01T13:30:00.000Z',
    });
  });
});

describe('a check', () => {
  const check = async (parts: Parts = {}, o: CreateOptions = {}) =>
    under.call('POST', '/portal/offer-groups/check', {
      ...o,
      body: await form({ 'location[]': undefined, places: JSON.stringify(threePlaces), ...parts }, o.picture),
    });

  it('prices each offer and buys nothing, also when the balance is too low', async () => {
    under.otherServices.billing.balanceMinor = 0n;
    under.otherServices.pricing.matchingAt = [50, 7, 50];
    expect((await check()).body).toEqual({
      currency: 'GBP',
      offers: [50, 7, 50].map((matching_users, index) => ({
        cost_minor: '1000',
        matching_users,
        quote_id: `quote.${index}`,
      })),
    });
    expect(await tracesIn(under)).toEqual(nothing);
  });

  it('refuses what a creation refuses', async () => {
    under.otherServices.pricing.matchingAt = [0, 50, 0];
    for (const parts of [{}, { title: '' }, { environment: 'LIVE' }, { places: '[]' }])
      expect((await check(parts)).body).toEqual((await createGroup(under, parts)).body);
  });
});

describe('a group by card', () => {
  it('has one link for all; each offer runs when billing reports its payment', async () => {
    const group = await createdGroup({ ...byCard, ...startingNow });
    expect(group.payment_url).toBe(`http://127.0.0.1/pay/token-of--${group.group_id}`);
    expect(await bodyOf('GET', `/offer-groups/${group.group_id}`)).toMatchObject({
      payment_url: group.payment_url,
      totals: { offers: 3, live: 0, spent: 0 },
    });
    // The parts of the VAT add up.
    expect(await bodyOf('GET', `/portal/offer-groups/${group.group_id}`)).toMatchObject({
      payment_method: 'E',
      cost_minor: '3000',
      vat_minor: '200',
      payment_url: group.payment_url,
    });
    await under.clearEvents();
    await payGroup(group);
    const [paid] = await under.events();
    expect(paid?.data).toMatchObject({
      netMinor: '1000',
      vatMinor: '66',
      group: { groupId: group.group_id, places: 3, netMinor: '3000', vatMinor: '200' },
    });
    expect(await states(group)).toEqual(['Active', 'Active', 'Active']);
    expect(await bodyOf('GET', `/offer-groups/${group.group_id}`)).toMatchObject({
      payment_url: null,
      totals: { offers: 3, live: 3, spent: 30 },
    });
  });

  it('is finished with payments that came first, and with those that come later', async () => {
    const { billing } = under.otherServices;
    billing.onSold = async () => {
      const rows = await under.postgres.query<{ id: number }>('SELECT offer_id AS id FROM offers ORDER BY 1');
      const [first] = paidGroup(rows.map(({ id }) => id));
      await under.deliver(OfferPaid, first!);
    };
    const group = await createdGroup({ ...byCard, ...startingNow });
    expect(await states(group)).toEqual(['Active', 'Active', 'Active']);
    await under.clearEvents();
    await payGroup(group);
    expect(await under.events()).toEqual([]);
  });

  it('that is paid after an end is told of in one transaction, with the Unused Time of all, however often its events come', async () => {
    const places = threePlaces.map(({ latitude, longitude }, index) => ({
      latitude,
      longitude,
      expiry_datetime: `2026-06-0${index + 2}T12:00:00Z`,
    }));
    const group = await createdGroup({ ...byCard, ...startingNow, places: JSON.stringify(places) });
    under.clock.set('2026-06-02T12:00:00Z');
    await under.clearEvents();
    under.otherServices.billing.pay(-group.group_id);
    await Promise.all(
      paidGroup(idsOf(group)).flatMap((paid) => [1, 2].map(() => under.deliver(OfferPaid, paid))),
    );
    const firstEnd = { haveSameTime: false, expiryAt: '2026-06-02T12:00:00.000Z' };
    const unused = [1, 2, 3].map((days, index) => ({
      offerId: idsOf(group)[index],
      unusedMs: DAY_MS,
      scheduledMs: days * DAY_MS,
    }));
    expect(
      (await under.events()).map(({ name, data }) => [name, data.offerId, data.outcome, data.group]),
    ).toEqual(
      ['ended', 'active', 'active'].map((outcome, index) => [
        'OfferPaymentApplied',
        idsOf(group)[index],
        outcome,
        expect.objectContaining({ ...firstEnd, netMinor: '3000', vatMinor: '200', unused }),
      ]),
    );
    expect(await states(group)).toEqual(['Ended', 'Active', 'Active']);
  });

  it('is deleted as a whole while it is unpaid, by any of its offers', async () => {
    const group = await createdGroup(byCard);
    await under.clearEvents();
    expect((await under.call('DELETE', `/offers/${idsOf(group)[1]}`)).status).toBe(200);
    expect(await states(group)).toEqual(['Deleted', 'Deleted', 'Deleted']);
    expect(salesIn(under)).toEqual([]);
    expect((await under.events()).map(({ name }) => name)).toEqual(Array(3).fill('OfferDeleted'));
    expect((await under.call('GET', `/offer-groups/${group.group_id}`)).status).toBe(401);
    expect(await bodyOf('GET', `/portal/offer-groups/${group.group_id}`)).toMatchObject({
      payment_url: null,
      totals: { offers: 0 },
    });
  });

  it('that is deleted unpaid keeps the offers that have ended', async () => {
    const own = (day: number) => ({ ...threePlaces[day], expiry_datetime: `2026-06-0${day + 2}T12:00:00Z` });
    const group = await createdGroup({ ...byCard, places: JSON.stringify([0, 1, 2].map(own)) });
    under.clock.set('2026-06-02T12:00:00Z');
    expect((await under.call('DELETE', `/offers/${idsOf(group)[1]}`)).status).toBe(200);
    expect(await states(group)).toEqual(['Ended', 'Deleted', 'Deleted']);
  });

  it('stays as a whole when its page was just paid or cannot be closed; paid offers are then deleted one by one', async () => {
    const { billing } = under.otherServices;
    const group = await createdGroup(byCard);
    billing.closing = 'unknown';
    const [first, second] = idsOf(group);
    expect((await under.call('DELETE', `/offers/${first}`)).body).toMatchObject({ return_code: 'E7' });
    billing.closing = 'works';
    billing.pay(-group.group_id);
    expect((await under.call('DELETE', `/offers/${second}`)).body).toMatchObject({ return_code: 'E6' });
    expect(await states(group)).toEqual(Array(3).fill('Awaiting Payment'));
    expect(await under.count('offers WHERE deleting_since IS NOT NULL')).toBe(0);
    for (const paid of paidGroup(idsOf(group))) await under.deliver(OfferPaid, paid);
    expect((await under.call('DELETE', `/offers/${first}`)).status).toBe(200);
    expect(await states(group)).toEqual(['Deleted', 'Scheduled', 'Scheduled']);
    const { data } = (await bodyOf('GET', '/portal/offers?search=Two')) as {
      data: Record<string, unknown>[];
    };
    const listed = data.filter(({ group_id: id }) => id === group.group_id);
    expect(listed.map(({ group_offers: count }) => count)).toEqual([2, 2]);
  });

  it('whose deletion got no answer works again: billing is told once for all offers', async () => {
    const group = await createdGroup(byCard);
    under.otherServices.spoilt.close = 'status 500';
    expect((await under.call('DELETE', `/offers/${idsOf(group)[0]}`)).body).toMatchObject({
      return_code: 'E7',
    });
    expect(await under.count('offers WHERE keeping_since IS NOT NULL')).toBe(3);
    const told: string[] = [];
    under.otherServices.onCall = async ({ name, when, path }) => {
      if (name === 'keep' && when === 'done') told.push(path);
    };
    await under.offers.sweeper.recover();
    expect(told).toEqual([`/internal/groups/${group.group_id}/keep-checkout`]);
    expect(await under.count('offers WHERE keeping_since IS NOT NULL')).toBe(0);
    expect(salesIn(under)).toMatchObject([[-group.group_id, { state: 'open' }]]);
  });
});

describe('a command for a group', () => {
  const results = (done: boolean, message: string) => ({ done, message });

  it('is given to each of its offers, and says what became of each', async () => {
    const group = await createdGroup(startingNow);
    const [first] = idsOf(group);
    const path = `/offer-groups/${group.group_id}`;
    await under.call('POST', `/offers/${first}/pause`);
    expect(await bodyOf('POST', `${path}/pause`)).toMatchObject({
      return_code: 'S1',
      results: [
        results(false, 'Offer is already paused'),
        results(true, 'Offer has been paused'),
        results(true, 'Offer has been paused'),
      ],
    });
    await under.call('DELETE', `/offers/${first}`);
    expect(await bodyOf('POST', `${path}/resume`)).toMatchObject({
      results: Array(2).fill(results(true, 'Offer has been resumed')),
    });
    expect(await bodyOf('GET', path)).toMatchObject({
      offers: [
        { offer_id: idsOf(group)[1], label: null, offer_status: 'Active', cost: 10 },
        { offer_id: idsOf(group)[2], label: 'Camden', offer_status: 'Active', cost: 10 },
      ],
      totals: { offers: 2, live: 2, views: 0, clicks: 0, spent: 30 },
    });
    await under.clearEvents();
    expect(await bodyOf('DELETE', path)).toMatchObject({
      results: Array(2).fill(results(true, 'Offer has been deleted')),
    });
    // Both say what billing credits together, so that one mail tells of it.
    const unused = idsOf(group)
      .slice(1)
      .map((offerId) => ({ offerId, unusedMs: expect.any(Number), scheduledMs: expect.any(Number) }));
    const credited = { group: { groupId: group.group_id, unused } };
    expect((await under.events()).map(({ data }) => data)).toMatchObject([credited, credited]);
    expect(await states(group)).toEqual(['Deleted', 'Deleted', 'Deleted']);
  });

  it('to delete it, unpaid, asks billing once and tells the outcome of each', async () => {
    const group = await createdGroup(byCard);
    expect(await bodyOf('DELETE', `/offer-groups/${group.group_id}`)).toEqual({
      return_code: 'S1',
      results: idsOf(group).map((id) => ({ offer_id: id, done: true, message: 'Offer has been deleted' })),
    });
  });

  const series = 'GET /analytics/series?interval=all&granularity=day';

  it.each(['GET', 'PATCH', 'DELETE', 'POST /pause', 'POST /resume', series])(
    '%s is 401 for another organisation, the other mode and no group',
    async (line) => {
      const group = await createdGroup();
      const [method = '', rest = ''] = line.split(' ');
      for (const [id, caller] of [
        [group.group_id, { organisationId: 2 }],
        [group.group_id, { mode: 'LIVE' }],
        [group.group_id + 1_000, {}],
        ['x', {}],
      ] as const) {
        const form = method === 'PATCH' && { body: formOf({ title: 'Theirs' }) };
        const { status, body } = await under.call(method, `/offer-groups/${id}${rest}`, { caller, ...form });
        expect({ status, body }).toEqual(coded('E1', 401, 'Offer group not found'));
        for (const path of ['', '/analytics/series?interval=all', '/analytics.csv?interval=all'])
          expect((await under.call('GET', `/portal/offer-groups/${id}${path}`, { caller })).status).toBe(404);
      }
      expect(await states(group)).toEqual(['Scheduled', 'Scheduled', 'Scheduled']);
    },
  );
});

describe('an edit of a group', () => {
  type EditOptions = CallOptions & { readonly key?: string; readonly picture?: Buffer };
  const edit = ({ group_id: id }: Created, parts: Parts, { key, picture, ...o }: EditOptions = {}) =>
    under.call('PATCH', `/offer-groups/${id}`, {
      body: formOf(parts, picture),
      headers: key === undefined ? {} : { 'Idempotency-Key': key },
      ...o,
    });
  const done = { status: 200, body: { return_code: 'S1', message: 'Offers have been updated' } };
  const times = (count: number, value: unknown) => Array.from({ length: count }, () => value) as object[];
  const facts = ({ group_id: id }: Created) =>
    under.postgres.query<{ title: string; description: string; image: string; version: number }>(
      'SELECT title, description, image, content_version AS version FROM offers WHERE group_id = $1 ORDER BY offer_id',
      [id],
    );
  const pause = (group: Created) => under.call('POST', `/offer-groups/${group.group_id}/pause`);

  it('changes all its offers, paid or not, with one verdict on the picture; each has its event and its history', async () => {
    for (const parts of [startingNow, byCard]) {
      const group = await createdGroup(parts);
      const [first = 0] = idsOf(group);
      const [old] = await facts(group);
      // Nothing changes at the first place but the picture, and its old one is another.
      await under.call('PATCH', `/offers/${first}`, {
        body: formOf({ title: 'Half price' }, await gif({ width: 300, height: 200 })),
      });
      await under.clearEvents();
      const { asked } = under.otherServices.moderation;
      expect(await edit(group, { title: 'Half price' }, { picture: await gif() })).toMatchObject(done);
      expect(under.otherServices.moderation.asked).toBe(asked + 1);
      const [one, ...others] = await facts(group);
      expect(one).toMatchObject({ title: 'Half price', version: 3 });
      expect(one?.image).not.toBe(old?.image);
      expect(others).toEqual(times(2, { ...one, version: 2 }));
      expect(
        (await under.events()).map(({ name, data }) => [name, data['offerId'], data['changedFields']]),
      ).toEqual(
        idsOf(group).map((id) => ['OfferUpdated', id, id === first ? ['image'] : ['title', 'image']]),
      );
      for (const id of idsOf(group))
        expect(await bodyOf('GET', `/portal/offers/${id}/changes`)).toMatchObject({
          data: expect.arrayContaining([
            expect.objectContaining({ what: 'edited', fields: expect.arrayContaining(['image']) }),
          ]),
        });
    }
  });

  it.each<[string, Parts, object, object]>([
    ['what belongs to the price', { radius: '9' }, {}, coded('E1', 400, expect.stringContaining('radius'))],
    [
      'a category that it may not have',
      { category_id: '3' },
      {},
      coded('E1', 400, expect.stringMatching(/^category_id/)),
    ],
    ['a refused picture', { title: 'x' }, { verdict: 'refused' }, coded('E2', 200, expect.anything())],
    [
      'terms that are not accepted',
      { title: 'x' },
      { terms: false },
      { status: 403, body: expect.anything() },
    ],
    [
      'its end',
      { title: 'x' },
      { now: '2026-06-01T23:00:00Z' },
      coded('E3', 409, 'Offer has ended, so it cannot be changed'),
    ],
  ])(
    'is refused for all by %s',
    async (_, parts, world: { verdict?: 'refused'; terms?: false; now?: string }, reply) => {
      const group = await createdGroup(startingNow);
      const before = await facts(group);
      under.otherServices.moderation.verdict = world.verdict ?? 'allowed';
      if (world.now !== undefined) under.clock.set(world.now);
      const caller = { termsAccepted: world.terms ?? true };
      const { status, body } = await edit(group, parts, { picture: await gif(), caller });
      expect({ status, body }).toEqual(reply);
      expect(await facts(group)).toEqual(before);
    },
  );

  it('with a key is made once, and the key is for this group and these fields alone', async () => {
    const [group, other] = [await createdGroup(), await createdGroup()];
    const key = randomUUID();
    const [one, two] = await Promise.all([
      edit(group, { title: 'Mine' }, { key }),
      edit(group, { title: 'Mine' }, { key }),
    ]);
    expect([one.status, two.status]).toContain(200);
    await edit(group, { title: 'Of a colleague' });
    const again = await edit(group, { title: 'Mine' }, { key });
    expect(again).toMatchObject(done);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await facts(group)).map(({ title, version }) => [title, version])).toEqual(
      times(3, ['Of a colleague', 3]),
    );
    for (const [target, title] of [
      [group, 'Yours'],
      [other, 'Mine'],
    ] as const)
      expect((await edit(target, { title }, { key })).status).toBe(422);
    const single = { body: formOf({ title: 'Mine' }), headers: { 'Idempotency-Key': key } };
    expect((await under.call('PATCH', `/offers/${group.group_id}`, single)).status).toBe(422);
  });

  it.each<[string, (group: Created) => Promise<unknown>, object, (title: string) => object[]]>([
    [
      'the deletion of one of its offers leaves the others to it',
      (group) => under.call('DELETE', `/offers/${idsOf(group)[0]}`),
      done,
      (old) => [
        { title: old, version: 1 },
        { title: 'x', version: 2 },
        { title: 'x', version: 2 },
      ],
    ],
    [
      'the deletion of all comes first',
      (group) => under.call('DELETE', `/offer-groups/${group.group_id}`),
      coded('E1', 401, 'Offer group not found'),
      (old) => times(3, { title: old, version: 1 }),
    ],
    ['a pause stays', pause, done, () => times(3, { title: 'x', version: 2 })],
    [
      'another edit comes before it',
      (group) => edit(group, { title: 'y' }),
      done,
      () => times(3, { title: 'x', version: 3 }),
    ],
    [
      'the staff disable one, which stays disabled and waits for them again',
      (group) => under.admin('POST', `/admin/offers/${idsOf(group)[0]}/disable`, { reason: 'its terms' }),
      done,
      () => times(3, { title: 'x', version: 2 }),
    ],
  ])('while moderation judges its picture: %s', async (_, happen, reply, after) => {
    const group = await createdGroup(startingNow);
    const [old] = await facts(group);
    const moderation = pausePoint();
    under.otherServices.moderation.onAsked = moderation.step;
    const edited = edit(group, { title: 'x' }, { picture: await gif() });
    await moderation.reached;
    await happen(group);
    const before = await states(group);
    moderation.goOn();
    const { status, body } = await edited;
    expect({ status, body }).toEqual(reply);
    expect(await facts(group)).toMatchObject(after(String(old?.title)));
    expect(await states(group)).toEqual(before);
    const waiting = await under.count(
      `offers WHERE disabled_since IS NOT NULL AND review_waiting_since IS NULL`,
    );
    expect(waiting).toBe(0);
  });

  it('and edits of its offers at the same time all end, and no offer mixes two', async () => {
    const group = await createdGroup();
    const ids = idsOf(group);
    const names = ['one', 'two', 'three', 'four'];
    const answers = await Promise.all([
      ...names.map((name) => edit(group, { title: name, description: name })),
      ...ids
        .toReversed()
        .map((id) =>
          under.call('PATCH', `/offers/${id}`, { body: formOf({ title: 'own', description: 'own' }) }),
        ),
      pause(group),
    ]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    for (const { title, description } of await facts(group)) expect(title).toBe(description);
  });
});
