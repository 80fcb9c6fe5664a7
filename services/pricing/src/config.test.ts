import { describe, expect, it } from '@jest/globals';
import { adminTokenHashes } from '@offer-ads/testing/admin';
import { readPricingConfig } from './config.ts';

const required = {
  MONGO_URL: 'mongodb://mongo/pricing',
  RABBITMQ_URL: 'amqp://rabbitmq',
  PRICING_CONTEXT_SECRET: 'x'.repeat(32),
  COUNT_STEPS_SECRET: 'y'.repeat(32),
  ADMIN_TOKEN_HASHES: adminTokenHashes,
  RATES_URL: 'https://rates.example/daily.xml',
};

describe.each([
  { name: 'AUDIENCE_MIN_COHORT', min: 1, max: 10_000, byDefault: 1 },
  { name: 'PRIVACY_BUDGET_PER_DAY', min: 1, max: 1_000_000, byDefault: undefined },
  { name: 'PRIVACY_BUDGET_PER_30_DAYS', min: 1, max: 1_000_000, byDefault: undefined },
  { name: 'SANDBOX_MEMBERS', min: 1_000, max: 10_000_000, byDefault: 100_000 },
] as const)('$name', ({ name, min, max, byDefault }) => {
  it(`is a whole number from ${min} to ${max}, and ${byDefault} by default`, () => {
    expect(readPricingConfig(required)[name]).toBe(byDefault);
    for (const value of [min, max])
      expect(readPricingConfig({ ...required, [name]: `${value}` })[name]).toBe(value);
  });

  it.each([`${min - 1}`, `${max + 1}`, '1000.5', 'ten'])('is refused when it is %s', (value) => {
    expect(() => readPricingConfig({ ...required, [name]: value })).toThrow(
      `${name}: must be a whole number from ${min} to ${max}`,
    );
  });
});

it('COUNT_STEPS_SECRET is one secret, because replicas with different ones would tell different counts', () => {
  const both = `${'y'.repeat(32)},${'z'.repeat(32)}`;
  expect(() => readPricingConfig({ ...required, COUNT_STEPS_SECRET: both })).toThrow(
    'COUNT_STEPS_SECRET: must be one secret',
  );
});
