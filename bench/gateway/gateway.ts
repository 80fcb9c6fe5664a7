/** Our gateway as a process of its own, the way its image starts it, with an organisation and a key to call it with. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@offer-ads/backing/free-port';
import { createAdminClient } from '@offer-ads/dev/demo-data/admin-client';
import { hashEntry } from '@offer-ads/platform/admin/tokens';
import { adminToken } from '@offer-ads/testing/admin';
import { type Running, startProcess } from '../process.ts';

const directory = fileURLToPath(new URL('../../services/gateway', import.meta.url));
export const migrations = join(directory, 'migrations');

const telemetry = ['--import', '@offer-ads/platform/telemetry/telemetry'];

export type GatewaySettings = Readonly<Record<string, string>>;

export function gatewaySettings(o: { databaseUrl: string; upstreamPort: number }): GatewaySettings {
  const upstream = `http://127.0.0.1:${o.upstreamPort}`;
  const secret = () => randomBytes(24).toString('hex');
  return {
    NODE_ENV: 'production',
    GATEWAY_DATABASE_URL: o.databaseUrl,
    // Nothing listens there, which stops no request.
    RABBITMQ_URL: 'amqp://127.0.0.1:9',
    ADMIN_TOKEN_HASHES: hashEntry('bench', adminToken, 'gateway'),
    OFFERS_URL: upstream,
    PRICING_URL: upstream,
    BILLING_URL: upstream,
    NOTIFIER_URL: upstream,
    OFFERS_CONTEXT_SECRET: secret(),
    PRICING_CONTEXT_SECRET: secret(),
    BILLING_CONTEXT_SECRET: secret(),
    NOTIFIER_CONTEXT_SECRET: secret(),
    PUBLIC_URL: 'http://127.0.0.1:8080',
    TRUSTED_PROXIES: '127.0.0.0/8',
  };
}

export async function startGatewayProcess(o: {
  name: string;
  folder: string;
  port: number;
  adminPort: number;
  settings: GatewaySettings;
}): Promise<Running> {
  return startProcess({
    name: o.name,
    folder: o.folder,
    cwd: directory,
    command: process.execPath,
    args: [...telemetry, 'src/main.ts'],
    env: {
      ...o.settings,
      PORT: String(o.port),
      ADMIN_PORT: String(o.adminPort),
      NODE_OPTIONS: '--max-semi-space-size=8',
    },
    readyUrl: `http://127.0.0.1:${o.port}/readyz`,
  });
}

/** Through the admin routes of a gateway that runs for this alone; good for every gateway on the same database. */
export async function createApiKey(o: { folder: string; settings: GatewaySettings }): Promise<string> {
  const [port = 0, adminPort = 0] = await freePorts(2);
  await using _gateway = await startGatewayProcess({ ...o, name: 'first', port, adminPort });
  const admin = createAdminClient({
    GATEWAY_ADMIN_URL: `http://127.0.0.1:${adminPort}/admin`,
    ADMIN_TOKEN: adminToken,
  });
  const { id: organisationId } = await admin<{ id: number }>('GATEWAY', 'POST', '/organisations', {
    name: 'Corner Cafe Limited',
    tradingName: 'Corner Cafe',
    country: 'GB',
    currency: 'GBP',
    adminEmail: 'owner@cafe.test',
  });
  const { key } = await admin<{ key: string }>('GATEWAY', 'POST', '/keys', { organisationId, mode: 'TEST' });
  return key;
}
