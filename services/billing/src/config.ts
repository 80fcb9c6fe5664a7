/** Settings of billing; the only reader of the environment. */
import { amqpUrl, httpSettings, httpUrl, postgresUrl, readConfig, secret } from '@offer-ads/platform/config';
import { z } from 'zod';
import type { StripeKeys } from './stripe-client.ts';

export type BillingConfig = {
  readonly host: string;
  readonly port: number;
  readonly logLevel: string;
  readonly databaseUrl: string;
  readonly rabbitmqUrl: string;
  readonly contextSecret: string;
  readonly adminToken: string;
  /** Base of the payment links that payers get. */
  readonly publicUrl: string;
  /** Instead of Stripe's own address; undefined in production. */
  readonly stripeApiUrl: string | undefined;
  readonly stripeKeys: { readonly TEST: StripeKeys; readonly LIVE: StripeKeys };
};

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
  PUBLIC_URL: httpUrl,
  STRIPE_API_URL: httpUrl.optional(),
  STRIPE_TEST_SECRET_KEY: stripeKey('test'),
  STRIPE_TEST_WEBHOOK_SECRET: webhookSecret,
  STRIPE_LIVE_SECRET_KEY: stripeKey('live'),
  STRIPE_LIVE_WEBHOOK_SECRET: webhookSecret,
});

export function readBillingConfig(env: NodeJS.ProcessEnv = process.env): BillingConfig {
  const given = readConfig(settings, env);
  return {
    host: given.HOST,
    port: given.PORT,
    logLevel: given.LOG_LEVEL,
    databaseUrl: given.BILLING_DATABASE_URL,
    rabbitmqUrl: given.RABBITMQ_URL,
    contextSecret: given.BILLING_CONTEXT_SECRET,
    adminToken: given.ADMIN_TOKEN,
    publicUrl: given.PUBLIC_URL,
    stripeApiUrl: given.STRIPE_API_URL,
    stripeKeys: {
      TEST: { secretKey: given.STRIPE_TEST_SECRET_KEY, webhookSecret: given.STRIPE_TEST_WEBHOOK_SECRET },
      LIVE: { secretKey: given.STRIPE_LIVE_SECRET_KEY, webhookSecret: given.STRIPE_LIVE_WEBHOOK_SECRET },
    },
  };
}

/** Migrations need nothing but the database. */
export function readMigrationConfig(env: NodeJS.ProcessEnv = process.env): { readonly databaseUrl: string } {
  return {
    databaseUrl: readConfig(z.object({ BILLING_DATABASE_URL: postgresUrl }), env).BILLING_DATABASE_URL,
  };
}
