/** The settings of offers; only this file reads the environment. */
import { fileURLToPath } from 'node:url';
import {
  adminSettings,
  amqpUrl,
  contextSecret,
  credential,
  httpSettings,
  httpUrl,
  isSecret,
  postgresUrl,
  readConfig,
  secret,
  serviceUrl,
  wholeNumber,
} from '@offer-ads/platform/config/config';
import { z } from 'zod';
import type { ImageStoreSettings } from './images/open.ts';

const storeHint =
  'must be file:///folder (one that every replica shares) or s3://bucket or s3://bucket/prefix';

const freeOffers = wholeNumber(0, 999_999);

export const offersSettings = z.object({
  ...httpSettings,
  ...adminSettings,
  RABBITMQ_URL: amqpUrl,
  OFFERS_DATABASE_URL: postgresUrl,
  PRICING_URL: serviceUrl('pricing'),
  BILLING_URL: serviceUrl('billing'),
  MODERATION_URL: serviceUrl('moderation'),
  OFFERS_CONTEXT_SECRET: contextSecret('offers'),
  PRICING_CONTEXT_SECRET: contextSecret('pricing'),
  BILLING_CONTEXT_SECRET: contextSecret('billing'),
  MODERATION_CONTEXT_SECRET: contextSecret('moderation'),
  PUBLIC_URL: httpUrl.meta({
    description:
      "Address at which members' browsers reach offers: the base of the signed addresses of pictures and of clicks.",
    example: 'https://pictures.ads.example',
  }),
  IMAGE_URL_SECRET: secret.meta({
    description:
      'Signs the addresses of pictures. After a change, addresses that were signed with the old secret do not work.',
  }),
  PLACEMENT_TOKEN_SECRET: secret.meta({
    description:
      'Signs the tokens that count views and clicks, which are good for a day. After a change, tokens that were signed with the old secret do not work.',
  }),
  PLACEMENTS_STALE_SECONDS: wholeNumber(0, 3_600).default(60).meta({
    description:
      'How long members are shown the last known offers while the database is away, in seconds; then placements answer 503. 0 to 3600.',
    example: '60',
  }),
  PLACEMENTS_PER_VIEWER_AND_DAY: wholeNumber(1, 1_000).default(10).meta({
    description: 'The most showings of one offer to one viewer in a day (UTC), 1 to 1000.',
    example: '10',
  }),
  PLACEMENTS_LIVE_OFFERS: wholeNumber(1, 1_000_000).default(200_000).meta({
    description:
      'The most LIVE offers that each replica keeps in memory for placements, at about 1 KB each, 1 to 1000000. Members are not shown an offer beyond them.',
    example: '200000',
  }),
  IMAGE_STORE_URL: z
    .string({ error: storeHint })
    .regex(/^(file:\/\/\/.+|s3:\/\/[a-z0-9][a-z0-9.-]+(\/[\w.-]+)*\/?)$/, { error: storeHint })
    .meta({
      description:
        'Where pictures are stored: file:///folder, which all replicas share, or s3://bucket or s3://bucket/prefix in any store with the S3 API. Several machines need a bucket.',
      example: 's3://offer-pictures/production',
    }),
  FREE_LIVE_OFFERS_PER_DAY: freeOffers.default(10).meta({
    description:
      'How many LIVE offers whose cost rounds to 0.00 an organisation may create in a day (UTC), 0 to 999999. More are refused with E4.',
    example: '10',
  }),
  // The S3 store. Everything is a setting, so that the client reads nothing from the machine's own AWS configuration.
  S3_ENDPOINT: httpUrl.optional().meta({
    description: 'Address of the S3 store; needed with s3://.',
    example: 'https://s3.eu-west-1.amazonaws.com',
  }),
  S3_REGION: credential.optional().meta({
    description: 'Region of the S3 store, if it has regions.',
    example: 'eu-west-1',
    without: 'us-east-1',
  }),
  S3_PATH_STYLE: z.enum(['true', 'false'], { error: 'must be true or false' }).optional().meta({
    description: 'Set it to false for stores that expect the bucket in the host name instead of the path.',
    example: 'false',
    without: 'true',
  }),
  S3_ACCESS_KEY_ID: credential.optional().meta({
    ...isSecret,
    description: 'Id of a key that may get, put, delete and list objects in the bucket; needed with s3://.',
  }),
  S3_SECRET_ACCESS_KEY: credential.optional().meta({ ...isSecret, description: 'The secret of that key.' }),
});

const neededByS3 = {
  S3_ENDPOINT: 'such as https://s3.eu-west-1.amazonaws.com or http://minio:9000',
  S3_ACCESS_KEY_ID: 'the id of a key that may get, put, delete and list',
  S3_SECRET_ACCESS_KEY: 'its secret',
} as const;

const schema = Object.entries(neededByS3).reduce(
  (whole, [name, what]) =>
    whole.refine((given) => !isInBucket(given) || given[name as keyof typeof neededByS3] !== undefined, {
      path: [name],
      error: `needed while IMAGE_STORE_URL is s3://...: ${what}`,
      // Reported together with all other problems.
      when: () => true,
    }),
  offersSettings,
);

export type OffersConfig = z.infer<typeof schema>;

export function readOffersConfig(env: NodeJS.ProcessEnv = process.env): OffersConfig {
  return readConfig(schema, env);
}

/** The only setting that the migration command needs. */
export function readDatabaseUrl(env: NodeJS.ProcessEnv = process.env): string {
  return readConfig(offersSettings.pick({ OFFERS_DATABASE_URL: true }), env).OFFERS_DATABASE_URL;
}

export function imageStoreOf(config: OffersConfig): ImageStoreSettings {
  if (!isInBucket(config)) return { kind: 'folder', folder: fileURLToPath(config.IMAGE_STORE_URL) };
  const [bucket = '', ...prefix] = config.IMAGE_STORE_URL.slice('s3://'.length).split('/').filter(Boolean);
  return {
    kind: 'bucket',
    bucket,
    prefix: prefix.map((part) => `${part}/`).join(''),
    endpoint: config.S3_ENDPOINT ?? '',
    region: config.S3_REGION ?? 'us-east-1',
    // Every S3 store, including Amazon's, understands path style.
    pathStyle: config.S3_PATH_STYLE !== 'false',
    accessKeyId: config.S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: config.S3_SECRET_ACCESS_KEY ?? '',
  };
}

function isInBucket(given: { readonly IMAGE_STORE_URL?: unknown }): boolean {
  return String(given.IMAGE_STORE_URL).startsWith('s3://');
}
