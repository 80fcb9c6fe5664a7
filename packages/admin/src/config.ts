/** Settings: the addresses of the services, and the token for their admin routes. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { adminToken, amqpUrl, fileVariable, readConfig, serviceUrl } from '@offer-ads/platform/config/config';
import { z } from 'zod';

export const adminToolSettings = z.object({
  GATEWAY_ADMIN_URL: serviceUrl('gateway'),
  OFFERS_ADMIN_URL: serviceUrl('offers'),
  BILLING_ADMIN_URL: serviceUrl('billing'),
  PRICING_ADMIN_URL: serviceUrl('pricing'),
  MODERATION_ADMIN_URL: serviceUrl('moderation'),
  NOTIFIER_ADMIN_URL: serviceUrl('notifier'),
  RABBITMQ_URL: amqpUrl,
  ADMIN_TOKEN: adminToken,
});
export type AdminSettings = z.infer<typeof adminToolSettings>;

const usualFolder = fileURLToPath(new URL('../../../.dev', import.meta.url));

/** Reads the environment. Missing settings come from the system that `npm start` runs in this folder. */
export function readAdminSettings(env: NodeJS.ProcessEnv = process.env): AdminSettings {
  // `npm start` writes this file while it runs, with the names of the variables as keys.
  const file = join(env['DEV_FOLDER'] ?? usualFolder, 'admin.json');
  const running = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as NodeJS.ProcessEnv) : {};
  // Skip settings for which the environment names a secret file.
  const rest = Object.entries(running).filter(([name]) => !env[fileVariable(name)]);
  return readConfig(adminToolSettings, { ...Object.fromEntries(rest), ...env });
}
