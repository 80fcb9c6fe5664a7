/** POST /offers/price-estimate: one `describe` per row of the specification's codes. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { callerContextHeader } from '@offer-ads/contracts/internal/caller-context';
import { estimateReply } from '@offer-ads/contracts/public/api';
import { signedCaller } from '@offer-ads/testing/caller';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { catalogue, london, member } from './people.ts';
import { type PricingUnderTest, type Reply, startPricingUnderTest } from './pricing-under-test.ts';

const now = '2026-11-20T18:00:00.000Z';
/** Within this the service notices and answers (decision 23, deadlines and outages). */
const NOTICED_MS = 3_000;
/** 20 miles north of the middle of London. */
const farNorth = { latitude: london.latitude + (20 * 1609.344) / 111_195.08 };

const people = [
  member(1, { gender: 'Female', interests: [1] }),
  member(2, { gender: 'Male', interests: [1, 2] }),
  member(3, { gender: 'Non-binary', interests: [2] }),
  member(4, { gender: 'Male' }),
  member(5, { ...farNorth }),
  member(6, { active: false }),
  member(7, { banned: true }),
];

/** A week in the middle of London. */
const form = {
  start_datetime: '2026-12-01T00:00:00Z',
  end_datetime: '2026-12-08T00:00:00Z',
  location: [london.latitude, london.longitude],
  radius: 10,
};

let pricing: PricingUnderTest;

function estimate(changes: object = {}, caller?: Parameters<PricingUnderTest['post']>[2]): Promise<Reply> {
  return pricing.post('/offers/price-estimate', { ...form, ...changes }, caller);
}

beforeAll(async () => {
  pricing = await startPricingUnderTest(now);
  await pricing.importMembers(people);
  await pricing.publisher.publish([catalogue(1)]);
  await eventually(async () => {
    if ((await estimate({ interests: [1] })).status !== 200) throw new Error('the catalogue has not arrived');
  });
});

afterAll(async () => {
  await pricing[Symbol.asyncDispose]();
});

function refused(code: 'E1' | 'E2', status: number, message: RegExp): unknown {
  const body = { return_code: code, status: 'Error', code: status, message: expect.stringMatching(message) };
  return { status, body };
}

