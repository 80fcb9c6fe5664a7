/** The gateway's settings; only this file reads the environment. */
import { isIP } from 'node:net';
import { mailAddress } from '@offer-ads/contracts/values/mail-address';
import {
  adminSettings,
  amqpUrl,
  contextSecret,
  httpSettings,
  httpUrl,
  isSecret,
  postgresUrl,
  readConfig,
  serviceUrl,
} from '@offer-ads/platform/config/config';
import { z } from 'zod';
import { signUpPolicies } from './domain/accounts/approval.ts';

const commaSeparated = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  );

const networks = commaSeparated
  .refine((all) => all.every(isNetwork), {
    error: 'must be networks separated by commas, such as 10.0.0.0/8,fd00::/8',
  })
  .meta({
    description:
      'Networks of the proxies whose X-Forwarded-For header is trusted, separated by commas. Set it behind a proxy or load balancer: without it all callers count as one address, with 60 requests a minute. Otherwise leave it out, because anybody can send that header.',
    example: '10.0.0.0/8',
    without: 'none',
  });

const oneValkeyUrl = z.url({ protocol: /^rediss?$/ });
const valkeyUrl = z
  .string()
  .refine((text) => text.split(',').every((url) => oneValkeyUrl.safeParse(url).success), {
    error: 'must be an address such as redis://:password@host:6379, or several separated by commas',
  })
  .optional()
  .meta({
    ...isSecret,
    description:
      'Valkey or Redis, in which all replicas count requests together. Without it each replica counts its own requests, which is exact for one replica. Several addresses, separated by commas, are nodes of one cluster, which has one login.',
    example: 'redis://:password@valkey:6379',
  });

const statusTargets = commaSeparated
  .refine((all) => all.every((target) => statusTarget.test(target) && URL.canParse(afterName(target))), {
    error: 'must be name=address pairs separated by commas, such as moderation=http://moderation:8080',
  })
  .transform((all) =>
    Object.fromEntries(
      all.map((target) => [target.slice(0, target.indexOf('=')), new URL(afterName(target)).origin]),
    ),
  )
  .meta({
    description:
      'More services whose health the status page shows, besides those that the gateway calls: pairs of name=address, separated by commas.',
    example: 'moderation=http://moderation:8080',
    without: 'none',
  });

function published(what: string, path: string) {
  return httpUrl.optional().meta({
    description: `${what}: linked from the page \`/contact\`.`,
    example: `https://ads.example/${path}`,
    without: 'not on the page',
  });
}

export const gatewaySettings = z.object({
  ...httpSettings,
  GATEWAY_DATABASE_URL: postgresUrl,
  RABBITMQ_URL: amqpUrl,
  ...adminSettings,
  OFFERS_URL: serviceUrl('offers'),
  PRICING_URL: serviceUrl('pricing'),
  BILLING_URL: serviceUrl('billing'),
  NOTIFIER_URL: serviceUrl('notifier'),
  OFFERS_CONTEXT_SECRET: contextSecret('offers'),
  PRICING_CONTEXT_SECRET: contextSecret('pricing'),
  BILLING_CONTEXT_SECRET: contextSecret('billing'),
  NOTIFIER_CONTEXT_SECRET: contextSecret('notifier'),
  PUBLIC_URL: httpUrl.meta({
    description: 'Public address of the gateway: of the API, of the portal and of links in mails.',
    example: 'https://ads.example',
  }),
  TRUSTED_PROXIES: networks,
  VALKEY_URL: valkeyUrl,
  STATUS_TARGETS: statusTargets,
  SIGN_UP: z
    .enum(signUpPolicies, { error: `must be one of ${signUpPolicies.join(', ')}` })
    .default('closed')
    .meta({
      description:
        'Who may register organisations. closed: only the platform team (`npm run admin -- org create`). approval: everybody, by a link in a mail; until the platform team approves the organisation (`npm run admin -- org approve`), it has no LIVE mode and its counts are of made-up members. open: everybody, approved at once.',
      example: 'approval',
    }),
  IMAGE_ORIGIN: httpUrl.optional().meta({
    description:
      "Origin of the pictures of offers, so that the portal may show them: that of offers' PUBLIC_URL, or that of the bucket with the pictures.",
    example: 'https://images.ads.example',
    without: "the gateway's own address",
  }),
  SUPPORT_EMAIL: mailAddress.optional().meta({
    description: 'Where people find help: on the page `/contact`.',
    example: 'help@ads.example',
    without: 'not on the page',
  }),
  IMPRINT_URL: published('The imprint', 'imprint'),
  PRIVACY_POLICY_URL: published('The privacy policy', 'privacy'),
  TERMS_URL: published('The terms for advertisers, for who has no account yet', 'terms'),
});
export type GatewayConfig = z.infer<typeof gatewaySettings>;

export function readGatewayConfig(env: NodeJS.ProcessEnv = process.env): GatewayConfig {
  return readConfig(gatewaySettings, env);
}

/** The only setting that the migration command needs. */
export function readDatabaseUrl(env: NodeJS.ProcessEnv = process.env): string {
  return readConfig(gatewaySettings.pick({ GATEWAY_DATABASE_URL: true }), env).GATEWAY_DATABASE_URL;
}

const statusTarget = /^[a-z][a-z0-9-]{0,30}=https?:\/\//;

function afterName(target: string): string {
  return target.slice(target.indexOf('=') + 1);
}

function isNetwork(text: string): boolean {
  const [address = '', prefix = ''] = text.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return /^\d{1,3}$/.test(prefix) && Number(prefix) <= bits;
}
