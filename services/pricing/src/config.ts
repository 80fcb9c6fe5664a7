/** The settings of pricing. */
import {
  adminTokenHashes,
  amqpUrl,
  auditRetentionDays,
  contextSecret,
  httpSettings,
  httpUrl,
  mongoUrl,
  readConfig,
  wholeNumber,
} from '@offer-ads/platform/config/config';
import { z } from 'zod';
import type { Partition } from './domain/members/partition.ts';

/** Each process asks all of them for every count. */
const MAX_PARTITIONS = 256;
const urlsHint = `must be 1 to ${MAX_PARTITIONS} different addresses such as http://host:8080, separated by commas without blanks`;
const partitionUrls = z
  .string()
  .regex(/^\S+$/, { error: urlsHint })
  .transform((text) => text.split(','))
  .pipe(z.array(httpUrl, { error: urlsHint }).max(MAX_PARTITIONS, { error: urlsHint }))
  // The same members would be counted twice.
  .refine((urls) => new Set(urls).size === urls.length, { error: urlsHint });

const partitionHint = `must be like 0/4: a number from 0, and after the slash how many partitions there are, at most ${MAX_PARTITIONS}`;
const partition = z
  .string()
  .regex(/^\d{1,3}\/\d{1,3}$/, { error: partitionHint })
  .transform((text): Partition => {
    const [number = 0, of = 0] = text.split('/').map(Number);
    return { number, of };
  })
  .refine(({ number, of }) => number < of && of <= MAX_PARTITIONS, { error: partitionHint });

export const pricingSettings = z.object({
  ...httpSettings,
  MONGO_URL: mongoUrl,
  RABBITMQ_URL: amqpUrl,
  PRICING_CONTEXT_SECRET: contextSecret('pricing'),
  ADMIN_TOKEN_HASHES: adminTokenHashes,
  AUDIT_RETENTION_DAYS: auditRetentionDays,
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
  AUDIENCE_POSITION_DECIMALS: wholeNumber(0, 6).default(2).meta({
    description:
      "Decimal places of a degree to which members' positions are rounded before they are stored, 0 to 6. 2 means about a kilometre (docs/prices.md).",
    example: '3',
  }),
  SANDBOX_MEMBERS: wholeNumber(1_000, 10_000_000).default(100_000).meta({
    description:
      'Number of made-up members that are counted for organisations without approval, 1000 to 10000000. Each takes 28 bytes of memory (docs/prices.md).',
    example: '1000000',
  }),
  AUDIENCE_ENGINE: z.enum(['index', 'mongo'], { error: 'must be index or mongo' }).default('index').meta({
    description:
      'What counts members: index (in the memory of pricing) or mongo (for more members than fit there; docs/scaling.md).',
    example: 'mongo',
  }),
  AUDIENCE_PARTITIONS: partitionUrls.optional().meta({
    description:
      'Addresses of the processes that count members instead of this one, separated by commas, in the order of their partitions. It replaces AUDIENCE_ENGINE (docs/scaling.md).',
    example: 'http://pricing-0-of-2:8080,http://pricing-1-of-2:8080',
  }),
  AUDIENCE_PARTITION: partition.optional().meta({
    description:
      'Set it for a process that only counts one partition of the members: its number from 0, and how many there are. Such a process ignores AUDIENCE_PARTITIONS and AUDIENCE_ENGINE (docs/scaling.md).',
    example: '0/4',
  }),
  AUDIENCE_SNAPSHOT_FOLDER: z.string().min(1).optional().meta({
    description:
      'Folder for the snapshot of the index, so that a start does not read all members from MongoDB. Replicas may share it. Without it there is no snapshot.',
    example: '/data/audience',
  }),
});

export type PricingConfig = z.infer<typeof pricingSettings>;

export function readPricingConfig(env: NodeJS.ProcessEnv = process.env): PricingConfig {
  return readConfig(pricingSettings, env);
}
