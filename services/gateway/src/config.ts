/** The gateway's settings; the only reader of the environment. */
import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import { amqpUrl, httpSettings, httpUrl, postgresUrl, readConfig, secret } from '@offer-ads/platform/config';
import { z } from 'zod';

/** Addresses of proxies whose `X-Forwarded-For` is believed. None by default: anybody can send that header. */
const networks = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((network) => network.trim())
      .filter((network) => network !== ''),
  )
  .refine((all) => all.every(isNetwork), {
    error: 'must be networks separated by commas, such as 10.0.0.0/8,fd00::/8',
  });

/** Without it each replica counts requests for itself, which is exact for one. */
const valkeyUrl = z
  .url({ protocol: /^rediss?$/, error: 'must be an address such as redis://:password@host:6379' })
  .optional();

/** Where the call log waits on disk while the store is away. Without it, it waits in memory only. */
const callSpoolFolder = z
  .string()
  .refine(isAbsolute, { error: 'must be an absolute path, such as /data/call-spool' })
  .optional();

/** Further services whose health the status page shows, besides those that the gateway asks anyway. */
const statusTargets = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((target) => target.trim())
      .filter((target) => target !== ''),
  )
  .refine((all) => all.every((target) => statusTarget.test(target) && URL.canParse(afterName(target))), {
    error: 'must be name=address pairs separated by commas, such as moderation=http://moderation:8080',
  })
  .transform((all) =>
    Object.fromEntries(
      all.map((target) => [target.slice(0, target.indexOf('=')), new URL(afterName(target)).origin]),
    ),
  );

const schema = z.object({
  ...httpSettings,
  GATEWAY_DATABASE_URL: postgresUrl,
  RABBITMQ_URL: amqpUrl,
  ADMIN_TOKEN: secret,
  OFFERS_URL: httpUrl,
  PRICING_URL: httpUrl,
  BILLING_URL: httpUrl,
  NOTIFIER_URL: httpUrl,
  OFFERS_CONTEXT_SECRET: secret,
  PRICING_CONTEXT_SECRET: secret,
  BILLING_CONTEXT_SECRET: secret,
  NOTIFIER_CONTEXT_SECRET: secret,
  PUBLIC_URL: httpUrl,
  TRUSTED_PROXIES: networks,
  VALKEY_URL: valkeyUrl,
  CALL_SPOOL_FOLDER: callSpoolFolder,
  STATUS_TARGETS: statusTargets,
});
export type GatewayConfig = z.infer<typeof schema>;

export function readGatewayConfig(env: NodeJS.ProcessEnv = process.env): GatewayConfig {
  return readConfig(schema, env);
}

/** What the migration command needs and nothing more. */
export function readDatabaseUrl(env: NodeJS.ProcessEnv = process.env): string {
  return readConfig(schema.pick({ GATEWAY_DATABASE_URL: true }), env).GATEWAY_DATABASE_URL;
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
