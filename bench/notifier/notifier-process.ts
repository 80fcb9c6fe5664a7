/** A notifier as a process like its image's. */
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { adminTokenHashes } from '@offer-ads/testing/admin';
import { type Running, startProcess } from '../process.ts';

const directory = fileURLToPath(new URL('../../services/notifier', import.meta.url));

/** @param settings beside those that matter to no measurement; without an SMTP_URL there is no mail server */
export function startNotifier(
  folder: string,
  port: number,
  settings: { readonly MONGO_URL: string; readonly RABBITMQ_URL: string } & Readonly<Record<string, string>>,
): Promise<Running> {
  const secret = () => randomBytes(24).toString('hex');
  return startProcess({
    name: `notifier-${port}`,
    folder,
    cwd: directory,
    command: process.execPath,
    args: ['src/main.ts'],
    readyUrl: `http://127.0.0.1:${port}/readyz`,
    env: {
      NODE_ENV: 'production',
      PORT: `${port}`,
      ADMIN_PORT: '0',
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: 'Offers <offers@ads.example>',
      PORTAL_URL: 'http://127.0.0.1:9/portal',
      ADMIN_TOKEN_HASHES: adminTokenHashes,
      NOTIFIER_CONTEXT_SECRET: secret(),
      UNSUBSCRIBE_SECRET: secret(),
      WEBHOOK_SEAL_SECRET: secret(),
      ...settings,
    },
  });
}
