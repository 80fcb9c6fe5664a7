/** `npm start`: the whole system on this machine, from the stores to demo data, until Ctrl-C. */
import { existsSync, renameSync, rmSync } from 'node:fs';
import { serviceNames } from '@offer-ads/contracts/values/primitives';
import { refuseOptions } from './command-line.ts';
import { provideDemoData } from './demo-data.ts';
import { devFolder, foldersIn } from './start/folder.ts';
import {
  adminSettings,
  communityName,
  planCommunity,
  planConsole,
  planServices,
  planSimulators,
} from './start/plans.ts';
import { gatewayPort } from './start/ports.ts';
import { prepareSystem } from './start/prepare-system.ts';
import { removeState, stateOf, writeAdminSettings, writeState } from './start/state.ts';
import type { Supervisor } from './start/supervisor.ts';
import { startTable } from './start/table.ts';

refuseOptions(
  'npm start takes no options. Settings are environment variables (dev/README.md), for example DEV_FOLDER=/tmp/other npm start',
);
const say = (line: string) => console.log(line);
const began = performance.now();
const { logsFolder } = foldersIn(devFolder);

/** Stopped in reverse order of the start. */
const running = new AsyncDisposableStack();
let onRestart = () => {};
let stopping = false;
let supervisor: Supervisor | undefined;
/** Stores that are still starting can be stopped only after their start. */
let preparing: ReturnType<typeof prepareSystem> | undefined;

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop());
try {
  await start();
} catch (error) {
  if (!stopping) {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
    await stop();
  }
}

async function start(): Promise<void> {
  preparing = prepareSystem(running, {
    folder: devFolder,
    say,
    prepare: async () => tidyFolder(),
    report: say,
    onRestart: () => onRestart(),
  });
  const prepared = await preparing;
  if (stopping) return;
  const { settings } = prepared;
  const { stop: stopProcesses, start: startProcess } = (supervisor = prepared.supervisor);
  if (settings.ports.gateway !== gatewayPort)
    say(`Port ${gatewayPort} is taken: the gateway uses ${settings.ports.gateway}.`);

  say('Starting simulators and services ...');
  const simulators = planSimulators(settings);
  // The gateway stops first, so that no new requests come; then the others finish their work.
  running.defer(() => stopProcesses(simulators.map(({ name }) => name)));
  running.defer(() => stopProcesses(serviceNames.filter((name) => name !== 'gateway')));
  running.defer(() => stopProcesses(['gateway', 'console', communityName]));
  const plans = [...simulators, ...planServices(settings), planConsole(settings)];
  await Promise.all(plans.map(startProcess));

  const admin = adminSettings(settings);
  const data = await provideDemoData(admin, say);
  await startProcess(planCommunity(settings, data.placementKeys));
  const current = () => stateOf(settings, { pids: prepared.supervisor.pids(), ...data });
  running.defer(removeState);
  writeAdminSettings(admin);
  onRestart = () => writeState(current());
  onRestart();
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  say(`\n${startTable(current(), { seconds })}`);
}

/** Keeps the logs of one earlier start, and removes the state that a killed start left behind. */
function tidyFolder(): void {
  removeState();
  if (!existsSync(logsFolder)) return;
  rmSync(`${logsFolder}.previous`, { recursive: true, force: true });
  renameSync(logsFolder, `${logsFolder}.previous`);
}

/** A second request kills processes that have not stopped yet. The stores are always stopped in order. */
async function stop(): Promise<void> {
  if (stopping) return supervisor?.killAll();
  stopping = true;
  say('\nStopping ...');
  await preparing?.catch(() => undefined);
  await running.disposeAsync();
  say('Stopped.');
  process.exit();
}
