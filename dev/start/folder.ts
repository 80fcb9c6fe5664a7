/** Where `npm start` keeps everything: data, secrets, logs, and the facts that others read. `npm run reset` deletes it. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Another folder means another system, with its own data, beside the usual one. */
export const devFolder = process.env.DEV_FOLDER ?? join(repository, '.dev');

/** The folders of the system whose folder is given. */
export function foldersIn(folder: string) {
  return {
    /** Claimed by the start that runs; holds the records of its processes. */
    runFolder: join(folder, 'run'),
    backingFolder: join(folder, 'backing'),
    logsFolder: join(folder, 'logs'),
    /** Node keeps what it compiled there, which saves a fifth of the services' start from the second time on. */
    compileCacheFolder: join(folder, 'compile-cache'),
  };
}
