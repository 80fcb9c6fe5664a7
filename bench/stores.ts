/** The base of every measurement: a folder of its own, stores as they are deployed, and temporary databases. */
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Backing, provideBacking } from '@offer-ads/backing/backing';
import { claimFolder, removeFolder, sweepAbandoned } from '@offer-ads/backing/data-folder';
import { findEmbeddedPostgres, startEmbeddedPostgres } from '@offer-ads/backing/embedded/embedded-postgres';
import { startEmbeddedValkey } from '@offer-ads/backing/embedded/embedded-valkey';
import { onPath } from '@offer-ads/backing/on-path';
import { migrate } from '@offer-ads/platform/postgres/migrations';
import pg from 'pg';

export type Stores = { readonly folder: string; readonly backing: Backing };

/** A folder of this run, removed at its end. */
export async function openFolder(opened: AsyncDisposableStack): Promise<string> {
  const runs = join(tmpdir(), 'offer-ads-bench');
  await sweepAbandoned(runs);
  const folder = join(runs, String(process.pid));
  mkdirSync(folder, { recursive: true });
  await claimFolder(folder);
  opened.defer(() => removeFolder(folder));
  return folder;
}

/** Adds everything to `opened` as soon as it runs, so that it is stopped whenever the run ends. */
export async function openStores(
  opened: AsyncDisposableStack,
  report: (line: string) => void,
): Promise<Stores> {
  const folder = await openFolder(opened);
  const backing = await provideBacking({
    folder: join(folder, 'backing'),
    addresses: {
      postgres: { variable: 'TEST_POSTGRES_URL', url: process.env.TEST_POSTGRES_URL },
      mongo: { variable: 'TEST_MONGO_URL', url: process.env.TEST_MONGO_URL },
      rabbitmq: { variable: 'TEST_RABBITMQ_URL', url: process.env.TEST_RABBITMQ_URL },
      valkey: { variable: 'TEST_VALKEY_URL', url: process.env.TEST_VALKEY_URL },
    },
    containers: 'testcontainers',
    // As deployed: each commit is on disk.
    durable: true,
    report,
  });
  opened.use(backing);
  return { folder, backing };
}

/** Postgres alone: that of the environment, or a server of this run. Each commit is on disk, as deployed. */
export async function startPostgres(opened: AsyncDisposableStack, folder: string): Promise<string> {
  if (process.env.TEST_POSTGRES_URL !== undefined) return process.env.TEST_POSTGRES_URL;
  const programs = await findEmbeddedPostgres();
  if (!programs.found) throw new Error(programs.why);
  const { url, stop } = await startEmbeddedPostgres(programs.value, { folder, durable: true });
  opened.defer(stop);
  return url;
}

/** Valkey or Redis alone; undefined where none is installed. */
export async function startValkey(opened: AsyncDisposableStack, folder: string): Promise<string | undefined> {
  const server = onPath('valkey-server') ?? onPath('redis-server');
  if (server === undefined) return undefined;
  const { url, stop } = await startEmbeddedValkey(server, { folder });
  opened.defer(stop);
  return url;
}

/** Creates a database, empty or migrated, which is dropped at the end. */
export async function createDatabase(
  opened: AsyncDisposableStack,
  o: { serverUrl: string; name: string; migrations?: string },
): Promise<string> {
  const name = `bench_${process.pid}_${o.name}`;
  await statement(o.serverUrl, `CREATE DATABASE ${name}`);
  opened.defer(() => statement(o.serverUrl, `DROP DATABASE ${name} WITH (FORCE)`));
  const url = new URL(o.serverUrl);
  url.pathname = `/${name}`;
  if (o.migrations !== undefined) await migrate({ url: url.href, directory: o.migrations });
  return url.href;
}

async function statement(serverUrl: string, sql: string): Promise<void> {
  const server = new pg.Client({ connectionString: serverUrl });
  await server.connect();
  try {
    await server.query(sql);
  } finally {
    await server.end();
  }
}
