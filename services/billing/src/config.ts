/** Settings of billing; the only reader of the environment. */
import {
  adminSettings,
  amqpUrl,
  contextSecret,
  httpSettings,
  httpUrl,
  isSecret,
  postgresUrl,
  readConfig,
} from '@offer-ads/platform/config/config';
import { z } from 'zod';

/** The key's prefix shows its mode: a live key in the test setting would take real money for a test. */
function stripeKey(mode: 'test' | 'live') {
  const hint = `must be a secret or restricted key of Stripe's ${mode} mode, sk_${mode}_... or rk_${mode}_...`;
  return z
    .string({ error: hint })
    .regex(new RegExp(`^[sr]k_${mode}_\\w+$`), { error: hint })
    .meta({
      ...isSecret,
      description: `Secret or restricted key of Stripe's ${mode} mode, for card payments in ${mode.toUpperCase()} mode.`,
      example: `rk_${mode}_...`,
    });
}

const webhookHint =
  'must be the signing secret of the webhook endpoint, whsec_...; while it is replaced, two separated by a comma';
function webhookSecret(mode: 'test' | 'live') {
  return z
    .string({ error: webhookHint })
    .regex(/^whsec_[^\s,]{8,}(,whsec_[^\s,]{8,})*$/, { error: webhookHint })
    .meta({
      ...isSecret,
      description: `Signing secret of the webhook endpoint in Stripe's ${mode} mode. The endpoint is /webhooks/stripe of billing.`,
      example: 'whsec_...',
    });
}

function line(what: string, most: number) {
  const error = `must be ${what} as it stands on invoices, one line of at most ${most} characters`;
  return z
    .string({ error })
    .max(most, { error })
    .regex(/^[^\p{Cc}]*\S[^\p{Cc}]*$/u, { error })
    .transform((text) => text.trim());
}

const vatNumberHint = 'must be the VAT number of the seller, such as GB 123 4567 89';

export const billingSettings = z.object({
  ...httpSettings,
  BILLING_DATABASE_URL: postgresUrl,
  RABBITMQ_URL: amqpUrl,
  BILLING_CONTEXT_SECRET: contextSecret('billing'),
  ...adminSettings,
  PUBLIC_URL: httpUrl.meta({
    description: 'Address at which payers and Stripe reach billing: the base of payment links.',
    example: 'https://pay.ads.example',
  }),
  PORTAL_URL: httpUrl.meta({
    description:
      'Address of the portal for links on the pages after a payment: the public address of the gateway, and /portal.',
    example: 'https://ads.example/portal',
  }),
  STRIPE_API_URL: httpUrl.optional().meta({
    description: "Address of the simulator, which replaces Stripe's own. Leave it out in production.",
    example: 'http://stripe-simulator:8080',
    without: "Stripe's own",
  }),
  STRIPE_TEST_SECRET_KEY: stripeKey('test'),
  STRIPE_TEST_WEBHOOK_SECRET: webhookSecret('test'),
  STRIPE_LIVE_SECRET_KEY: stripeKey('live'),
  STRIPE_LIVE_WEBHOOK_SECRET: webhookSecret('live'),
  SELLER_NAME: line('the name of the seller', 100).meta({
    description: 'Name of the seller on invoices.',
    example: 'Offer Ads Ltd',
  }),
  SELLER_ADDRESS: line('the address of the seller, its parts separated by commas', 300).meta({
    description: 'Address of the seller on invoices; each comma ends a line.',
    example: '1 Example Street, London, EC1A 1AA, United Kingdom',
  }),
  SELLER_VAT_NUMBER: z
    .string({ error: vatNumberHint })
    .regex(/^(GB|XI) ?\d{3} ?\d{4} ?\d{2}( ?\d{3})?$/, { error: vatNumberHint })
    .meta({ description: 'VAT number of the seller, as invoices must show it.', example: 'GB 123 4567 89' }),
});

export type BillingConfig = z.infer<typeof billingSettings>;

export function readBillingConfig(env: NodeJS.ProcessEnv = process.env): BillingConfig {
  return readConfig(billingSettings, env);
}

/** The only setting that the migration command needs. */
export function readDatabaseUrl(env: NodeJS.ProcessEnv = process.env): string {
  return readConfig(billingSettings.pick({ BILLING_DATABASE_URL: true }), env).BILLING_DATABASE_URL;
}