describe('S1, 200: the price estimate', () => {
  it('has every figure, in pounds without an exchange rate', async () => {
    const reply = await estimate();
    expect(reply).toEqual({
      status: 200,
      body: {
        return_code: 'S1',
        price_estimate: 672,
        ad_units: 672,
        matching_users: 4,
        ad_unit_price: 0.001,
        estimated_cost: 0.67,
        currency: 'GBP',
        exchange_rate_per_gbp: 1,
        exchange_rate_date: null,
      },
    });
    expect(estimateReply.parse(reply.body)).toEqual(reply.body);
  });

  it.each([
    // 1.1582 / 0.87325 = 1.32630976..., x 0.001 = 0.00132631, x 672 = 0.89128032
    ['USD', { ad_unit_price: 0.001326, estimated_cost: 0.89, exchange_rate_per_gbp: 1.32631 }],
    // 1 / 0.87325 = 1.14514744..., x 0.001 = 0.00114515 (8 places), x 672 = 0.7695408
    ['EUR', { ad_unit_price: 0.001145, estimated_cost: 0.77, exchange_rate_per_gbp: 1.145147 }],
    // 385.63 / 0.87325 = 441.60320641..., x 0.001 = 0.44160321, x 672 = 296.75735712
    ['HUF', { ad_unit_price: 0.441603, estimated_cost: 296.76, exchange_rate_per_gbp: 441.603206 }],
  ])('in %s uses the rate that it shows, and its date', async (currency, money) => {
    const { body } = await estimate({}, { currency });
    expect(body).toMatchObject({ ...money, ad_units: 672, currency, exchange_rate_date: '2026-11-20' });
  });

  it.each(['JPY', 'KRW', 'TRY', 'AED', 'XXX'])(
    'has no money in %s, which cannot be billed',
    async (currency) => {
      const reply = await estimate({}, { currency });
      expect(reply.status).toBe(200);
      expect(estimateReply.parse(reply.body)).toEqual({
        return_code: 'S1',
        price_estimate: 672,
        ad_units: 672,
        matching_users: 4,
        ad_unit_price: null,
        estimated_cost: null,
        currency,
        exchange_rate_per_gbp: null,
        exchange_rate_date: null,
      });
    },
  );

  it('has no money while the rate is out of date; the pound needs none', async () => {
    // The fixings of Monday and Tuesday are missing from Tuesday 16:00 in Frankfurt on.
    await pricing.setRatesFaults({ down: true });
    pricing.clock.set('2026-11-24T15:00:00Z');
    try {
      const stale = { ad_unit_price: null, exchange_rate_per_gbp: null, exchange_rate_date: null };
      expect((await estimate({}, { currency: 'USD' })).body).toMatchObject({ ...stale, ad_units: 672 });
      expect((await estimate()).body).toMatchObject({ estimated_cost: 0.67 });
      pricing.clock.set('2026-11-24T14:59:00Z');
      expect((await estimate({}, { currency: 'USD' })).body).toMatchObject({ estimated_cost: 0.89 });
    } finally {
      pricing.clock.set(now);
      await pricing.setRatesFaults({});
    }
  });

  it.each([
    ['a gender', { gender: ['Male'] }, 2],
    ['several genders', { gender: ['Male', 'Non-binary'] }, 3],
    ['All among the genders', { gender: ['Male', 'All'] }, 4],
    ['no gender named', { gender: [] }, 4],
    ['an interest', { interests: [1] }, 2],
    ['any of several interests', { interests: [1, 2] }, 3],
    ['no interest named', { interests: [] }, 4],
    ['gender and interest together', { gender: ['Male'], interests: [2] }, 1],
    ['a wider radius', { radius: 21 }, 5],
    ['an interest that nobody has', { interests: [3] }, 0],
    ['a place where nobody lives', { location: [0, -140] }, 0],
  ])('counts those who match by %s', async (_, changes, matching) => {
    const { status, body } = await estimate(changes);
    expect(status).toBe(200);
    expect(body).toMatchObject({ matching_users: matching, ad_units: 168 * matching });
  });

  it('is rounded half-up from exact hours', async () => {
    // 9 s x 2 members are 0.005 hours.
    const moment = { start_datetime: '2026-12-01T00:00:00Z', end_datetime: '2026-12-01T00:00:09Z' };
    expect((await estimate({ ...moment, gender: ['Male'] })).body).toMatchObject({ ad_units: 0.01 });
    const less = { ...moment, end_datetime: '2026-12-01T00:00:08.999Z' };
    expect((await estimate({ ...less, gender: ['Male'] })).body).toMatchObject({ ad_units: 0 });
  });

  it('calculates with eight decimals of the unit price and shows six, half-up to pennies in the end', async () => {
    // 835 days x 4 members = 80,160 units at 0.00114515 = 91.795224. With six decimals it would be 91.78, and with the
    // rate unrounded 91.79.
    const years = { end_datetime: '2029-03-15T00:00:00Z' };
    expect((await estimate(years, { currency: 'EUR' })).body).toMatchObject({
      ad_units: 80_160,
      ad_unit_price: 0.001145,
      estimated_cost: 91.8,
    });
    // 5 units of one member at 0.001 are half a penny.
    const one = { gender: ['Male'], interests: [2] };
    const fiveHours = { ...one, end_datetime: '2026-12-01T05:00:00Z' };
    expect((await estimate(fiveHours)).body).toMatchObject({ ad_units: 5, estimated_cost: 0.01 });
    const aLittleLess = { ...one, end_datetime: '2026-12-01T04:59:24Z' };
    expect((await estimate(aLittleLess)).body).toMatchObject({ ad_units: 4.99, estimated_cost: 0 });
  });

  it.each([5, 30])('takes a radius of %i miles, which is as far as it goes', async (radius) => {
    expect((await estimate({ radius })).body).toMatchObject({ return_code: 'S1' });
  });

  it('takes a start up to 60 seconds ago and prices it as sent', async () => {
    const changes = { start_datetime: '2026-11-20T17:59:00Z', end_datetime: '2026-11-20T18:59:00Z' };
    expect((await estimate(changes)).body).toMatchObject({ return_code: 'S1', ad_units: 4 });
  });

  it.each(['TEST', 'test'])('takes %s as the environment of a TEST key', async (environment) => {
    expect((await estimate({ environment })).status).toBe(200);
  });

  it('is the same in TEST and LIVE', async () => {
    expect((await estimate({ environment: 'live' }, { mode: 'LIVE' })).body).toEqual((await estimate()).body);
  });

  it('ignores fields that it does not know, a currency among them', async () => {
    expect((await estimate({ currency: 'USD', offer: 1 })).body).toMatchObject({ currency: 'GBP' });
  });
});

