/** POST /offers/price-estimate: one `describe` per row of the specification's codes. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { estimateReply } from '@offer-ads/contracts/public/api';
import { signedCaller } from '@offer-ads/testing/caller';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { inTime } from '@offer-ads/testing/waiting/in-time';
import { catalogue, estimateForm, london, member, priceRequest } from './people.ts';
import { type PricingUnderTest, type Reply, startPricingUnderTest } from './pricing-under-test.ts';

const now = '2026-11-20T18:00:00.000Z';
/** The service answers within this time (decision 23, deadlines and outages). */
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

let pricing: PricingUnderTest;

function estimate(changes: object = {}, caller?: Parameters<PricingUnderTest['post']>[2]): Promise<Reply> {
  return pricing.post('/offers/price-estimate', estimateForm(changes), caller);
}

beforeAll(async () => {
  pricing = await startPricingUnderTest(now);
  await pricing.importMembers(people);
  await pricing.publisher.publish([catalogue(1)]);
  await eventually(async () => {
    if ((await estimate({ interests: [1] })).status !== 200) throw new Error('the catalogue has not arrived');
  });
});

afterAll(() => pricing[Symbol.asyncDispose]());

function refused(code: 'E1' | 'E2', status: number, message: RegExp): unknown {
  const body = { return_code: code, status: 'Error', code: status, message: expect.stringMatching(message) };
  return { status, body };
}

describe('S1, 200: the price estimate', () => {
  // 1.1582 / 0.87325 = 1.32630976..., x 0.001 = 0.00132631, x 672 = 0.89128032
  it.each([
    ['in pounds, without an exchange rate', 'GBP', [0.001, 0.67, 1, null]],
    ['with the exchange rate that it shows, and its date', 'USD', [0.001326, 0.89, 1.32631, '2026-11-20']],
    ['without money in a currency that cannot be billed', 'JPY', [null, null, null, null]],
  ])('has every figure, %s', async (_, currency, money) => {
    const { status, body } = await estimate({}, { currency });
    const [ad_unit_price, estimated_cost, exchange_rate_per_gbp, exchange_rate_date] = money;
    expect([status, estimateReply.parse(body)]).toEqual([
      200,
      {
        return_code: 'S1',
        price_estimate: 672,
        ad_units: 672,
        matching_users: 4,
        ad_unit_price,
        estimated_cost,
        currency,
        exchange_rate_per_gbp,
        exchange_rate_date,
      },
    ]);
  });

  it('has no money while the rate is out of date; the pound needs none', async () => {
    // From Tuesday 16:00 in Frankfurt on, the fixings of Monday and Tuesday are missing.
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
    ['an interest', { interests: [1] }, 2],
    ['gender and interest together', { gender: ['Male'], interests: [2] }, 1],
    ['a wider radius', { radius: 21 }, 5],
    ['a place where nobody lives', { location: [0, -140] }, 0],
  ])('counts the active members who match by %s', async (_, changes, matching) => {
    const { status, body } = await estimate(changes);
    expect(status).toBe(200);
    expect(body).toMatchObject({ matching_users: matching, ad_units: 168 * matching });
  });
});

it.each([
  ['4 members', [], 3],
  ['2 members', ['Male'], 0],
])(
  'with AUDIENCE_MIN_COHORT=3 a count of %s is rounded down to a multiple of 3, by estimate and creation alike',
  async (_, gender, shown) => {
    await using rounding = await pricing.startReplica({ AUDIENCE_MIN_COHORT: 3 });
    expect((await rounding.post('/offers/price-estimate', estimateForm({ gender }))).body).toMatchObject({
      matching_users: shown,
      ad_units: 168 * shown,
      estimated_cost: Math.round(16.8 * shown) / 100,
    });
    expect((await rounding.post('/internal/price', priceRequest({ gender }))).body).toMatchObject({
      matchingUsers: shown,
      adUnitsHundredths: `${16_800 * shown}`,
      money: { costMinor: `${Math.round(16.8 * shown)}` },
    });
  },
);

describe('E1, 400: input missing or invalid', () => {
  it.each([
    ['a missing field', { location: undefined }, /^location is missing$/],
    ['an invalid field', { radius: 31 }, /^radius must be a whole number of miles from 5 to 30$/],
    ['several faults', { radius: 0, end_datetime: 'x' }, /^end_datetime must be an ISO 8601.*; radius must/],
    ['an interest that does not exist', { interests: [1, 77] }, /^interests must be .*not 77$/],
    ['an interest that is no longer active', { interests: [4] }, /not 4$/],
    ['another fault before an unknown interest', { radius: 4, interests: [77] }, /^radius must be[^;]*$/],
  ])('%s', async (_, changes, message) => {
    expect(await estimate(changes)).toEqual(refused('E1', 400, message));
  });
});

