/** A new database for each test file, cloned from a template that is migrated once. */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate } from '@offer-ads/platform/postgres/migrations';
import pg from 'pg';
import { requireAddress } from '../config.ts';

export type TestDatabase = { readonly url: string; readonly dispose: () => Promise<void> };

/** The services that own a Postgres database. */
type PostgresService = 'gateway' | 'offers' | 'billing';

const repository = fileURLToPath(new URL('../../../..', import.meta.url));
const platformMigrations = join(repository, 'packages/platform/migrations');

/** A database with the service's migrations. Dispose it in `afterAll`. */
export async function createTestDatabase(service: PostgresService): Promise<TestDatabase> {
  const migrations = join(repository, 'services', service, 'migrations');
  // The name carries the migrations' content, so a template on a server that outlives the run is never stale.
  const template = `template_${service}_${contentHash([platformMigrations, migrations])}`;
  return cloneOf(template, (url) => migrate({ url, directory: migrations }));
}

/** An empty database, for tests of the platform itself. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return cloneOf('template1');
}

async function cloneOf(template: string, build?: (url: string) => Promise<void>): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await asAdministrator(async (server) => {
    if (build !== undefined) await ensureTemplate(server, template, build);
    await server.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  });
  const drop = () =>
    asAdministrator(async (server) => {
      await server.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    });
  return { url: databaseUrl(name), dispose: drop };
}

/** Under an advisory lock, because several workers of jest call it at the same time. */
async function ensureTemplate(server: pg.Client, template: string, build: (url: string) => Promise<void>) {
  await server.query('SELECT pg_advisory_lock(hashtext($1))', [template]);
  try {
    const found = await server.query<{ datistemplate: boolean }>(
      'SELECT datistemplate FROM pg_database WHERE datname = $1',
      [template],
    );
    if (found.rows[0]?.datistemplate === true) return;
    // If it exists without the mark, an earlier run ended during the migration.
    await server.query(`DROP DATABASE IF EXISTS ${template} WITH (FORCE)`);
    await server.query(`CREATE DATABASE ${template}`);
    await build(databaseUrl(template));
    await server.query(`ALTER DATABASE ${template} WITH IS_TEMPLATE true ALLOW_CONNECTIONS false`);
  } finally {
    await server.query('SELECT pg_advisory_unlock(hashtext($1))', [template]);
  }
}

async function asAdministrator(work: (server: pg.Client) => Promise<void>): Promise<void> {
  const server = new pg.Client({ connectionString: requireAddress('postgres') });
  await server.connect();
  try {
    await work(server);
  } finally {
    await server.end();
  }
}

function databaseUrl(name: string): string {
  const url = new URL(requireAddress('postgres'));
  url.pathname = `/${name}`;
  return url.href;
}

function contentHash(directories: readonly string[]): string {
  const hash = createHash('sha256');
  for (const directory of directories) {
    if (!existsSync(directory)) continue;
    for (const file of readdirSync(directory).toSorted())
      hash.update(file).update(readFileSync(join(directory, file)));
  }
  return hash.digest('hex').slice(0, 16);
}