describe('E1, 400: input missing or invalid', () => {
  it.each([
    ['a missing start', { start_datetime: undefined }, /^start_datetime is missing$/],
    ['a missing end', { end_datetime: null }, /^end_datetime is missing$/],
    ['a missing location', { location: undefined }, /^location is missing$/],
    ['a missing radius', { radius: undefined }, /^radius is missing$/],
    ['a radius of 4', { radius: 4 }, /^radius must be/],
    ['a radius of 31', { radius: 31 }, /^radius must be a whole number of miles from 5 to 30$/],
    ['a radius of 4.999', { radius: 4.999 }, /^radius must be/],
    ['a radius of 10.5', { radius: 10.5 }, /^radius must be/],
    ['a radius as text', { radius: '10' }, /^radius must be/],
    ['a radius of null', { radius: null }, /^radius is missing$/],
    ['a latitude beyond the pole', { location: [91, 0] }, /^location must be two numbers: latitude/],
    ['a longitude beyond the dateline', { location: [0, -180.001] }, /^location must be/],
    ['a location of one number', { location: [51.5] }, /^location must be/],
    ['a location of three numbers', { location: [51.5, -0.1, 10] }, /^location must be/],
    ['a location as texts', { location: ['51.5', '-0.1'] }, /^location must be/],
    ['a location as an object', { location: { latitude: 51.5, longitude: -0.1 } }, /^location must be/],
    [
      'an unknown gender',
      { gender: ['Other'] },
      /^gender must be a list of Male, Female, Non-binary or All$/,
    ],
    ['a gender in small letters', { gender: ['male'] }, /^gender must be/],
    ['a gender that is no list', { gender: 'Male' }, /^gender must be/],
    ['an unknown gender beside All', { gender: ['All', 'Other'] }, /^gender must be/],
    ['interests that are no ids', { interests: ['music'] }, /^interests must be a list of ids from GET/],
    ['an interest of 0', { interests: [0] }, /^interests must be/],
    ['a fractional interest', { interests: [1.5] }, /^interests must be/],
    ['an interest that is no list', { interests: 1 }, /^interests must be/],
    ['an interest that does not exist', { interests: [1, 77] }, /^interests must be .*not 77$/],
    ['an interest that is no longer active', { interests: [4] }, /not 4$/],
    ['an environment in mixed case', { environment: 'Test' }, /^environment must be TEST or LIVE$/],
    ['an environment that is no text', { environment: 1 }, /^environment must be/],
    ['an empty environment', { environment: '' }, /^environment must be/],
    ['a start as a number', { start_datetime: 1_795_000_000, radius: 0 }, /^start_datetime must .*; radius/],
    [
      'an end at the start',
      { end_datetime: form.start_datetime },
      /^end_datetime must be after start_datetime$/,
    ],
    ['an end before the start', { end_datetime: '2026-11-30T23:59:59Z' }, /^end_datetime must be after/],
    [
      'a start in the past and an end before it',
      { start_datetime: '2026-11-20T17:00:00Z', end_datetime: '2026-11-20T16:00:00Z' },
      /^start_datetime must not be more than 60 seconds in the past; end_datetime must be after start_datetime$/,
    ],
    [
      'an unreadable end beside a start in the past',
      { start_datetime: '2026-11-20T17:00:00Z', end_datetime: 'soon' },
      /^end_datetime must be an ISO 8601.*; start_datetime must not be/,
    ],
    [
      'a fault before an interest that does not exist',
      { radius: 4, interests: [77] },
      /^radius must be[^;]*$/,
    ],
    [
      'everything missing',
      Object.fromEntries(Object.keys(form).map((field) => [field, undefined])),
      /location is missing; radius is missing$/,
    ],
    ['several faults', { radius: 0, location: 'here' }, /^location must be .*; radius must be/],
    ['a fault besides an unreadable date-time', { radius: 0, end_datetime: 'x' }, /^end_datetime .*; radius/],
  ])('%s', async (_, changes, message) => {
    expect(await estimate(changes)).toEqual(refused('E1', 400, message));
  });

  it.each([
    ['JSON that breaks off', 'application/json', '{"radius": 10'],
    ['JSON that is no object', 'application/json', '[1]'],
    ['another content type', 'text/plain', JSON.stringify(form)],
    ['a form', 'application/x-www-form-urlencoded', 'radius=10'],
    ['an unknown character set', 'application/json; charset=klingon', JSON.stringify(form)],
    [
      'a body that is far too long',
      'application/json',
      JSON.stringify({ ...form, more: 'x'.repeat(100_000) }),
    ],
  ])('%s', async (_, contentType, body) => {
    const reply = await pricing.send('/offers/price-estimate', {
      headers: { 'content-type': contentType },
      body,
    });
    expect(reply).toEqual(refused('E1', 400, /^The body must be a JSON object/));
  });

  it('a body that is not compressed as it says', async () => {
    const reply = await pricing.send('/offers/price-estimate', {
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: JSON.stringify(form),
    });
    expect(reply).toEqual(refused('E1', 400, /^The body must be a JSON object/));
  });
});

