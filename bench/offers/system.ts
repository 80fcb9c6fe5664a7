/** The whole system as `npm start` runs it, with stores of its own; of moderation there is a stand-in too. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { freePorts } from '@offer-ads/backing/free-port';
import { createAdminClient } from '@offer-ads/dev/demo-data/admin-client';
import {
  addressesOf,
  adminSettings,
  type ProcessPlan,
  planServices,
  planSimulators,
} from '@offer-ads/dev/start/plans';
import type { Ports } from '@offer-ads/dev/start/ports';
import type { Secrets } from '@offer-ads/dev/start/secrets';
import type { Stores as StoreAddresses } from '@offer-ads/dev/start/stores';
import { type Running, startProcess } from '../process.ts';
import { createDatabase, type Stores } from '../stores.ts';

export type Moderation = 'the model' | 'a stand-in';
export type Settings = {
  readonly ports: Ports;
  readonly secrets: Secrets;
  readonly stores: StoreAddresses;
  readonly folder: string;
};

export type System = {
  readonly gatewayUrl: string;
  readonly settings: Settings;
  readonly admin: ReturnType<typeof createAdminClient>;
  /** Who is who, for processor time. */
  readonly pids: () => ReadonlyMap<number, string>;
  readonly putInPlace: (moderation: Moderation) => Promise<void>;
  readonly stop: (name: string) => Promise<void>;
};

const services = fileURLToPath(new URL('../../services', import.meta.url));
const standIn = fileURLToPath(new URL('moderation-stand-in.ts', import.meta.url));

export async function prepareSettings(
  opened: AsyncDisposableStack,
  { folder, backing }: Stores,
): Promise<Settings> {
  const database = (name: 'gateway' | 'offers' | 'billing') =>
    createDatabase(opened, {
      serverUrl: backing.postgresUrl,
      name,
      migrations: join(services, name, 'migrations'),
    });
  const mongo = (name: string) => {
    const url = new URL(backing.mongoUrl);
    url.pathname = `/bench_${process.pid}_${name}`;
    return url.href;
  };
  const names = [
    'gateway',
    'offers',
    'billing',
    'pricing',
    'moderation',
    'notifier',
    'stripe',
    'rates',
    'mail',
    'smtp',
  ];
  const free = await freePorts(names.length);
  const secret = () => randomBytes(24).toString('hex');
  return {
    folder,
    ports: Object.fromEntries(names.map((name, index) => [name, free[index]])) as Ports,
    secrets: {
      adminToken: secret(),
      consoleToken: secret(),
      offersContext: secret(),
      pricingContext: secret(),
      billingContext: secret(),
      moderationContext: secret(),
      notifierContext: secret(),
      unsubscribe: secret(),
      imageUrl: secret(),
      stripeTestKey: `sk_test_${secret()}`,
      stripeLiveKey: `sk_live_${secret()}`,
      stripeTestWebhook: `whsec_${secret()}`,
      stripeLiveWebhook: `whsec_${secret()}`,
    },
    stores: {
      databases: {
        gateway: await database('gateway'),
        offers: await database('offers'),
        billing: await database('billing'),
      },
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
    running.set(plan.name, opened.use(await startPlanned(plan, settings, nodeArgs[plan.name])));
  };
  const plans = [...planSimulators(settings), ...planServices(settings)];
  const moderation = plans.find(({ name }) => name === 'moderation');
  if (moderation === undefined) throw new Error('no plan for moderation');
  for (const plan of plans) if (plan !== moderation) await start(plan);

  let judge: Running | undefined;
  opened.defer(async () => judge?.[Symbol.asyncDispose]());
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

/** What is kept in files goes into the folder of this run. */
export function startPlanned(
  plan: ProcessPlan,
  { folder }: Pick<Settings, 'folder'>,
  nodeArgs: readonly string[] = [],
): Promise<Running> {
  return startProcess({
    name: plan.name,
    folder,
    // Where the packages that it imports by name are found.
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    command: process.execPath,
    args: [...nodeArgs, ...plan.args],
    readyUrl: plan.readyUrl,
    env: {
      ...plan.env,
      NODE_ENV: 'production',
      ...(plan.name === 'offers' && { IMAGE_STORE_URL: pathToFileURL(join(folder, 'images')).href }),
      ...(plan.name === 'gateway' && { CALL_SPOOL_FOLDER: join(folder, 'call-spool') }),
      ...(plan.name === 'stripe-simulator' && { STATE_FILE: join(folder, 'stripe.ndjson') }),
    },
  });
}
