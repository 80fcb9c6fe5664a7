/** The settings of offers; the only reader of its environment. */
import { amqpUrl, httpSettings, httpUrl, postgresUrl, readConfig, secret } from '@offer-ads/platform/config';
import { z } from 'zod';

const folderHint = 'must name a folder that every replica shares';

const schema = z.object({
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
  IMAGE_FOLDER: z.string({ error: folderHint }).min(1, { error: folderHint }),
  IMAGE_URL_SECRET: secret,
});

export type OffersConfig = z.infer<typeof schema>;

export function readOffersConfig(env: NodeJS.ProcessEnv = process.env): OffersConfig {
  return readConfig(schema, env);
}

/** What the migration command needs and nothing more. */
export function readDatabaseUrl(env: NodeJS.ProcessEnv = process.env): string {
  return readConfig(schema.pick({ OFFERS_DATABASE_URL: true }), env).OFFERS_DATABASE_URL;
}
