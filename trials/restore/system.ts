/** The system of the drill, which stops and starts again while its stores are lost and put back. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { repository } from '@offer-ads/dev/start/folder';
import { type PostgresService, postgresServices } from '@offer-ads/dev/start/stores';
import { type System, startSystem } from '../harness/system.ts';
import type { DrillStores } from './stores.ts';

export type DrillSystem = Pick<System, 'state' | 'admin'> & {
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** `migrate.ts --restored` of the services named. */
  readonly migrateRestored: (...services: readonly PostgresService[]) => Promise<void>;
};

export function drillSystem(folder: string, stores: DrillStores): DrillSystem {
  let running: System | undefined;
  /** A system that is just starting can be stopped only once it runs. */
  let starting: Promise<System> | undefined;
  const current = () => {
    if (running === undefined) throw new Error('the system is stopped');
    return running;
  };
  // Where the stores listen may change when they are put back.
  const addresses = () => ({
    ...Object.fromEntries(
      postgresServices.map((service) => [
        `${service.toUpperCase()}_DATABASE_URL`,
        at(stores.postgresUrl(), service),
      ]),
    ),
    MONGO_URL: at(stores.mongoUrl(), 'drill'),
    RABBITMQ_URL: stores.rabbitmqUrl(),
    VALKEY_URL: process.env.VALKEY_URL,
  });
  return {
    state: () => current().state(),
    admin: (...words) => current().admin(...words),
    start: async () => {
      // One thread of the model is enough for a few pictures, and is ready sooner.
      const env = { MODEL_THREADS: '1' };
      starting = startSystem({ folder, say: () => {}, env, stores: { env: addresses() } });
      running = await starting;
    },
    stop: async () => {
      const ending = await starting?.catch(() => undefined);
      [running, starting] = [undefined, undefined];
      await ending?.[Symbol.asyncDispose]();
    },
    migrateRestored: async (...services) => {
      for (const service of services)
        await promisify(execFile)(process.execPath, [`services/${service}/src/migrate.ts`, '--restored'], {
          cwd: repository,
          env: { ...process.env, ...addresses() },
        });
    },
  };
}

function at(address: string, database: string): string {
  const url = new URL(address);
  url.pathname = `/${database}`;
  return url.href;
}
