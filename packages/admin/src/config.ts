/** Where the services are, and the credential for their admin routes. */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { amqpUrl, httpUrl, readConfig, secret } from '@offer-ads/platform/config';
import { z } from 'zod';

const settings = z.object({
  GATEWAY_ADMIN_URL: httpUrl,
  OFFERS_ADMIN_URL: httpUrl,
  BILLING_ADMIN_URL: httpUrl,
  PRICING_ADMIN_URL: httpUrl,
  MODERATION_ADMIN_URL: httpUrl,
  NOTIFIER_ADMIN_URL: httpUrl,
  RABBITMQ_URL: amqpUrl,
  ADMIN_TOKEN: secret,
});
export type AdminSettings = z.infer<typeof settings>;

/** Written by `npm start` for as long as it runs, under the names of the variables. */
const developmentFile = fileURLToPath(new URL('../../../.dev/admin.json', import.meta.url));

/** The environment, and for what it leaves out the system that `npm start` runs here. */
export function readAdminSettings(
  env: NodeJS.ProcessEnv = process.env,
  file = developmentFile,
): AdminSettings {
  const running = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as NodeJS.ProcessEnv) : {};
  return readConfig(settings, { ...running, ...env });
}
