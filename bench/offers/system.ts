/** The whole system of `npm start`, with stores of its own. */
import { join } from 'node:path';
import type { ServiceName } from '@offer-ads/contracts/values/primitives';
import { createAdminClient } from '@offer-ads/dev/demo-data/admin-client';
import { repository } from '@offer-ads/dev/start/folder';
import {
  addressesOf,
  adminSettings,
  type ProcessPlan,
  planServices,
  planSimulators,
  type Settings,
} from '@offer-ads/dev/start/plans';
import { choosePorts } from '@offer-ads/dev/start/ports';
import { makeSecrets } from '@offer-ads/dev/start/secrets';
import { type PostgresService, postgresServices } from '@offer-ads/dev/start/stores';
import { type Running, startProcess } from '../process.ts';
import { createDatabase, type Stores } from '../stores.ts';

type Databases = Settings['stores']['databases'];
export type System = {
  readonly gatewayUrl: string;
  readonly admin: ReturnType<typeof createAdminClient>;
  /** The names of processes, for processor time. */
  readonly pids: () => ReadonlyMap<number, string>;
};

export async function prepareSettings(
  opened: AsyncDisposableStack,
  { folder, backing }: Stores,
): Promise<Settings> {
  const database = async (name: PostgresService) => {
    const migrations = join(repository, 'services', name, 'migrations');
    return [
      name,
      await createDatabase(opened, { serverUrl: backing.postgresUrl, name, migrations }),
    ] as const;
  };
  const mongo = (name: string) => {
    const url = new URL(backing.mongoUrl);
    url.pathname = `/bench_${process.pid}_${name}`;
    return url.href;
  };
  const { ports, release } = await choosePorts(folder);
  opened.defer(release);
  return {
    folder,
    ports,
    secrets: makeSecrets(),
    stores: {
      databases: Object.fromEntries(await Promise.all(postgresServices.map(database))) as Databases,
      mongo: { pricing: mongo('pricing'), moderation: mongo('moderation'), notifier: mongo('notifier') },
      rabbitmq: backing.rabbitmqUrl,
      valkey: backing.valkeyUrl ?? '',
    },
  };
}

/** Everything but the console. */
export async function startSystem(opened: AsyncDisposableStack, settings: Settings): Promise<System> {
  const running = new Map<string, Running>();
  opened.defer(
    async () => void (await Promise.all([...running.values()].map((each) => each[Symbol.asyncDispose]()))),
  );
  const plans = [...planSimulators(settings), ...planServices(settings)];
  // All of them settle, so that those that run are stopped when another one does not start.
  const starts = await Promise.allSettled(
    plans.map(async (plan) => void running.set(plan.name, await startPlanned(plan, settings))),
  );
  for (const outcome of starts) if (outcome.status === 'rejected') throw outcome.reason;
  return {
    gatewayUrl: addressesOf(settings.ports).gateway,
    admin: createAdminClient(adminSettings(settings)),
    pids: () => {
      const named = [...running].map(([name, { pid }]) => [pid, name] as const);
      return new Map([...named, [process.pid, 'the load itself']]);
    },
  };
}

export function planOf(service: ServiceName, settings: Settings): ProcessPlan {
  const plan = planServices(settings).find(({ name }) => name === service);
  if (plan === undefined) throw new Error(`no plan for ${service}`);
  return plan;
}

/** Its output goes into a file, as a container's goes to its runtime. Reading it here would disturb the measurement. */
export function startPlanned(plan: ProcessPlan, { folder }: Pick<Settings, 'folder'>): Promise<Running> {
  return startProcess({
    name: plan.name,
    folder,
    // The packages that it imports are found from here.
    cwd: repository,
    command: process.execPath,
    args: plan.args,
    readyUrl: plan.readyUrl,
    env: { ...plan.env, NODE_ENV: 'production' },
  });
}
