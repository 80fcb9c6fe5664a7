import { describe, expect, it } from '@jest/globals';
import { adminTokenHashes } from '@offer-ads/testing/admin';
import { readPricingConfig } from './config.ts';

const required = {
  MONGO_URL: 'mongodb://mongo/pricing',
  RABBITMQ_URL: 'amqp://rabbitmq',
  PRICING_CONTEXT_SECRET: 'x'.repeat(32),
  ADMIN_TOKEN_HASHES: adminTokenHashes,
  RATES_URL: 'https://rates.example/daily.xml',
};

describe.each([
  { name: 'AUDIENCE_MIN_COHORT', min: 1, max: 10_000, byDefault: 1 },
  { name: 'PRIVACY_BUDGET_PER_DAY', min: 1, max: 1_000_000, byDefault: undefined },
  { name: 'PRIVACY_BUDGET_PER_30_DAYS', min: 1, max: 1_000_000, byDefault: undefined },
  { name: 'AUDIENCE_POSITION_DECIMALS', min: 0, max: 6, byDefault: 2 },
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

describe('AUDIENCE_PARTITION', () => {
  it('is the number of a partition and how many there are, and not set by default', () => {
    expect(readPricingConfig(required).AUDIENCE_PARTITION).toBeUndefined();
    for (const [text, number, of] of [
      ['0/1', 0, 1],
      ['3/4', 3, 4],
      ['255/256', 255, 256],
    ] as const)
      expect(readPricingConfig({ ...required, AUDIENCE_PARTITION: text }).AUDIENCE_PARTITION).toEqual({
        number,
        of,
      });
  });

  it.each(['4/4', '0/0', '0/257', '1', '-1/4', '1/4 '])('is refused when it is %s', (text) => {
    expect(() => readPricingConfig({ ...required, AUDIENCE_PARTITION: text })).toThrow(
      'AUDIENCE_PARTITION: must be like 0/4',
    );
  });
});

describe('AUDIENCE_PARTITIONS', () => {
  it('are addresses in their order, and not set by default', () => {
    expect(readPricingConfig(required).AUDIENCE_PARTITIONS).toBeUndefined();
    const AUDIENCE_PARTITIONS = 'http://b:8080/,http://a:8080';
    expect(readPricingConfig({ ...required, AUDIENCE_PARTITIONS }).AUDIENCE_PARTITIONS).toEqual([
      'http://b:8080',
      'http://a:8080',
    ]);
  });

  it.each([
    'http://a:8080,http://a:8080',
    'http://a:8080,http://a:8080/',
    'http://a:8080,',
    'a:8080',
    'http://a:8080, http://b:8080',
  ])('are refused when they are %s', (AUDIENCE_PARTITIONS) => {
    expect(() => readPricingConfig({ ...required, AUDIENCE_PARTITIONS })).toThrow(
      'AUDIENCE_PARTITIONS: must be',
    );
  });
});
