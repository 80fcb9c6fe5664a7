/** Offers as processes, as deployed, that take views in. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@offer-ads/backing/free-port';
import { adminTokenHashes } from '@offer-ads/testing/admin';
import { startProcess } from '../../process.ts';

export type Stage = { readonly folder: string; readonly databaseUrl: string; readonly rabbitmqUrl: string };

/** The working processes; disposing ends them. */
export type AtWork = AsyncDisposable & { readonly pids: readonly number[] };

const directory = fileURLToPath(new URL('../../../services/offers', import.meta.url));
export const migrations = join(directory, 'migrations');

/** Each replica is the whole service, with its pool and consumer. */
export async function startReplicas(stage: Stage, count: number): Promise<AtWork> {
  const started = new AsyncDisposableStack();
  const secret = () => randomBytes(24).toString('hex');
  const nobody = 'http://127.0.0.1:9';
  const shared = {
    NODE_ENV: 'production',
    LOG_LEVEL: 'warn',
    OFFERS_DATABASE_URL: stage.databaseUrl,
    RABBITMQ_URL: stage.rabbitmqUrl,
    PRICING_URL: nobody,
    BILLING_URL: nobody,
    MODERATION_URL: nobody,
    PUBLIC_URL: nobody,
    IMAGE_STORE_URL: `file://${join(stage.folder, 'intake-images')}`,
    ADMIN_TOKEN_HASHES: adminTokenHashes,
    OFFERS_CONTEXT_SECRET: secret(),
    PRICING_CONTEXT_SECRET: secret(),
    BILLING_CONTEXT_SECRET: secret(),
    MODERATION_CONTEXT_SECRET: secret(),
    IMAGE_URL_SECRET: secret(),
    PLACEMENT_TOKEN_SECRET: secret(),
  };
  const ports = await freePorts(count);
  const replicas = await Promise.all(
    ports.map((port) =>
      startProcess({
        name: `offers-${port}`,
        folder: stage.folder,
        cwd: directory,
        command: process.execPath,
        args: ['src/main.ts'],
        env: { ...shared, PORT: String(port), ADMIN_PORT: '0' },
        readyUrl: `http://127.0.0.1:${port}/readyz`,
      }),
    ),
  );
  for (const replica of replicas) started.use(replica);
  return { pids: replicas.map(({ pid }) => pid), [Symbol.asyncDispose]: () => started.disposeAsync() };
}
