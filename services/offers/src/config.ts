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
  PUBLIC_URL: httpUrl,
  IMAGE_FOLDER: z.string({ error: folderHint }).min(1, { error: folderHint }),
  IMAGE_URL_SECRET: secret,
});

type Neighbour = { readonly url: string; readonly contextSecret: string };

export type OffersConfig = {
  readonly host: string;
  readonly port: number;
  readonly logLevel: string;
  readonly adminToken: string;
  readonly rabbitmqUrl: string;
  readonly databaseUrl: string;
  /** Verifies the callers that the gateway vouches for. */
  readonly contextSecret: string;
  readonly pricing: Neighbour;
  readonly billing: Neighbour;
  readonly moderation: Neighbour;
  readonly images: {
    readonly folder: string;
    readonly urlSecret: string;
    /** Base of the signed addresses, as members' browsers reach it. */
    readonly publicUrl: string;
  };
};

export function readOffersConfig(env: NodeJS.ProcessEnv = process.env): OffersConfig {
  const settings = readConfig(schema, env);
  return {
    host: settings.HOST,
    port: settings.PORT,
    logLevel: settings.LOG_LEVEL,
    adminToken: settings.ADMIN_TOKEN,
    rabbitmqUrl: settings.RABBITMQ_URL,
    databaseUrl: settings.OFFERS_DATABASE_URL,
    contextSecret: settings.OFFERS_CONTEXT_SECRET,
    pricing: { url: settings.PRICING_URL, contextSecret: settings.PRICING_CONTEXT_SECRET },
    billing: { url: settings.BILLING_URL, contextSecret: settings.BILLING_CONTEXT_SECRET },
    moderation: { url: settings.MODERATION_URL, contextSecret: settings.MODERATION_CONTEXT_SECRET },
    images: {
      folder: settings.IMAGE_FOLDER,
      urlSecret: settings.IMAGE_URL_SECRET,
      publicUrl: settings.PUBLIC_URL,
    },
  };
}

/** What the migration command needs and nothing more. */
export function readDatabaseUrl(env: NodeJS.ProcessEnv = process.env): string {
  return readConfig(schema.pick({ OFFERS_DATABASE_URL: true }), env).OFFERS_DATABASE_URL;
}