describe('E1, 400: the start lies more than 60 seconds in the past', () => {
  it.each([
    ['by the real clock', {}, '2026-11-20T17:59:00.000Z', '2026-11-20T17:58:59.999Z'],
    [
      'by the test clock',
      { mode: 'TEST', testClockAheadSeconds: 7_200 } as const,
      '2026-11-20T19:59:00.000Z',
      '2026-11-20T19:58:59.999Z',
    ],
  ])(
    'by a millisecond, %s; the clock has no part in the price',
    async (_, caller, start_datetime, tooLate) => {
      const message = /^start_datetime must not be more than 60 seconds in the past$/;
      expect(await estimate({ start_datetime: tooLate }, caller)).toEqual(refused('E1', 400, message));
      const accepted = await estimate({ start_datetime }, caller);
      expect(accepted.status).toBe(200);
      expect(accepted).toEqual(await estimate({ start_datetime }));
    },
  );
});

describe('E2, 400: a date-time is not valid ISO 8601', () => {
  it.each(['start_datetime', 'end_datetime'])('%s', async (field) => {
    const message = new RegExp(`^${field} must be an ISO 8601 date and time with its zone`);
    expect(await estimate({ [field]: '2026-02-30T00:00:00Z' })).toEqual(refused('E2', 400, message));
  });
});

describe("E1, 403: the environment is not the key's mode", () => {
  it.each([
    ['live', 'TEST'],
    ['TEST', 'LIVE'],
  ] as const)('%s with a %s key, whatever else is wrong', async (environment, mode) => {
    const named = new RegExp(`works in ${mode} mode only`);
    expect(await estimate({ environment, radius: 99 }, { mode })).toEqual(refused('E1', 403, named));
  });
});

describe('the request has no valid caller context', () => {
  it.each([
    ['401: none', {}, 'Unauthorised'],
    [
      '503: one that expires now, because clocks differ',
      signedCaller({ audience: 'pricing', validUntil: Date.parse(now) }),
      'Service unavailable',
    ],
  ])('%s, whatever else is wrong', async (name, headers, message) => {
    const response = await fetch(`${pricing.url}/offers/price-estimate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ environment: 'LIVE', radius: 0 }),
    });
    expect(response.status).toBe(Number(name.slice(0, 3)));
    expect(await response.json()).toEqual({ message });
  });
});

describe('S1 while MongoDB is away', () => {
  it.each([
    ['down', () => pricing.mongo.takeDown()],
    ['silent', () => pricing.mongo.freeze()],
  ])('%s: estimates and prices work, with the rates and interests that are known', async (_, fail) => {
    const usd = { currency: 'USD' } as const;
    fail();
    try {
      expect(await estimate({ interests: [1] }, usd)).toMatchObject({
        status: 200,
        body: { matching_users: 2, estimated_cost: 0.45, exchange_rate_date: '2026-11-20' },
      });
      expect(await pricing.post('/internal/price', priceRequest({ interests: [1] }), usd)).toMatchObject({
        status: 200,
        body: { matchingUsers: 2, money: { costMinor: '45' } },
      });
      expect(await estimate({ interests: [4] })).toEqual(refused('E1', 400, /not 4$/));
    } finally {
      pricing.mongo.bringBack();
      pricing.mongo.cut();
    }
  });
});

describe('503: AUDIENCE_ENGINE is mongo, and MongoDB is away', () => {
  let pricing: PricingUnderTest;
  beforeAll(async () => {
    pricing = await startPricingUnderTest(now, { AUDIENCE_ENGINE: 'mongo' });
    await pricing.importMembers(people);
  });
  afterAll(() => pricing[Symbol.asyncDispose]());

  it.each([
    ['down', () => pricing.mongo.takeDown()],
    ['silent', () => pricing.mongo.freeze({ newToo: true })],
  ])('%s: within 3 seconds, and estimates work again when it is back', async (_, fail) => {
    const ask = () => pricing.post('/offers/price-estimate', estimateForm());
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
      // For the next try, which begins with a MongoDB that answers.
      if (performance.now() - failedAt >= NOTICED_MS) await comeBack();
    });
    await comeBack();
  });
});
