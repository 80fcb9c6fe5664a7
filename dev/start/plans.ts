/** The processes of the system with their settings: only this file combines addresses and secrets. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { consoleName } from '@offer-ads/platform/admin/routes';
import { hashEntry } from '@offer-ads/platform/admin/tokens';
import { simulatedRoles } from '@offer-ads/simulators/identity/people';
import { ratesPath } from '@offer-ads/simulators/rates/server';
import { demoSeller, demoSender } from '../demo-data/seller.ts';
import { repository } from './folder.ts';
import type { Ports } from './ports.ts';
import type { Secrets } from './secrets.ts';
import type { Stores } from './stores.ts';

/** The developer's name in audit logs, with the admin tool. */
export const staffName = 'staff';

export type ProcessPlan = {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Answers 200 when the process is ready. */
  readonly readyUrl: string;
};

export type Settings = {
  /** The folder for the files of the processes. */
  readonly folder: string;
  readonly ports: Ports;
  readonly secrets: Secrets;
  readonly stores: Stores;
};

export type Addresses = Readonly<Record<keyof Ports, string>>;

export function addressesOf(ports: Ports): Addresses {
  const addresses = Object.entries(ports).map(([name, port]) => [name, `http://127.0.0.1:${port}`]);
  return { ...(Object.fromEntries(addresses) as Addresses), smtp: `smtp://127.0.0.1:${ports.smtp}` };
}

export function planSimulators({ folder, ports, secrets }: Settings): ProcessPlan[] {
  const at = addressesOf(ports);
  const simulator = (
    name: 'stripe' | 'rates' | 'mail' | 'identity',
    env: Record<string, string> = {},
  ): ProcessPlan => ({
    name: `${name}-simulator`,
    args: [join(repository, 'packages/simulators/src', name, 'main.ts')],
    env: { PORT: `${ports[name]}`, ...env },
    readyUrl: `${at[name]}/livez`,
  });
  return [
    simulator('stripe', {
      WEBHOOK_URL: `${at.billing}/webhooks/stripe`,
      STRIPE_TEST_WEBHOOK_SECRET: secrets.stripeTestWebhook,
      STRIPE_LIVE_WEBHOOK_SECRET: secrets.stripeLiveWebhook,
      STATE_FILE: join(folder, 'stripe.ndjson'),
    }),
    simulator('rates'),
    simulator('mail', { SMTP_PORT: `${ports.smtp}` }),
    simulator('identity', { CONSOLE_URL: at.console, CONSOLE_OIDC_CLIENT_SECRET: secrets.consoleOidc }),
  ];
}

export function planServices({ folder, ports, secrets, stores }: Settings): ProcessPlan[] {
  const at = addressesOf(ports);
  const contextSecrets = {
    offers: { OFFERS_CONTEXT_SECRET: secrets.offersContext },
    pricing: { PRICING_CONTEXT_SECRET: secrets.pricingContext },
    billing: { BILLING_CONTEXT_SECRET: secrets.billingContext },
    moderation: { MODERATION_CONTEXT_SECRET: secrets.moderationContext },
    notifier: { NOTIFIER_CONTEXT_SECRET: secrets.notifierContext },
  };
  const settings: Record<(typeof serviceNames)[number], Record<string, string>> = {
    gateway: {
      GATEWAY_DATABASE_URL: stores.databases.gateway,
      OFFERS_URL: at.offers,
      PRICING_URL: at.pricing,
      BILLING_URL: at.billing,
      NOTIFIER_URL: at.notifier,
      ...contextSecrets.offers,
      ...contextSecrets.pricing,
      ...contextSecrets.billing,
      ...contextSecrets.notifier,
      PUBLIC_URL: at.gateway,
      IMAGE_ORIGIN: at.offers,
      // Callers on this machine may set the client address, like a load balancer in production.
      TRUSTED_PROXIES: '127.0.0.0/8,::1/128',
      VALKEY_URL: stores.valkey,
      STATUS_TARGETS: `moderation=${at.moderation}`,
      // `SIGN_UP=approval npm start` tries how the platform team approves organisations.
      SIGN_UP: process.env.SIGN_UP || 'open',
      SUPPORT_EMAIL: 'help@offer-ads.example',
      IMPRINT_URL: 'https://offer-ads.example/imprint',
      PRIVACY_POLICY_URL: 'https://offer-ads.example/privacy',
      TERMS_URL: 'https://offer-ads.example/terms',
    },
    offers: {
      OFFERS_DATABASE_URL: stores.databases.offers,
      PRICING_URL: at.pricing,
      BILLING_URL: at.billing,
      MODERATION_URL: at.moderation,
      ...contextSecrets.offers,
      ...contextSecrets.pricing,
      ...contextSecrets.billing,
      ...contextSecrets.moderation,
      PUBLIC_URL: at.offers,
      IMAGE_URL_SECRET: secrets.imageUrl,
      PLACEMENT_TOKEN_SECRET: secrets.placementToken,
      IMAGE_STORE_URL: pathToFileURL(join(folder, 'images')).href,
    },
    billing: {
      BILLING_DATABASE_URL: stores.databases.billing,
      ...contextSecrets.billing,
      PUBLIC_URL: at.billing,
      PORTAL_URL: `${at.gateway}/portal`,
      STRIPE_API_URL: at.stripe,
      STRIPE_TEST_SECRET_KEY: secrets.stripeTestKey,
      STRIPE_TEST_WEBHOOK_SECRET: secrets.stripeTestWebhook,
      STRIPE_LIVE_SECRET_KEY: secrets.stripeLiveKey,
      STRIPE_LIVE_WEBHOOK_SECRET: secrets.stripeLiveWebhook,
      ...demoSeller,
    },
    pricing: {
      MONGO_URL: stores.mongo.pricing,
      ...contextSecrets.pricing,
      COUNT_STEPS_SECRET: secrets.countSteps,
      RATES_URL: `${at.rates}${ratesPath}`,
    },
    moderation: {
      MONGO_URL: stores.mongo.moderation,
      ...contextSecrets.moderation,
      // As in its image.
      MALLOC_ARENA_MAX: '2',
      NODE_OPTIONS: '--max-semi-space-size=4',
      MALLOC_MMAP_THRESHOLD_: '262144',
    },
    notifier: {
      MONGO_URL: stores.mongo.notifier,
      SMTP_URL: at.smtp,
      MAIL_FROM: demoSender,
      PORTAL_URL: `${at.gateway}/portal`,
      ...contextSecrets.notifier,
      UNSUBSCRIBE_SECRET: secrets.unsubscribe,
      WEBHOOK_SEAL_SECRET: secrets.webhookSeal,
      // A receiver on this machine.
      WEBHOOK_TEST_TARGETS: 'any',
      WEBHOOK_SENDER_ADDRESSES: '127.0.0.1',
    },
  };
  return serviceNames.map((service) => ({
    name: service,
    args: [
      '--import',
      '@offer-ads/platform/telemetry/telemetry',
      join(repository, 'services', service, 'src/main.ts'),
    ],
    env: {
      PORT: `${ports[service]}`,
      ADMIN_PORT: `${ports[`${service}Admin`]}`,
      // As in the images.
      NODE_OPTIONS: '--max-semi-space-size=8',
      RABBITMQ_URL: stores.rabbitmq,
      ADMIN_TOKEN_HASHES: [
        hashEntry(staffName, secrets.adminToken, service),
        hashEntry(consoleName, secrets.consoleToken, service),
      ].join(),
      ...settings[service],
    },
    readyUrl: `${at[service]}/readyz`,
  }));
}