describe('E1, 400: the start lies more than 60 seconds in the past', () => {
  it('by a millisecond', async () => {
    const reply = await estimate({ start_datetime: '2026-11-20T17:58:59.999Z' });
    expect(reply).toEqual(
      refused('E1', 400, /^start_datetime must not be more than 60 seconds in the past$/),
    );
  });
});

describe('E2, 400: a date-time is not valid ISO 8601', () => {
  it.each([
    'soon',
    '',
    '2026-12-01',
    '2026-12-01T00:00:00',
    '2026-12-01 00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-12-01T25:00:00Z',
    '2026-12-01T00:00:60Z',
    '2026-12-01T00:00:00+0100',
    '20261201T000000Z',
    '1795000000',
    1_795_000_000,
    true,
  ])('%j', async (value) => {
    const message = /^(start|end)_datetime must be an ISO 8601 date and time with its zone/;
    expect(await estimate({ start_datetime: value })).toEqual(refused('E2', 400, message));
    expect(await estimate({ end_datetime: value })).toEqual(refused('E2', 400, message));
  });
});

describe('date-times with a zone', () => {
  it.each([
    ['an offset', '2026-12-01T01:00:00+01:00', '2026-12-08T05:30:00+05:30'],
    ['milliseconds', '2026-12-01T00:00:00.000Z', '2026-12-08T00:00:00.000Z'],
    ['whole minutes', '2026-12-01T00:00Z', '2026-12-08T00:00Z'],
  ])('are read with %s', async (_, start_datetime, end_datetime) => {
    expect((await estimate({ start_datetime, end_datetime })).body).toMatchObject({ ad_units: 672 });
  });
});

describe("E1, 403: the environment is not the key's mode", () => {
  it.each([
    ['LIVE', 'TEST'],
    ['live', 'TEST'],
    ['TEST', 'LIVE'],
    ['test', 'LIVE'],
  ] as const)('%s with a %s key, whatever else is wrong', async (environment, mode) => {
    const named = new RegExp(`works in ${mode} mode only`);
    expect(await estimate({ environment }, { mode })).toEqual(refused('E1', 403, named));
    expect(await estimate({ environment, radius: 99 }, { mode })).toEqual(refused('E1', 403, named));
  });
});

