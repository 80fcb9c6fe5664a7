/** Settings of billing; the only reader of the environment. */
import { amqpUrl, httpSettings, httpUrl, postgresUrl, readConfig, secret } from '@offer-ads/platform/config';
import { z } from 'zod';

/** The prefix tells the modes apart: a live key in the wrong place would take real money for a test. */
function stripeKey(mode: 'test' | 'live') {
  const hint = `must be a secret or restricted key of Stripe's ${mode} mode, sk_${mode}_... or rk_${mode}_...`;
  return z.string({ error: hint }).regex(new RegExp(`^[sr]k_${mode}_\\w+$`), { error: hint });
}

const webhookHint = 'must be the signing secret of the webhook endpoint, whsec_...';
const webhookSecret = z.string({ error: webhookHint }).regex(/^whsec_\S{8,}$/, { error: webhookHint });

const settings = z.object({
  ...httpSettings,
  BILLING_DATABASE_URL: postgresUrl,
  RABBITMQ_URL: amqpUrl,
  BILLING_CONTEXT_SECRET: secret,
  ADMIN_TOKEN: secret,
  // Base of the payment links that payers get.
  PUBLIC_URL: httpUrl,
  // Instead of Stripe's own address; not set in production.
  STRIPE_API_URL: httpUrl.optional(),
  STRIPE_TEST_SECRET_KEY: stripeKey('test'),
  STRIPE_TEST_WEBHOOK_SECRET: webhookSecret,
  STRIPE_LIVE_SECRET_KEY: stripeKey('live'),
  STRIPE_LIVE_WEBHOOK_SECRET: webhookSecret,
});

export type BillingConfig = z.infer<typeof settings>;

export function readBillingConfig(env: NodeJS.ProcessEnv = process.env): BillingConfig {
  return readConfig(settings, env);
}

/** What the migration command needs and nothing more. */
export function readDatabaseUrl(env: NodeJS.ProcessEnv = process.env): string {
  return readConfig(settings.pick({ BILLING_DATABASE_URL: true }), env).BILLING_DATABASE_URL;
}