/** The staff's console. It is no service, and no service calls it. */
export function planConsole(settings: Settings): ProcessPlan {
  const at = addressesOf(settings.ports);
  const { RABBITMQ_URL: _, ...admin } = adminSettings(settings);
  return {
    name: 'console',
    args: [
      '--import',
      '@offer-ads/platform/telemetry/telemetry',
      join(repository, 'packages/admin/src/console/main.ts'),
    ],
    env: {
      ...admin,
      ADMIN_TOKEN: settings.secrets.consoleToken,
      ...signInSettings(settings),
      PORT: `${settings.ports.console}`,
      PUBLIC_URL: at.console,
    },
    readyUrl: `${at.console}/readyz`,
  };
}

/** The console's settings for the sign-in simulator. */
export function signInSettings({
  ports,
  secrets,
}: Pick<Settings, 'ports' | 'secrets'>): Record<string, string> {
  return {
    CONSOLE_OIDC_ISSUER: addressesOf(ports).identity,
    CONSOLE_OIDC_CLIENT_ID: 'console',
    CONSOLE_OIDC_CLIENT_SECRET: secrets.consoleOidc,
    CONSOLE_OIDC_ROLES: simulatedRoles,
  };
}

export const communityName = 'community';

/** The sample community page. It needs placement keys, so it starts after the demo data. */
export function planCommunity(
  { ports }: Settings,
  keys: { readonly TEST: string; readonly LIVE: string },
): ProcessPlan {
  const at = addressesOf(ports);
  return {
    name: communityName,
    args: [join(repository, 'packages/simulators/src/community/main.ts')],
    env: {
      PORT: `${ports.community}`,
      API_URL: at.gateway,
      TEST_PLACEMENT_KEY: keys.TEST,
      LIVE_PLACEMENT_KEY: keys.LIVE,
    },
    readyUrl: `${at.community}/livez`,
  };
}

/** What the admin CLI reads (`.dev/admin.json`). */
export function adminSettings({ ports, secrets, stores }: Settings): Record<string, string> {
  const at = addressesOf(ports);
  return {
    GATEWAY_ADMIN_URL: at.gatewayAdmin,
    OFFERS_ADMIN_URL: at.offersAdmin,
    BILLING_ADMIN_URL: at.billingAdmin,
    PRICING_ADMIN_URL: at.pricingAdmin,
    MODERATION_ADMIN_URL: at.moderationAdmin,
    NOTIFIER_ADMIN_URL: at.notifierAdmin,
    RABBITMQ_URL: stores.rabbitmq,
    ADMIN_TOKEN: secrets.adminToken,
  };
}
