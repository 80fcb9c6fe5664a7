/** POST /internal/price, which prices creations. `src/http/price-routes.test.ts` compares it with estimates. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { priceReply } from '@offer-ads/contracts/internal/pricing-api';
import { london, member } from './people.ts';
import { type PricingUnderTest, type Replica, startPricingUnderTest } from './pricing-under-test.ts';

let pricing: PricingUnderTest;

beforeAll(async () => {
  pricing = await startPricingUnderTest('2026-11-20T18:00:00.000Z');
  await pricing.importMembers([
    member(1, { gender: 'Male', interests: [1] }),
    member(2, { gender: 'Male', interests: [2] }),
    member(3, { gender: 'Female', interests: [2] }),
    member(4, { gender: 'Female' }),
  ]);
});
afterAll(async () => {
  await pricing[Symbol.asyncDispose]();
});

const request = {
  startAt: '2026-12-01T00:00:00.000Z',
  endAt: '2026-12-15T06:30:00.000Z',
  ...london,
  radiusMiles: 10,
  gender: ['Male'],
  interests: [],
};
describe('the internal price', () => {
  it('has every figure exactly', async () => {
    const { status, body } = await pricing.post('/internal/price', request, { currency: 'USD' });
    expect(status).toBe(200);
    // 342.5 hours x 2 = 685; 1.1582 / 0.87325 = 1.326310; x 0.001 = 0.00132631; x 685 = 0.90852235
    expect(priceReply.parse(body)).toEqual({
      matchingUsers: 2,
      adUnitsHundredths: '68500',
      money: {
        costMinor: '91',
        adUnitPriceE8: '132631',
        exchangeRatePerGbpE6: '1326310',
        exchangeRateDate: '2026-11-20',
      },
    });
  });

  it('has no money when the currency cannot be billed (E6)', async () => {
    const { body } = await pricing.post('/internal/price', request, { currency: 'JPY' });
    expect(body).toEqual({ matchingUsers: 2, adUnitsHundredths: '68500', money: null });
  });

  it('is zero where nobody matches (E5)', async () => {
    const { body } = await pricing.post('/internal/price', { ...request, interests: [99] });
    expect(body).toMatchObject({ matchingUsers: 0, adUnitsHundredths: '0', money: { costMinor: '0' } });
  });

  it.each([
    ['a radius out of bounds', { radiusMiles: 4 }],
    ['no start', { startAt: undefined }],
    ['an end before the start', { endAt: '2026-11-30T00:00:00.000Z' }],
  ])('is refused with %s', async (_, changes) => {
    expect((await pricing.post('/internal/price', { ...request, ...changes })).status).toBe(400);
  });

  it('is refused without a caller context', async () => {
    const response = await fetch(`${pricing.url}/internal/price`, { method: 'POST' });
    expect(response.status).toBe(401);
  });
});

describe('with AUDIENCE_MIN_COHORT=3', () => {
  let rounding: Replica;
  beforeAll(async () => {
    rounding = await pricing.startReplica({ AUDIENCE_MIN_COHORT: 3 });
  });
  afterAll(async () => {
    await rounding[Symbol.asyncDispose]();
  });

  it.each([
    ['4 members', [], 3],
    ['2 members', ['Male'], 0],
  ])(
    'a count of %s is rounded down to a multiple of 3, by estimate and creation alike',
    async (_, gender, shown) => {
      const { startAt, endAt, latitude, longitude, radiusMiles } = request;
      const location = [latitude, longitude];
      const form = { start_datetime: startAt, end_datetime: endAt, location, radius: radiusMiles, gender };
      expect((await rounding.post('/offers/price-estimate', form)).body).toMatchObject({
        return_code: 'S1',
        matching_users: shown,
        ad_units: 342.5 * shown,
        estimated_cost: Math.round(34.25 * shown) / 100,
      });
      // The creation of an offer for nobody is refused with E5.
      expect((await rounding.post('/internal/price', { ...request, gender })).body).toMatchObject({
        matchingUsers: shown,
        adUnitsHundredths: `${34_250 * shown}`,
        money: { costMinor: `${Math.round(34.25 * shown)}` },
      });
    },
  );
});
