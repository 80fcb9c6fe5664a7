/** The whole system of `npm start` with stores of its own, and a stand-in for moderation. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
export type Moderation = 'the model' | 'a stand-in';
export type System = {
  readonly gatewayUrl: string;
  readonly settings: Settings;
  readonly admin: ReturnType<typeof createAdminClient>;
  /** The names of processes, for processor time. */
  readonly pids: () => ReadonlyMap<number, string>;
  readonly putInPlace: (moderation: Moderation) => Promise<void>;
  readonly stop: (name: string) => Promise<void>;
};

const standIn = fileURLToPath(new URL('moderation-stand-in.ts', import.meta.url));

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

/** @param nodeArgs for the service of that name */
export async function startSystem(
  opened: AsyncDisposableStack,
  settings: Settings,
  nodeArgs: Readonly<Record<string, readonly string[]>> = {},
): Promise<System> {
  const running = new Map<string, Running>();
  const start = async (plan: ProcessPlan) => {
    running.set(plan.name, await startPlanned(plan, settings, nodeArgs[plan.name]));
  };
  const plans = [...planSimulators(settings), ...planServices(settings)];
  const moderation = plans.find(({ name }) => name === 'moderation');
  if (moderation === undefined) throw new Error('no plan for moderation');
  let judge: Running | undefined;
  opened.defer(async () => {
    const all = judge === undefined ? [...running.values()] : [judge, ...running.values()];
    await Promise.all(all.map((each) => each[Symbol.asyncDispose]()));
  });
  // All of them settle, so that those that run are stopped when another one does not start.
  const starts = await Promise.allSettled(plans.filter((plan) => plan !== moderation).map(start));
  for (const outcome of starts) if (outcome.status === 'rejected') throw outcome.reason;

  return {
    gatewayUrl: addressesOf(settings.ports).gateway,
    settings,
    admin: createAdminClient(adminSettings(settings)),
    pids: () => {
      const named = [...running].map(([name, { pid }]) => [pid, name] as const);
      return new Map([...named, [judge?.pid ?? 0, 'moderation'], [process.pid, 'the load itself']]);
    },
    putInPlace: async (which) => {
      await judge?.[Symbol.asyncDispose]();
      const plan = which === 'the model' ? moderation : { ...moderation, args: [standIn] };
      judge = await startPlanned(plan, settings, nodeArgs.moderation);
    },
    stop: async (name) => {
      const process = name === 'moderation' ? judge : running.get(name);
      await process?.[Symbol.asyncDispose]();
    },
  };
}

/** Its output goes into a file, as a container's goes to its runtime. Reading it here would disturb the measurement. */
export function startPlanned(
  plan: ProcessPlan,
  { folder }: Pick<Settings, 'folder'>,
  nodeArgs: readonly string[] = [],
): Promise<Running> {
  return startProcess({
    name: plan.name,
    folder,
    // The packages that it imports are found from here.
    cwd: repository,
    command: process.execPath,
    args: [...nodeArgs, ...plan.args],
    readyUrl: plan.readyUrl,
    env: { ...plan.env, NODE_ENV: 'production' },
  });
}
