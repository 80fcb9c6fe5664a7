/** Billing as a process, like its image's, and the requests to it. */
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@offer-ads/backing/free-port';
import { callerContextHeader } from '@offer-ads/contracts/internal/caller-context';
import { adminTokenHashes } from '@offer-ads/testing/admin';
import { signedCaller } from '@offer-ads/testing/caller';
import { Pool } from 'undici';
import { startProcess } from '../process.ts';
import { AT_ONCE, newSale, ORGANISATIONS, organisation } from './charging.ts';
import type { Webhook } from './webhooks.ts';

export type Service = {
  readonly pid: number;
  readonly webhookSecret: string;
  readonly charge: (spread: boolean) => Promise<void>;
  readonly receive: (webhook: Webhook) => Promise<void>;
};

const directory = fileURLToPath(new URL('../../services/billing', import.meta.url));

export async function startService(
  opened: AsyncDisposableStack,
  o: { folder: string; databaseUrl: string; rabbitmqUrl: string; nodeArgs?: readonly string[] },
): Promise<Service> {
  const secret = () => randomBytes(24).toString('hex');
  const contextSecret = secret();
  const webhookSecret = `whsec_${secret()}`;
  const nobody = 'http://127.0.0.1:9';
  const [port = 0] = await freePorts(1);
  const url = `http://127.0.0.1:${port}`;
  const running = opened.use(
    await startProcess({
      name: 'billing',
      folder: o.folder,
      cwd: directory,
      command: process.execPath,
      args: [...(o.nodeArgs ?? []), 'src/main.ts'],
      readyUrl: `${url}/readyz`,
      env: {
        NODE_ENV: 'production',
        PORT: `${port}`,
        BILLING_DATABASE_URL: o.databaseUrl,
        RABBITMQ_URL: o.rabbitmqUrl,
        BILLING_CONTEXT_SECRET: contextSecret,
        ADMIN_TOKEN_HASHES: adminTokenHashes,
        PUBLIC_URL: nobody,
        PORTAL_URL: nobody,
        STRIPE_API_URL: nobody,
        STRIPE_TEST_SECRET_KEY: `sk_test_${secret()}`,
        STRIPE_TEST_WEBHOOK_SECRET: webhookSecret,
        STRIPE_LIVE_SECRET_KEY: `sk_live_${secret()}`,
        STRIPE_LIVE_WEBHOOK_SECRET: `whsec_${secret()}`,
        SELLER_NAME: 'Offer Ads Ltd',
        SELLER_ADDRESS: '1 Example Street, London, EC1A 1AA, United Kingdom',
        SELLER_VAT_NUMBER: 'GB 123 4567 89',
      },
    }),
  );
  const pool = new Pool(url, { connections: 2 * AT_ONCE });
  opened.defer(() => pool.close());
  // Signed beforehand, because the gateway signs once per key and second.
  const callers = Array.from(
    { length: ORGANISATIONS + 1 },
    (_, organisationId) =>
      signedCaller({ audience: 'billing', organisationId }, contextSecret)[callerContextHeader],
  );

  async function post(path: string, headers: Record<string, string>, body: string | Buffer): Promise<string> {
    const answer = await pool.request({ method: 'POST', path, headers, body });
    const text = await answer.body.text();
    if (answer.statusCode === 200) return text;
    throw new Error(`${path} answers ${answer.statusCode}: ${text}`);
  }
  return {
    pid: running.pid,
    webhookSecret,
    charge: async (spread) => {
      const { offerId, title, netMinor, book } = newSale(organisation(spread));
      const headers = {
        'content-type': 'application/json',
        [callerContextHeader]: callers[book.organisationId] ?? '',
      };
      const body = JSON.stringify({ offerId, title, netMinor: `${netMinor}` });
      const text = await post('/internal/charges', headers, body);
      if (!text.includes('"charged"')) throw new Error(`a charge is answered: ${text}`);
    },
    receive: async ({ body, signature }) => {
      const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
      await post('/webhooks/stripe', headers, body);
    },
  };
}