describe('401: the caller is not vouched for', () => {
  it('comes before everything else', async () => {
    const response = await fetch(`${pricing.url}/offers/price-estimate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ environment: 'LIVE', radius: 0 }),
    });
    expect(response.status).toBe(401);
  });

  it.each([
    ['no caller context', {}],
    ['a forged one', signedCaller({ audience: 'pricing' }, 'another-secret-of-more-than-32-characters')],
    ['one for another service', signedCaller({ audience: 'offers' })],
    ['one that has expired', signedCaller({ audience: 'pricing', validUntil: Date.parse(now) })],
  ])('%s', async (_, headers: Partial<Record<typeof callerContextHeader, string>>) => {
    const response = await fetch(`${pricing.url}/offers/price-estimate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(form),
    });
    expect(response.status).toBe(401);
    expect(await response.json()).toEqual({ message: 'Unauthorised' });
  });
});

describe('S1 while MongoDB is away', () => {
  it.each([
    ['down', () => pricing.mongo.takeDown()],
    ['silent', () => pricing.mongo.freeze()],
  ])('%s: counts, interests and rates go on, the rates until they are out of date', async (_, fail) => {
    const usd = { currency: 'USD' } as const;
    const creation = {
      startAt: '2026-12-01T00:00:00.000Z',
      endAt: '2026-12-08T00:00:00.000Z',
      ...london,
      radiusMiles: 10,
      gender: [],
      interests: [1],
    };
    fail();
    try {
      expect(await estimate({ interests: [1] }, usd)).toMatchObject({
        status: 200,
        body: { matching_users: 2, estimated_cost: 0.45, exchange_rate_date: '2026-11-20' },
      });
      expect(await pricing.post('/internal/price', creation, usd)).toMatchObject({
        status: 200,
        body: { matchingUsers: 2, money: { costMinor: '45' } },
      });
      expect(await estimate({ interests: [4] })).toEqual(refused('E1', 400, /not 4$/));
      // Or pricing would look for the fixings of that day by itself.
      await pricing.setRatesFaults({ down: true });
      pricing.clock.set('2026-11-24T15:00:00Z');
      expect((await estimate({}, usd)).body).toMatchObject({ matching_users: 4, estimated_cost: null });
      expect((await estimate()).body).toMatchObject({ estimated_cost: 0.67 });
    } finally {
      pricing.clock.set(now);
      await pricing.setRatesFaults({});
      pricing.mongo.bringBack();
      pricing.mongo.cut();
    }
  });
});

describe('503: MongoDB, which counts where AUDIENCE_ENGINE says so, is away', () => {
  let pricing: PricingUnderTest;
  beforeAll(async () => {
    pricing = await startPricingUnderTest(now, { AUDIENCE_ENGINE: 'mongo' });
    await pricing.importMembers(people);
  });
  afterAll(async () => {
    await pricing[Symbol.asyncDispose]();
  });

  it.each([
    ['down', () => pricing.mongo.takeDown()],
    ['silent', () => pricing.mongo.freeze()],
  ])('%s: within 3 seconds, and well again when it is back', async (_, fail) => {
    const ask = () => pricing.post('/offers/price-estimate', form);
    const isWell = () =>
      eventually(async () => expect(await ask()).toMatchObject({ status: 200, body: { matching_users: 4 } }));
    const comeBack = async () => {
      pricing.mongo.bringBack();
      pricing.mongo.cut();
      await isWell();
    };
    await isWell();
    await inTime(NOTICED_MS, async () => {
      const failedAt = performance.now();
      fail();
      expect(await ask()).toEqual({ status: 503, body: { message: 'Service unavailable' } });
      // For another try: new connections are not silent.
      if (performance.now() - failedAt >= NOTICED_MS) await comeBack();
    });
    await comeBack();
  });
});
