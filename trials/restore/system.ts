/** The system of the restore drill. It stops and starts again while its stores are lost and restored. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { repository } from '@offer-ads/dev/start/folder';
import { type PostgresService, postgresServices } from '@offer-ads/dev/start/stores';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { auditAtRest, eventsUnderWay } from '../harness/audit.ts';
import { type System, startSystem } from '../harness/system.ts';
import { mustBeNone } from '../harness/trade.ts';
import type { DrillStores } from './stores.ts';

export type RestartableSystem = Pick<System, 'state' | 'admin'> & {
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** Runs `migrate.ts --restored` of the services named. */
  readonly migrateRestored: (...services: readonly PostgresService[]) => Promise<void>;
  /** Resolves when no event is under way. */
  readonly rest: () => Promise<void>;
  /** What is wrong once no event is under way. */
  readonly audit: () => Promise<string[]>;
};

export function restartableSystem(folder: string, stores: DrillStores): RestartableSystem {
  let running: System | undefined;
  /** A system that is just starting can be stopped only after its start. */
  let starting: Promise<System> | undefined;
  const current = () => {
    if (running === undefined) throw new Error('the system is stopped');
    return running;
  };
  // Read at each start, because restored stores may listen at other ports.
  const addresses = () => ({
    ...Object.fromEntries(
      postgresServices.map((service) => [
        `${service.toUpperCase()}_DATABASE_URL`,
        withDatabase(stores.postgresUrl(), service),
      ]),
    ),
    MONGO_URL: withDatabase(stores.mongoUrl(), 'drill'),
    RABBITMQ_URL: stores.rabbitmqUrl(),
    VALKEY_URL: process.env.VALKEY_URL,
  });
  return {
    state: () => current().state(),
    admin: (...words) => current().admin(...words),
    rest: () => eventually(async () => mustBeNone(await eventsUnderWay(current()), 'events under way')),
    audit: () => auditAtRest(current()),
    start: async () => {
      // One thread of the model is enough for a few pictures, and is ready sooner.
      const env = { PICTURES_AT_ONCE: '1' };
      starting = startSystem({ folder, say: () => {}, env, stores: { env: addresses() } });
      running = await starting;
    },
    stop: async () => {
      const ending = await starting?.catch(() => undefined);
      [running, starting] = [undefined, undefined];
      await ending?.[Symbol.asyncDispose]();
    },
    migrateRestored: async (...services) =>
      void (await Promise.all(
        services.map((service) =>
          promisify(execFile)(process.execPath, [`services/${service}/src/migrate.ts`, '--restored'], {
            cwd: repository,
            env: { ...process.env, ...addresses() },
          }),
        ),
      )),
  };
}

export function withDatabase(address: string, database: string): string {
  const url = new URL(address);
  url.pathname = `/${database}`;
  return url.href;
}
