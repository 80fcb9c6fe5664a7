/** POST /internal/price, which prices creations. `src/http/price-routes.test.ts` compares it with estimates, and has its refusals. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { priceReply } from '@offer-ads/contracts/internal/pricing-api';
import { forAllTests } from '@offer-ads/testing/for-tests';
import { estimateForm, member, priceRequest } from './people.ts';
import { type Replica, startPricingUnderTest } from './pricing-under-test.ts';

const pricing = forAllTests(() => startPricingUnderTest('2026-11-20T18:00:00.000Z'));

beforeAll(async () => {
  await pricing.importMembers([
    member(1, { gender: 'Male', interests: [1] }),
    member(2, { gender: 'Male', interests: [2] }),
    member(3, { gender: 'Female', interests: [2] }),
    member(4, { gender: 'Female' }),
  ]);
});

/** 342.5 hours. */
const period = { startAt: '2026-12-01T00:00:00.000Z', endAt: '2026-12-15T06:30:00.000Z' };
const request = (changes: object) => priceRequest({ ...period, gender: ['Male'], ...changes });

describe('the internal price', () => {
  // 342.5 hours x 2 = 685; 1.1582 / 0.87325 = 1.326310; x 0.001 = 0.00132631; x 685 = 0.90852235
  const adUnitPrice = { adUnitPriceE8: '132631', exchangeRatePerGbpE6: '1326310' };
  const money = { costMinor: '91', ...adUnitPrice, exchangeRateDate: '2026-11-20' };
  it.each([
    ['has every figure exactly', 'USD', {}, { matchingUsers: 2, adUnitsHundredths: '68500', money }],
    [
      'has no money in another currency (E6)',
      'JPY',
      {},
      { matchingUsers: 2, adUnitsHundredths: '68500', money: null },
    ],
    [
      'is zero where nobody matches (E5)',
      'USD',
      { interests: [99] },
      { matchingUsers: 0, adUnitsHundredths: '0', money: { ...money, costMinor: '0' } },
    ],
  ])('%s', async (_, currency, changes, price) => {
    const { status, body } = await pricing.post('/internal/price', request(changes), { currency });
    expect([status, priceReply.parse(body)]).toEqual([200, price]);
  });
});

describe('with AUDIENCE_MIN_COHORT=3', () => {
  let rounding: Replica;
  beforeAll(async () => {
    rounding = await pricing.startReplica({ AUDIENCE_MIN_COHORT: 3 });
  });
  afterAll(() => rounding[Symbol.asyncDispose]());

  it.each([
    ['4 members', [], 3],
    ['2 members', ['Male'], 0],
  ])(
    'a count of %s is rounded down to a multiple of 3, by estimate and creation alike',
    async (_, gender, shown) => {
      const { startAt: start_datetime, endAt: end_datetime } = period;
      const form = estimateForm({ start_datetime, end_datetime, gender });
      expect((await rounding.post('/offers/price-estimate', form)).body).toMatchObject({
        return_code: 'S1',
        matching_users: shown,
        ad_units: 342.5 * shown,
        estimated_cost: Math.round(34.25 * shown) / 100,
      });
      // The creation of an offer for nobody is refused with E5.
      expect((await rounding.post('/internal/price', request({ gender }))).body).toMatchObject({
        matchingUsers: shown,
        adUnitsHundredths: `${34_250 * shown}`,
        money: { costMinor: `${Math.round(34.25 * shown)}` },
      });
    },
  );
});
