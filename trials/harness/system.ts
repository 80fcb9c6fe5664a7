/**
 * The whole system for a trial: the processes of `npm start`, in a folder of its own. Connections to stores, to the mail
 * server and from gateway to pricing can be cut, processes can be stopped, changed and started again, and each service can run as several
 * replicas.
 */
import { type ServiceName, serviceNames } from '@offer-ads/contracts/values/primitives';
import { type DemoData, provideDemoData } from '@offer-ads/dev/demo-data';
import { type AdminClient, createAdminClient } from '@offer-ads/dev/demo-data/admin-client';
import { foldersIn } from '@offer-ads/dev/start/folder';
import {
  type Addresses,
  addressesOf,
  adminSettings,
  type ProcessPlan,
  planCommunity,
  planConsole,
  planServices,
  planSimulators,
} from '@offer-ads/dev/start/plans';
import { type PrepareOptions, prepareSystem } from '@offer-ads/dev/start/prepare-system';
import type { Secrets } from '@offer-ads/dev/start/secrets';
import { type DevState, stateOf } from '@offer-ads/dev/start/state';
import type { Stores } from '@offer-ads/dev/start/stores';
import { type AdminTool, adminToolOf } from './admin-tool.ts';
import { type Links, startLinks, storesBehind } from './links.ts';
import { createReplicas, type Replicas } from './replicas.ts';

export type System = AsyncDisposable & {
  readonly folder: string;
  /** Holds the process ids of this run. The next run stops those that are left. */
  readonly runFolder: string;
  readonly addresses: Addresses;
  /** The secrets that a process gets at its next start. */
  readonly secrets: () => Secrets;
  readonly useSecrets: (secrets: Secrets) => void;
  /** The addresses of the stores themselves, without the links. */
  readonly stores: Stores;
  readonly links: Links;
  /** The content of `.dev/state.json`, with the current process ids. */
  readonly state: () => DevState;
  /** The settings of the admin tool. */
  readonly adminSettings: () => Readonly<Record<string, string>>;
  /** Runs a command of the admin tool with `--json`; throws the error that it reports. */
  readonly admin: AdminTool;
  /** Calls an admin route. */
  readonly callAdmin: AdminClient;
  /** 0 if it does not run. */
  readonly pidOf: (process: string) => number;
  readonly stop: (process: string) => Promise<void>;
  /** Does nothing if the process runs. Services that have replicas are started and stopped by `replicas`. */
  readonly start: (process: string) => Promise<void>;
  /** For the next start of the process. */
  readonly setEnv: (process: string, env: Readonly<Record<string, string>>) => void;
  /** Starts every process that does not run, except services that have replicas. */
  readonly startAll: () => Promise<void>;
  /** Empty in a system without replicas. */
  readonly replicas: Replicas;
};

export type SystemOptions = Omit<PrepareOptions, 'onRestart'> & {
  readonly withConsole?: boolean;
  /** The sample community page, too. */
  readonly withCommunity?: boolean;
  /** The simulators keep these secrets; `useSecrets` does not change them. */
  readonly simulatorSecrets?: (secrets: Secrets) => Secrets;
  /** Runs the services behind balancers: at first one replica of each. `code`: the folder of the checkout to run, by default this one. */
  readonly replicas?: { readonly preStopMs: number; readonly code?: string | undefined };
};

export async function startSystem(o: SystemOptions): Promise<System> {
  const { folder, say } = o;
  await using starting = new AsyncDisposableStack();
  const { settings: prepared, supervisor } = await prepareSystem(starting, o);
  const { ports, stores } = prepared;
  let { secrets } = prepared;
  const addresses = addressesOf(ports);
  const links = await startLinks(stores, addresses, starting);

  const changedEnv = new Map<string, Readonly<Record<string, string>>>([
    ['gateway', { PRICING_URL: links.gatewayToPricing.url }],
    ['notifier', { SMTP_URL: links.smtp.url }],
  ]);
  const direct = () => ({ folder, ports, secrets, stores });
  const settings = () => ({ ...direct(), stores: storesBehind(links, stores) });
  const firstSecrets = o.simulatorSecrets?.(secrets) ?? secrets;
  let data: DemoData | undefined;
  const plans = () => [
    ...planSimulators({ ...settings(), secrets: firstSecrets }),
    ...planServices(settings()),
    ...(o.withConsole === true ? [planConsole(settings())] : []),
    // It needs placement keys, so it starts after the demo data.
    ...(o.withCommunity === true && data !== undefined
      ? [planCommunity(settings(), data.placementKeys)]
      : []),
  ];
  const planOf = (name: string): ProcessPlan => {
    const plan = plans().find((each) => each.name === name);
    if (plan === undefined) throw new Error(`there is no process ${name}`);
    return { ...plan, env: { ...plan.env, ...changedEnv.get(name) } };
  };
  const isService = (name: string) => serviceNames.includes(name as ServiceName);
  const start = async (name: string) => {
    if (o.replicas !== undefined && isService(name)) throw new Error(`${name} has replicas: start those`);
    if ((supervisor.pids()[name] ?? 0) === 0) await supervisor.start(planOf(name));
  };

  const notServices = () => plans().flatMap(({ name }) => (isService(name) ? [] : name));
  const withoutReplicas = o.replicas === undefined ? [...serviceNames] : [];
  const startAll = async () => void (await Promise.all([...notServices(), ...withoutReplicas].map(start)));
  say('Starting simulators and services ...');
  starting.defer(() => supervisor.stop(notServices()));
  starting.defer(() => supervisor.stop(withoutReplicas.filter((name) => name !== 'gateway')));
  starting.defer(() => supervisor.stop(withoutReplicas.filter((name) => name === 'gateway')));
  await startAll();
  const { preStopMs = 0, code } = o.replicas ?? {};
  const replicas = starting.use(
    createReplicas({
      plan: planOf,
      ports: o.replicas === undefined ? undefined : ports,
      supervisor,
      preStopMs,
    }),
  );
  if (o.replicas !== undefined) await Promise.all(serviceNames.map((service) => replicas.add(service, code)));
  const provided = (data = await provideDemoData(adminSettings(direct()), say, folder));
  await startAll();

  const running = starting.move();
  return {
    folder,
    runFolder: o.runFolder ?? foldersIn(folder).runFolder,
    addresses,
    secrets: () => secrets,
    useSecrets: (next) => {
      secrets = next;
    },
    stores,
    links,
    state: () => stateOf(direct(), { pids: supervisor.pids(), ...provided }),
    adminSettings: () => adminSettings(direct()),
    admin: adminToolOf(() => ({ ...adminSettings(direct()), DEV_FOLDER: folder })),
    callAdmin: (owner, method, path, body) =>
      createAdminClient(adminSettings(direct()))(owner, method, path, body),
    pidOf: (name) => supervisor.pids()[name] ?? 0,
    stop: (name) => supervisor.stop([name]),
    start,
    setEnv: (name, env) => void changedEnv.set(name, { ...changedEnv.get(name), ...env }),
    startAll,
    replicas,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
