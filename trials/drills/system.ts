/**
 * The system that drills break: its own six services and simulators, as `npm start` runs them, with a wire between them and
 * everything that can be cut. Whatever a drill leaves broken is whole again after `recover`.
 */
import { randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { claimFolder, releaseFolder } from '@offer-ads/backing/data-folder';
import { freePorts } from '@offer-ads/backing/free-port';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { provideDemoData } from '@offer-ads/dev/demo-data';
import type { DemoOrganisation } from '@offer-ads/dev/demo-data/organisations';
import { compileCacheFolder, devFolder, logsFolder, runFolder } from '@offer-ads/dev/start/folder';
import {
  type Addresses,
  addressesOf,
  adminSettings,
  type ProcessPlan,
  planServices,
  planSimulators,
} from '@offer-ads/dev/start/plans';
import { choosePorts } from '@offer-ads/dev/start/ports';
import { readOrMakeSecrets, type Secrets } from '@offer-ads/dev/start/secrets';
import { type Stores, startStores } from '@offer-ads/dev/start/stores';
import { createSupervisor } from '@offer-ads/dev/start/supervisor';
import { startTcpProxy, type TcpProxy } from '@offer-ads/testing/stores/tcp-proxy';
import { cleanFolder } from './clean-folder.ts';
import { type Doing, doing } from './keep-doing.ts';
import { type OpenLocks, openLocks } from './open-locks.ts';

/** Each can be taken down alone, as a network or a store would be. */
const wireNames = [
  'gatewayDatabase',
  'offersDatabase',
  'billingDatabase',
  'pricingMongo',
  'moderationMongo',
  'notifierMongo',
  'rabbitmq',
  'valkey',
  'smtp',
  'gatewayToPricing',
] as const;
type WireName = (typeof wireNames)[number];

type Call = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type DrillSystem = AsyncDisposable &
  Doing & {
    readonly addresses: Addresses;
    readonly secrets: Secrets;
    /** Directly, past the wires. */
    readonly stores: Stores;
    readonly admin: Readonly<Record<string, string>>;
    readonly organisation: DemoOrganisation;
    readonly wires: Readonly<Record<WireName, TcpProxy>>;
    readonly locks: OpenLocks;
    readonly inspectorPort: number;
    readonly pidOf: (service: string) => number;
    readonly stop: (process: string) => Promise<void>;
    readonly start: (process: string) => Promise<void>;
    /** From the next start of the process on. */
    readonly setEnv: (process: string, env: Readonly<Record<string, string>>) => void;
    /** A call of the public API, from a client address of its own unless one is given, so that no limit is met. */
    readonly call: (path: string, init?: Call) => Promise<Response>;
    /** Of a simulator: switches its faults on, or with `{}` off. */
    readonly simulate: (simulator: 'stripe' | 'rates' | 'mail', faults: object) => Promise<void>;
    /** Everything that was broken on purpose is whole again. */
    readonly recover: () => Promise<void>;
  };

export async function startDrillSystem(say: (line: string) => void): Promise<DrillSystem> {
  await using starting = new AsyncDisposableStack();
  await claimFolder(runFolder);
  starting.defer(() => releaseFolder(runFolder));
  await cleanFolder(devFolder);
  mkdirSync(logsFolder);
  const secrets = readOrMakeSecrets();
  const { ports, release } = await choosePorts();
  starting.defer(release);
  const { stores } = starting.use(await startStores(say));
  const addresses = addressesOf(ports);
  const wires = await wiresTo(stores, addresses, starting);
  const [inspectorPort] = (await freePorts(1)) as [number];

  const settings = { ports, secrets, stores: behindWires(wires) };
  const plans = new Map<string, ProcessPlan>(
    [...planSimulators(settings), ...planServices(settings)].map((plan) => [plan.name, plan]),
  );
  const setEnv = (name: string, env: Readonly<Record<string, string>>) => {
    const plan = planOf(name);
    plans.set(name, { ...plan, env: { ...plan.env, ...env } });
  };
  const planOf = (name: string): ProcessPlan => {
    const plan = plans.get(name);
    if (plan === undefined) throw new Error(`there is no process ${name}`);
    return plan;
  };
  setEnv('gateway', { PRICING_URL: wires.gatewayToPricing.url });
  setEnv('notifier', { SMTP_URL: wires.smtp.url });
  // By its inspector a thread of the model is ended from outside.
  const moderation = planOf('moderation');
  plans.set('moderation', {
    ...moderation,
    args: [`--inspect=127.0.0.1:${inspectorPort}`, ...moderation.args],
  });

  const supervisor = createSupervisor({
    logsFolder,
    runFolder,
    env: { NODE_COMPILE_CACHE: compileCacheFolder },
    // The console is for the drills; everything is in the logs.
    report: () => {},
    onRestart: () => {},
  });
  const names = [...plans.keys()];
  starting.defer(() => supervisor.stop(names.filter((name) => name.endsWith('-simulator'))));
  starting.defer(() => supervisor.stop(serviceNames));
  say('Starting simulators and services ...');
  await Promise.all(names.map((name) => supervisor.start(planOf(name))));
  const admin = adminSettings({ ports, secrets, stores });
  const [organisation] = await provideDemoData(admin, say);
  if (organisation === undefined) throw new Error('there is no organisation to work with');

  const running = (name: string) => (supervisor.pids()[name] ?? 0) > 0;
  const start = async (name: string) => {
    if (!running(name)) await supervisor.start(planOf(name));
  };
  const simulate: DrillSystem['simulate'] = async (simulator, faults) => {
    const path = { stripe: '/sim/faults', rates: '/sim/rates', mail: '/sim/mail' }[simulator];
    const reply = await fetch(`${addresses[simulator]}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(faults),
    });
    if (!reply.ok) throw new Error(`the ${simulator} simulator answered ${reply.status}`);
  };
  const keeping = doing();
  const locks = openLocks(stores);
  starting.defer(() => locks.release());
  starting.defer(() => keeping.stopDoing());

  const done = starting.move();
  return {
    ...keeping,
    addresses,
    secrets,
    stores,
    admin,
    organisation,
    wires,
    locks,
    inspectorPort,
    pidOf: (name) => supervisor.pids()[name] ?? 0,
    stop: (name) => supervisor.stop([name]),
    start,
    setEnv,
    call: (path, init) =>
      fetch(`${addresses.gateway}${path}`, {
        signal: AbortSignal.timeout(30_000),
        ...init,
        headers: { 'x-api-key': organisation.keys.TEST, 'x-forwarded-for': someAddress(), ...init?.headers },
      }),
    simulate,
    recover: async () => {
      await keeping.stopDoing();
      await locks.release();
      for (const wire of Object.values(wires)) wire.bringBack();
      await Promise.all(names.map(start));
      await Promise.all([simulate('stripe', {}), simulate('rates', {}), simulate('mail', {})]);
    },
    [Symbol.asyncDispose]: () => done.disposeAsync(),
  };
}

async function wiresTo(
  { databases, mongo, rabbitmq, valkey }: Stores,
  { smtp, pricing }: Addresses,
  stack: AsyncDisposableStack,
): Promise<Record<WireName, TcpProxy>> {
  const targets: Record<WireName, string> = {
    gatewayDatabase: databases.gateway,
    offersDatabase: databases.offers,
    billingDatabase: databases.billing,
    pricingMongo: mongo.pricing,
    moderationMongo: mongo.moderation,
    notifierMongo: mongo.notifier,
    rabbitmq,
    valkey,
    smtp,
    gatewayToPricing: pricing,
  };
  const laid = wireNames.map(async (name) => [name, stack.use(await startTcpProxy(targets[name]))] as const);
  return Object.fromEntries(await Promise.all(laid)) as Record<WireName, TcpProxy>;
}

function behindWires(wires: Readonly<Record<WireName, TcpProxy>>): Stores {
  return {
    databases: {
      gateway: wires.gatewayDatabase.url,
      offers: wires.offersDatabase.url,
      billing: wires.billingDatabase.url,
    },
    mongo: {
      pricing: wires.pricingMongo.url,
      moderation: wires.moderationMongo.url,
      notifier: wires.notifierMongo.url,
    },
    rabbitmq: wires.rabbitmq.url,
    valkey: wires.valkey.url,
  };
}

/** Of a network that is nobody's (RFC 2544). */
function someAddress(): string {
  return `198.18.${randomInt(256)}.${randomInt(1, 255)}`;
}
