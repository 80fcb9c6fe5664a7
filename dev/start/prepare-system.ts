/** What `npm start` and every trial do before they start processes: claim the folder, build the pages, start the stores. */
import { mkdirSync } from 'node:fs';
import { claimFolder, releaseFolder } from '@offer-ads/backing/data-folder';
import { buildWeb } from '@offer-ads/web/build';
import { foldersIn } from './folder.ts';
import type { Settings } from './plans.ts';
import { choosePorts } from './ports.ts';
import { readOrMakeSecrets } from './secrets.ts';
import { type StoresOptions, startStores } from './stores.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';

export type PrepareOptions = {
  readonly folder: string;
  /** Holds the claim of the folder and the ids of its processes; by default `run` in the folder. */
  readonly runFolder?: string;
  readonly say: (line: string) => void;
  /** Runs when the folder is claimed, before anything is started. */
  readonly prepare?: (folder: string) => Promise<void>;
  /** Receives what the supervisor reports: processes that end and are started again. By default only the logs have it. */
  readonly report?: (line: string) => void;
  readonly onRestart?: () => void;
  readonly stores?: Omit<StoresOptions, 'folder' | 'report'>;
  /** For the environment of all its processes. */
  readonly env?: Readonly<Record<string, string>>;
  /** The folder of compiled code, which several systems can share. */
  readonly compileCache?: string;
};

/** @param running gets everything that must be stopped, as soon as it runs */
export async function prepareSystem(
  running: AsyncDisposableStack,
  o: PrepareOptions,
): Promise<{ readonly settings: Settings; readonly supervisor: Supervisor }> {
  const { folder, say } = o;
  const { logsFolder, compileCacheFolder, ...usual } = foldersIn(folder);
  const { runFolder = usual.runFolder, compileCache = compileCacheFolder } = o;
  mkdirSync(folder, { recursive: true });
  await claimFolder(runFolder);
  running.defer(() => releaseFolder(runFolder));
  await o.prepare?.(folder);
  mkdirSync(logsFolder, { recursive: true });
  await buildWeb({ report: say });
  const secrets = readOrMakeSecrets(folder);
  const { ports, release } = await choosePorts(folder);
  running.defer(release);
  const { stores } = running.use(await startStores({ ...o.stores, folder, report: say }));
  const supervisor = createSupervisor({
    logsFolder,
    runFolder,
    env: { NODE_COMPILE_CACHE: compileCache, ...o.env },
    report: o.report ?? (() => {}),
    onRestart: o.onRestart ?? (() => {}),
  });
  return { settings: { folder, ports, secrets, stores }, supervisor };
}
