/** POST /internal/price: what creation pays is what an estimate says. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { priceReply } from '@offer-ads/contracts/internal/pricing-api';
import { london, member } from './people.ts';
import { type PricingUnderTest, startPricingUnderTest } from './pricing-under-test.ts';

let pricing: PricingUnderTest;

beforeAll(async () => {
  pricing = await startPricingUnderTest('2026-11-20T18:00:00.000Z');
  await pricing.importMembers([
    member(1, { gender: 'Male', interests: [1] }),
    member(2, { gender: 'Male', interests: [2] }),
    member(3, { gender: 'Female', interests: [2] }),
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
const form = {
  start_datetime: request.startAt,
  end_datetime: request.endAt,
  location: [london.latitude, london.longitude],
  radius: 10,
  gender: ['Male'],
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

  it.each(['GBP', 'USD', 'EUR', 'PLN', 'JPY'])(
    'is the estimate of the same offer in %s',
    async (currency) => {
      const price = priceReply.parse((await pricing.post('/internal/price', request, { currency })).body);
      const estimate = (await pricing.post('/offers/price-estimate', form, { currency })).body;
      expect(estimate).toMatchObject({
        matching_users: price.matchingUsers,
        ad_units: Number(price.adUnitsHundredths) / 100,
        estimated_cost: price.money && Number(price.money.costMinor) / 100,
        exchange_rate_per_gbp: price.money && Number(price.money.exchangeRatePerGbpE6) / 1_000_000,
        exchange_rate_date: price.money && price.money.exchangeRateDate,
      });
    },
  );

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
  ])('is refused with %s: the fault of a service, not of a caller', async (_, changes) => {
    expect((await pricing.post('/internal/price', { ...request, ...changes })).status).toBe(400);
  });

  it('is only for callers that are vouched for', async () => {
    const response = await fetch(`${pricing.url}/internal/price`, { method: 'POST' });
    expect(response.status).toBe(401);
  });
});
