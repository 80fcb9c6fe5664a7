/** The settings of pricing. */
import { amqpUrl, httpSettings, httpUrl, mongoUrl, readConfig, secret } from '@offer-ads/platform/config';
import { z } from 'zod';

const cohortHint = 'must be a whole number from 1 to 10000';
const cohort = z
  .string({ error: cohortHint })
  .regex(/^\d{1,5}$/, { error: cohortHint })
  .transform(Number)
  .refine((number) => number >= 1 && number <= 10_000, { error: cohortHint });

const settings = z.object({
  ...httpSettings,
  MONGO_URL: mongoUrl,
  RABBITMQ_URL: amqpUrl,
  PRICING_CONTEXT_SECRET: secret,
  ADMIN_TOKEN: secret,
  /** Address of the central bank's daily rates as XML, or of a mirror. */
  RATES_URL: httpUrl,
  /** The smallest number of members that an estimate tells apart (docs/prices.md, "Nobody is found by estimates"). */
  AUDIENCE_MIN_COHORT: cohort.default(1),
  /** Who counts members: the index in memory, or MongoDB for audiences beyond one machine (docs/scaling.md). */
  AUDIENCE_ENGINE: z.enum(['index', 'mongo'], { error: 'must be index or mongo' }).default('index'),
  /** Where the index leaves its snapshot, so that a restart need not read all members from MongoDB; without it none is kept. */
  AUDIENCE_SNAPSHOT_FOLDER: z.string().min(1).optional(),
});

export type PricingConfig = z.infer<typeof settings>;

export function readPricingConfig(env: NodeJS.ProcessEnv = process.env): PricingConfig {
  return readConfig(settings, env);
}
