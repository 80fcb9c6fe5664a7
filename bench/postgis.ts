/** A Postgres of the measurement's own with PostGIS, from Debian's packages: in a folder of its own, on a free port, stopped at the end. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startServer } from '@offer-ads/backing/embedded/server-process';
import { reachableDataFolder, serverUser, type User } from '@offer-ads/backing/embedded/unprivileged-user';
import { freePorts } from '@offer-ads/backing/free-port';
import { answers } from '@offer-ads/backing/stores';
import pg from 'pg';
import { ProgramMissing } from './run-measurement.ts';

/** Where Debian keeps the programs and the extensions of this version. */
const programs = '/usr/lib/postgresql/15/bin';
const extension = '/usr/share/postgresql/15/extension/postgis.control';

/** For reading only: nothing is written during the measurement, and a crash would lose only a cache. */
const postgresSettings = {
  // Tables and indexes of 10 million together, so that nothing is read from outside.
  shared_buffers: '4GB',
  effective_cache_size: '8GB',
  // So that no bitmap becomes lossy.
  work_mem: '256MB',
  maintenance_work_mem: '1GB',
  random_page_cost: '1.1',
  // Compiling takes longer than any of these statements.
  jit: 'off',
  // Both cores, if the planner wants them.
  max_parallel_workers_per_gather: '1',
  max_parallel_maintenance_workers: '1',
  autovacuum: 'off',
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '8GB',
} as const;

/** PostGIS plans each circle separately; one plan for all circles takes a quarter longer. */
export const postgisSession = '-c plan_cache_mode=force_custom_plan';

/** @returns the address of a database with the extension */
export async function openPostgis(opened: AsyncDisposableStack, folder: string): Promise<string> {
  if (!existsSync(join(programs, 'postgres')) || !existsSync(extension))
    throw new ProgramMissing(
      'PostGIS is not there, and without it there is nothing to compare with. On Debian and Ubuntu: ' +
        'apt-get install postgresql-15-postgis-3, and stop the server that it may start by itself.',
    );
  const user = serverUser();
  const data = reachableDataFolder(folder, 'postgis', user);
  initialise(data, user);
  const [port = 0] = await freePorts(1);
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', ...postgresSettings };
  const stop = await startServer({
    name: 'postgis',
    folder,
    command: join(programs, 'postgres'),
    args: ['-D', data, '-p', `${port}`].concat(
      Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ),
    user,
    // "Fast shutdown": ends sessions, writes a checkpoint.
    stopSignal: 'SIGINT',
    ready: () => answers.postgres(url),
  });
  opened.defer(stop);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('CREATE EXTENSION postgis');
  await client.query('CREATE EXTENSION pg_prewarm');
  await client.end();
  return url;
}

function initialise(data: string, user: User | undefined): void {
  const args = [
    '--pgdata',
    data,
    '--username=postgres',
    '--no-sync',
    '--encoding=UTF8',
    '--locale=C',
    '--auth=trust',
  ];
  const { status, stderr } = spawnSync(join(programs, 'initdb'), args, {
    ...user,
    cwd: '/',
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`initdb failed with status ${status}: ${stderr}`);
}
