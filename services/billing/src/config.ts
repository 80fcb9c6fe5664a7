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

function line(what: string, most: number) {
  const error = `must be ${what} as it stands on invoices, one line of at most ${most} characters`;
  return z
    .string({ error })
    .max(most, { error })
    .regex(/^[^\p{Cc}]*\S[^\p{Cc}]*$/u, { error })
    .transform((text) => text.trim());
}

const vatNumberHint = 'must be the VAT number of the seller, such as GB 123 4567 89';

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
  // Who sells, on invoices. The commas of an address end its lines.
  SELLER_NAME: line('the name of the seller', 100),
  SELLER_ADDRESS: line('the address of the seller, its parts separated by commas', 300),
  SELLER_VAT_NUMBER: z
    .string({ error: vatNumberHint })
    .regex(/^(GB|XI) ?\d{3} ?\d{4} ?\d{2}( ?\d{3})?$/, { error: vatNumberHint }),
});

export type BillingConfig = z.infer<typeof settings>;

export function readBillingConfig(env: NodeJS.ProcessEnv = process.env): BillingConfig {
  return readConfig(settings, env);
}

/** What the migration command needs and nothing more. */
export function readDatabaseUrl(env: NodeJS.ProcessEnv = process.env): string {
  return readConfig(settings.pick({ BILLING_DATABASE_URL: true }), env).BILLING_DATABASE_URL;
}
