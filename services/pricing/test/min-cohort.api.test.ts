/** AUDIENCE_MIN_COHORT: fewer members than that are told by no estimate and by no difference of two, and creation agrees. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { adminTokenHashes } from '@offer-ads/testing/admin';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { readPricingConfig } from '../src/config.ts';
import { catalogue, london, member } from './people.ts';
import { type PricingUnderTest, startPricingUnderTest } from './pricing-under-test.ts';

let pricing: PricingUnderTest;

/** Eight men of whom seven share an interest, two women. */
const people = [
  ...[1, 2, 3, 4, 5, 6, 7].map((id) => member(id, { gender: 'Male', interests: [1] })),
  member(8, { gender: 'Male', interests: [2] }),
  member(9, { gender: 'Female', interests: [2] }),
  member(10, { gender: 'Female' }),
];

beforeAll(async () => {
  pricing = await startPricingUnderTest('2026-11-20T18:00:00.000Z', { AUDIENCE_MIN_COHORT: 3 });
  await pricing.importMembers(people);
  await pricing.publisher.publish([catalogue(1)]);
  await eventually(async () => {
    if ((await estimate({ interests: [1] })).matching_users !== 6) throw new Error('not all is known yet');
  });
});
afterAll(async () => {
  await pricing[Symbol.asyncDispose]();
});

const startAt = '2026-12-01T00:00:00.000Z';
const endAt = '2026-12-02T00:00:00.000Z';

async function estimate(targeting: object = {}) {
  const form = {
    start_datetime: startAt,
    end_datetime: endAt,
    location: [london.latitude, london.longitude],
    radius: 10,
    ...targeting,
  };
  return (await pricing.post('/offers/price-estimate', form)).body;
}

async function priceOfCreation(targeting: object = {}) {
  const request = { startAt, endAt, ...london, radiusMiles: 10, gender: [], interests: [], ...targeting };
  return (await pricing.post('/internal/price', request)).body;
}

describe('with a minimum cohort of 3', () => {
  it.each([
    ['everybody: 10 are', {}, 9],
    ['the men: 8 are', { gender: ['Male'] }, 6],
    ['one interest: 7 are', { interests: [1] }, 6],
    ['the same with one more member: 8 are', { interests: [1], gender: ['Male', 'Female'] }, 6],
    ['two women are', { gender: ['Female'] }, 0],
    ['a single man is', { gender: ['Male'], interests: [2] }, 0],
    ['nobody is', { interests: [3] }, 0],
  ])('%s told and priced, by estimate and creation alike', async (_, targeting, shown) => {
    const told = await estimate(targeting);
    expect(told).toMatchObject({
      return_code: 'S1',
      matching_users: shown,
      ad_units: 24 * shown,
      estimated_cost: Math.round(2.4 * shown) / 100,
    });
    // Creation answers E5 to 0, as to an audience of nobody.
    expect(await priceOfCreation(targeting)).toMatchObject({
      matchingUsers: shown,
      adUnitsHundredths: `${24 * shown * 100}`,
      money: { costMinor: `${Math.round(2.4 * shown)}` },
    });
  });
});

describe('the setting', () => {
  const complete = {
    MONGO_URL: 'mongodb://mongo/pricing',
    RABBITMQ_URL: 'amqp://rabbitmq',
    PRICING_CONTEXT_SECRET: 'x'.repeat(32),
    ADMIN_TOKEN_HASHES: adminTokenHashes,
    RATES_URL: 'https://rates.example/daily.xml',
  };

  it('is 1 unless it is given, which shows every count as it is', () => {
    expect(readPricingConfig(complete).AUDIENCE_MIN_COHORT).toBe(1);
    expect(readPricingConfig({ ...complete, AUDIENCE_MIN_COHORT: '25' }).AUDIENCE_MIN_COHORT).toBe(25);
  });

  it.each(['0', '-1', '1.5', 'ten', '10001'])('%s is refused with what it must be', (value) => {
    expect(() => readPricingConfig({ ...complete, AUDIENCE_MIN_COHORT: value })).toThrow(
      'AUDIENCE_MIN_COHORT: must be a whole number from 1 to 10000',
    );
  });
});
