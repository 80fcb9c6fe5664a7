/** The folder of `npm start`: data, secrets, logs, and facts for other programs. `npm run reset` deletes it. */
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Another folder means another system with its own data. Absolute, because the stores run in folders of their own. */
export const devFolder = resolve(process.env.DEV_FOLDER ?? join(repository, '.dev'));

/** The folders inside the folder of a system. */
export function foldersIn(folder: string) {
  return {
    /** Locked by the running start; contains the records of its processes. */
    runFolder: join(folder, 'run'),
    backingFolder: join(folder, 'backing'),
    logsFolder: join(folder, 'logs'),
    /** Node's compile cache, which saves a fifth of the services' start from the second time on. */
    compileCacheFolder: join(folder, 'compile-cache'),
  };
}
