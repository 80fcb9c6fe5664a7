/** The settings of pricing. */
import { amqpUrl, httpSettings, httpUrl, mongoUrl, readConfig, secret } from '@offer-ads/platform/config';
import { z } from 'zod';

const settings = z.object({
  ...httpSettings,
  MONGO_URL: mongoUrl,
  RABBITMQ_URL: amqpUrl,
  PRICING_CONTEXT_SECRET: secret,
  ADMIN_TOKEN: secret,
  /** Address of the central bank's daily rates as XML, or of a mirror. */
  RATES_URL: httpUrl,
});

export type PricingConfig = z.infer<typeof settings>;

export function readPricingConfig(env: NodeJS.ProcessEnv = process.env): PricingConfig {
  return readConfig(settings, env);
}
