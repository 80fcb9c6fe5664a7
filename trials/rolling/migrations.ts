/** Migrations as a release runs them: by its own command, in a process of its own. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repository } from '@offer-ads/dev/start/folder';
import { type PostgresService, postgresServices, type Stores } from '@offer-ads/dev/start/stores';

/** What a release's migrations may take here. */
const WITHIN_MS = 120_000;

const run = promisify(execFile);

/** @param code the working copy of the release */
export async function migrateBy(code: string, service: PostgresService, url: string): Promise<void> {
  await run(process.execPath, [join(code, 'services', service, 'src/migrate.ts')], {
    cwd: code,
    env: { PATH: process.env.PATH, [`${service.toUpperCase()}_DATABASE_URL`]: url },
    timeout: WITHIN_MS,
  });
}

/** All three at once, as the Jobs do. */
export async function migrateToThis({ databases }: Stores): Promise<void> {
  await Promise.all(postgresServices.map((service) => migrateBy(repository, service, databases[service])));
}
