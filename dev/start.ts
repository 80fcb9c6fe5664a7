/** `npm start`: the whole system on this machine, from the stores to demo data, until Ctrl-C. */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { claimFolder, releaseFolder } from '@offer-ads/backing/data-folder';
import { reasonOf } from '@offer-ads/backing/find';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { buildWeb } from '@offer-ads/web/build';
import { provideDemoData } from './demo-data.ts';
import { devFolder, foldersIn } from './start/folder.ts';
import { adminSettings, planConsole, planServices, planSimulators } from './start/plans.ts';
import { choosePorts, gatewayPort } from './start/ports.ts';
import { readOrMakeSecrets } from './start/secrets.ts';
import { removeState, stateOf, writeAdminSettings, writeState } from './start/state.ts';
import { startStores } from './start/stores.ts';
import { createSupervisor } from './start/supervisor.ts';
import { startTable } from './start/table.ts';

const say = (line: string) => console.log(line);
const began = performance.now();
const { compileCacheFolder, logsFolder, runFolder } = foldersIn(devFolder);

/** Stopped in reverse order of the start. */
const running = new AsyncDisposableStack();
const supervisor = createSupervisor({
  logsFolder,
  runFolder,
  env: { NODE_COMPILE_CACHE: compileCacheFolder },
  report: say,
  onRestart: () => onRestart(),
});
let onRestart = () => {};
let stopping = false;
/** Stores that are still starting can be stopped only after their start. */
let startingStores: ReturnType<typeof startStores> | undefined;

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop());
const [argument] = process.argv.slice(2);
try {
  if (argument === undefined) await start();
  else {
    // Refuse arguments, so that `--help` or a typing error does not start the system.
    say(
      'npm start takes no arguments. Settings are environment variables (dev/README.md), for example DEV_FOLDER=/tmp/other npm start',
    );
    process.exitCode = argument === '--help' ? 0 : 2;
  }
} catch (error) {
  if (!stopping) {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
    await stop();
  }
}

async function start(): Promise<void> {
  await claim();
  const secrets = readOrMakeSecrets(devFolder);
  const { ports, release } = await choosePorts(devFolder);
  running.defer(release);
  if (ports.gateway !== gatewayPort) say(`Port ${gatewayPort} is taken: the gateway uses ${ports.gateway}.`);
  startingStores = startStores({ folder: devFolder, report: say });
  const backing = running.use(await startingStores);
  await buildWeb({ report: say });
  if (stopping) return;
  const settings = { folder: devFolder, ports, secrets, stores: backing.stores };

  say('Starting simulators and services ...');
  const simulators = planSimulators(settings);
  const services = planServices(settings);
  // The gateway stops first, so that no new requests come; then the others finish their work.
  running.defer(() => supervisor.stop(simulators.map(({ name }) => name)));
  running.defer(() => supervisor.stop(serviceNames.filter((name) => name !== 'gateway')));
  running.defer(() => supervisor.stop(['gateway', 'console']));
  await Promise.all([...simulators, ...services, planConsole(settings)].map(supervisor.start));

  const admin = adminSettings(settings);
  const organisations = await provideDemoData(admin, say);
  const current = () => stateOf(settings, { pids: supervisor.pids(), organisations });
  running.defer(removeState);
  writeAdminSettings(admin);
  onRestart = () => writeState(current());
  onRestart();
  say(
    `\n${startTable(current(), { seconds: ((performance.now() - began) / 1000).toFixed(1), adminToken: secrets.adminToken })}`,
  );
}

/** Allows one start per folder. Processes that a killed start left behind are stopped by their recorded ids. */
async function claim(): Promise<void> {
  mkdirSync(devFolder, { recursive: true });
  try {
    await claimFolder(runFolder);
  } catch (error) {
    say(`npm start is already running in this folder: ${reasonOf(error)}`);
    process.exit(1);
  }
  running.defer(() => releaseFolder(runFolder));
  removeState();
  if (existsSync(logsFolder)) {
    rmSync(`${logsFolder}.previous`, { recursive: true, force: true });
    renameSync(logsFolder, `${logsFolder}.previous`);
  }
  mkdirSync(logsFolder);
}

/** A second request kills processes that have not stopped yet. The stores are always stopped in order. */
async function stop(): Promise<void> {
  if (stopping) return supervisor.killAll();
  stopping = true;
  say('\nStopping ...');
  await startingStores?.catch(() => undefined);
  await running.disposeAsync();
  say('Stopped.');
  process.exit();
}
