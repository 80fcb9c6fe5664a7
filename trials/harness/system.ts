/**
 * The whole system for a trial: six services and the simulators as `npm start` runs them, beside the usual system and with a folder
 * of its own. Every connection between services and stores can be cut, every process can be stopped, changed and started again, and
 * each service can run as several replicas.
 */
import { mkdirSync } from 'node:fs';
import { claimFolder, releaseFolder } from '@offer-ads/backing/data-folder';
import { type ServiceName, serviceNames } from '@offer-ads/contracts/values/primitives';
import { provideDemoData } from '@offer-ads/dev/demo-data';
import { type AdminClient, createAdminClient } from '@offer-ads/dev/demo-data/admin-client';
import { foldersIn } from '@offer-ads/dev/start/folder';
import {
  type Addresses,
  addressesOf,
  adminSettings,
  type ProcessPlan,
  planConsole,
  planServices,
  planSimulators,
} from '@offer-ads/dev/start/plans';
import { choosePorts } from '@offer-ads/dev/start/ports';
import { readOrMakeSecrets, type Secrets } from '@offer-ads/dev/start/secrets';
import { type DevState, stateOf } from '@offer-ads/dev/start/state';
import { type Stores, type StoresOptions, startStores } from '@offer-ads/dev/start/stores';
import { createSupervisor } from '@offer-ads/dev/start/supervisor';
import { buildWeb } from '@offer-ads/web/build';
import { type AdminTool, adminToolOf } from './admin-tool.ts';
import { type Links, startLinks, storesBehind } from './links.ts';
import { createReplicas, type Replicas } from './replicas.ts';

export type System = AsyncDisposable & {
  readonly folder: string;
  /** What is recorded in it is stopped by the next run, should this one be killed. */
  readonly runFolder: string;
  readonly addresses: Addresses;
  /** Those that the processes use from their next start on. */
  readonly secrets: () => Secrets;
  readonly useSecrets: (secrets: Secrets) => void;
  /** Addresses past the links. */
  readonly stores: Stores;
  readonly links: Links;
  /** As `.dev/state.json` has it, with the ids of the processes that run now. */
  readonly state: () => DevState;
  /** What the admin tool is told by its environment. */
  readonly adminSettings: () => Readonly<Record<string, string>>;
  /** Runs a command of the admin tool with `--json`; throws what it reports as an error. */
  readonly admin: AdminTool;
  /** Calls an admin route. */
  readonly callAdmin: AdminClient;
  readonly pidOf: (process: string) => number;
  readonly stop: (process: string) => Promise<void>;
  /** Nothing happens to a process that runs. */
  readonly start: (process: string) => Promise<void>;
  /** From the next start of the process on. */
  readonly setEnv: (process: string, env: Readonly<Record<string, string>>) => void;
  /** Starts every process that does not run. */
  readonly startAll: () => Promise<void>;
  /** Of a system with replicas. */
  readonly replicas: Replicas;
};

export type SystemOptions = {
  readonly folder: string;
  /** Holds the claim of the folder and the ids of its processes, where that is not `run` in it. */
  readonly runFolder?: string;
  readonly say: (line: string) => void;
  /** Once the folder is claimed, before anything is started. */
  readonly prepare?: (folder: string) => Promise<void>;
  /** What the supervisor reports: processes that end and start again. Unless given, it is in the logs alone. */
  readonly report?: (line: string) => void;
  readonly stores?: Omit<StoresOptions, 'folder' | 'report'>;
  /** For the environment of all its processes. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where the compiled code is kept, which several systems can share. */
  readonly compileCache?: string;
  readonly withConsole?: boolean;
  /** Secrets that the simulators know from the start. */
  readonly simulatorSecrets?: (secrets: Secrets) => Secrets;
  /** The services run behind balancers, one replica of each at first, of the working copy given. */
  readonly replicas?: { readonly preStopMs: number; readonly code?: string | undefined };
};

export async function startSystem(o: SystemOptions): Promise<System> {
  const { folder, say } = o;
  const { logsFolder, compileCacheFolder, ...usual } = foldersIn(folder);
  const runFolder = o.runFolder ?? usual.runFolder;
  await using starting = new AsyncDisposableStack();
  mkdirSync(folder, { recursive: true });
  await claimFolder(runFolder);
  starting.defer(() => releaseFolder(runFolder));
  await o.prepare?.(folder);
  mkdirSync(logsFolder, { recursive: true });
  await buildWeb({ report: say });
  let secrets = readOrMakeSecrets(folder);
  const { ports, release } = await choosePorts(folder);
  starting.defer(release);
  const { stores } = starting.use(await startStores({ ...o.stores, folder, report: say }));
  const addresses = addressesOf(ports);
  const links = await startLinks(stores, addresses, starting);
  const supervisor = createSupervisor({
    logsFolder,
    runFolder,
    env: { NODE_COMPILE_CACHE: o.compileCache ?? compileCacheFolder, ...o.env },
    report: o.report ?? (() => {}),
    onRestart: () => {},
  });

  const changedEnv = new Map<string, Readonly<Record<string, string>>>([
    ['gateway', { PRICING_URL: links.gatewayToPricing.url }],
    ['notifier', { SMTP_URL: links.smtp.url }],
  ]);
  const direct = () => ({ folder, ports, secrets, stores });
  const settings = () => ({ ...direct(), stores: storesBehind(links, stores) });
  const firstSecrets = o.simulatorSecrets?.(secrets) ?? secrets;
  const plans = () => [
    ...planSimulators({ ...settings(), secrets: firstSecrets }),
    ...planServices(settings()),
    ...(o.withConsole === true ? [planConsole(settings())] : []),
  ];
  const planOf = (name: string): ProcessPlan => {
    const plan = plans().find((each) => each.name === name);
    if (plan === undefined) throw new Error(`there is no process ${name}`);
    return { ...plan, env: { ...plan.env, ...changedEnv.get(name) } };
  };
  const start = async (name: string) => {
    if ((supervisor.pids()[name] ?? 0) === 0) await supervisor.start(planOf(name));
  };

  const isService = (name: string) => serviceNames.includes(name as ServiceName);
  const others = plans().flatMap(({ name }) => (isService(name) ? [] : name));
  const single = o.replicas === undefined ? [...serviceNames] : [];
  const startAll = async () => void (await Promise.all([...others, ...single].map(start)));
  say('Starting simulators and services ...');
  starting.defer(() => supervisor.stop(others));
  starting.defer(() => supervisor.stop(single.filter((name) => name !== 'gateway')));
  starting.defer(() => supervisor.stop(single.filter((name) => name === 'gateway')));
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
  const organisations = await provideDemoData(adminSettings(direct()), say, folder);

  const running = starting.move();
  return {
    folder,
    runFolder,
    addresses,
    secrets: () => secrets,
    useSecrets: (others) => {
      secrets = others;
    },
    stores,
    links,
    state: () => stateOf(direct(), { pids: supervisor.pids(), organisations }),
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
