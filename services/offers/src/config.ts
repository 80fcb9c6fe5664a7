/** The settings of offers; the only reader of its environment. */
import { fileURLToPath } from 'node:url';
import { amqpUrl, httpSettings, httpUrl, postgresUrl, readConfig, secret } from '@offer-ads/platform/config';
import { z } from 'zod';
import type { ImageStoreSettings } from './images/open.ts';

const storeHint =
  'must be file:///folder (one that every replica shares) or s3://bucket or s3://bucket/prefix';

const settings = z.object({
  ...httpSettings,
  ADMIN_TOKEN: secret,
  RABBITMQ_URL: amqpUrl,
  OFFERS_DATABASE_URL: postgresUrl,
  PRICING_URL: httpUrl,
  BILLING_URL: httpUrl,
  MODERATION_URL: httpUrl,
  OFFERS_CONTEXT_SECRET: secret,
  PRICING_CONTEXT_SECRET: secret,
  BILLING_CONTEXT_SECRET: secret,
  MODERATION_CONTEXT_SECRET: secret,
  // Base of the signed image addresses, as members' browsers reach it.
  PUBLIC_URL: httpUrl,
  IMAGE_URL_SECRET: secret,
  IMAGE_STORE_URL: z
    .string({ error: storeHint })
    .regex(/^(file:\/\/\/.+|s3:\/\/[a-z0-9][a-z0-9.-]+(\/[\w.-]+)*\/?)$/, { error: storeHint }),
  // Of the store that s3:// is at. All of them are settings, so that nothing is looked up on the machine.
  S3_ENDPOINT: httpUrl.optional(),
  S3_REGION: z.string().optional(),
  S3_PATH_STYLE: z.enum(['true', 'false'], { error: 'must be true or false' }).optional(),
  S3_ACCESS_KEY_ID: z.string().optional(),
  S3_SECRET_ACCESS_KEY: z.string().optional(),
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
      // Told together with all other problems.
      when: () => true,
    }),
  settings,
);

export type OffersConfig = z.infer<typeof schema>;

export function readOffersConfig(env: NodeJS.ProcessEnv = process.env): OffersConfig {
  return readConfig(schema, env);
}

/** What the migration command needs and nothing more. */
export function readDatabaseUrl(env: NodeJS.ProcessEnv = process.env): string {
  return readConfig(settings.pick({ OFFERS_DATABASE_URL: true }), env).OFFERS_DATABASE_URL;
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
    // What every store but Amazon's understands, and Amazon's too.
    pathStyle: config.S3_PATH_STYLE !== 'false',
    accessKeyId: config.S3_ACCESS_KEY_ID ?? '',
    secretAccessKey: config.S3_SECRET_ACCESS_KEY ?? '',
  };
}

function isInBucket(given: { readonly IMAGE_STORE_URL?: unknown }): boolean {
  return String(given.IMAGE_STORE_URL).startsWith('s3://');
}
