/** The settings of pricing. */
import {
  adminSettings,
  amqpUrl,
  contextSecret,
  httpSettings,
  httpUrl,
  mongoUrl,
  readConfig,
  secret,
  wholeNumber,
} from '@offer-ads/platform/config/config';
import { z } from 'zod';

export const pricingSettings = z.object({
  ...httpSettings,
  MONGO_URL: mongoUrl,
  RABBITMQ_URL: amqpUrl,
  PRICING_CONTEXT_SECRET: contextSecret('pricing'),
  COUNT_STEPS_SECRET: secret
    .refine((text) => !text.includes(','), {
      error: 'must be one secret, without a comma: it is not rotated',
    })
    .meta({
      description:
        'Places the steps of rounded counts (docs/prices.md). The same on all replicas. It is not rotated: after a change the same offer has another price, and an advertiser who compares both learns more about the members.',
    }),
  ...adminSettings,
  RATES_URL: httpUrl.meta({
    description: "Address of the European Central Bank's daily rates as XML, or of a mirror.",
    example: 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-daily.xml',
  }),
  AUDIENCE_MIN_COHORT: wholeNumber(1, 10_000).default(1).meta({
    description:
      'Smallest step between two counts of estimates, 1 to 10000. 1 gives exact counts; a larger value protects members from being located by estimates (docs/prices.md).',
    example: '10',
  }),
  PRIVACY_BUDGET_PER_DAY: wholeNumber(1, 1_000_000).optional().meta({
    description:
      'How many estimates about few members an organisation, a person and a network may get in a day, 1 to 1000000. Above it, counts are given in steps of 100. If it is set, the positions of the steps are secret; without it there is no such limit (docs/prices.md).',
    example: '200',
  }),
  PRIVACY_BUDGET_PER_30_DAYS: wholeNumber(1, 1_000_000).optional().meta({
    description:
      'The same limit for 30 days, for an organisation and a person. It needs PRIVACY_BUDGET_PER_DAY. Without it there is only the limit of a day (docs/prices.md).',
    example: '1000',
  }),
  SANDBOX_MEMBERS: wholeNumber(1_000, 10_000_000).default(100_000).meta({
    description:
      'Number of made-up members that are counted for organisations without approval, 1000 to 10000000. Each takes 20 bytes of memory (docs/prices.md).',
    example: '1000000',
  }),
  AUDIENCE_ENGINE: z.enum(['index', 'mongo'], { error: 'must be index or mongo' }).default('index').meta({
    description:
      'What counts members: index (in the memory of pricing) or mongo (for more members than fit there; docs/scaling.md).',
    example: 'mongo',
  }),
});

export type PricingConfig = z.infer<typeof pricingSettings>;

export function readPricingConfig(env: NodeJS.ProcessEnv = process.env): PricingConfig {
  return readConfig(pricingSettings, env);
}
