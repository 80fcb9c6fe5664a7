/** The stores of a start: found or started, databases made and migrated. */
import { join } from 'node:path';
import { type Backing, provideBacking } from '@offer-ads/backing/backing';
import { migrate } from '@offer-ads/platform/postgres/migrations';
import pg from 'pg';
import { backingFolder, repository } from './folder.ts';

export const postgresServices = ['gateway', 'offers', 'billing'] as const;
export const mongoServices = ['pricing', 'moderation', 'notifier'] as const;
export type PostgresService = (typeof postgresServices)[number];
type MongoService = (typeof mongoServices)[number];

export type Stores = {
  readonly databases: Readonly<Record<PostgresService, string>>;
  readonly mongo: Readonly<Record<MongoService, string>>;
  readonly rabbitmq: string;
  /** Empty where there is none: the gateway then counts in memory. */
  readonly valkey: string;
};

/** What a person may say about their own stores (architecture, "Backing services"). */
const given = (service: PostgresService) => process.env[`${service.toUpperCase()}_DATABASE_URL`] || undefined;

/** @param migrating brings a service's database up to date; by the migrations of this working copy unless somebody says otherwise */
export async function startStores(
  report: (line: string) => void,
  migrating: (service: PostgresService, url: string) => Promise<void> = migrateHere,
): Promise<Backing & { readonly stores: Stores }> {
  const named = postgresServices.find((service) => given(service) !== undefined) ?? 'offers';
  const backing = await provideBacking({
    folder: backingFolder,
    addresses: {
      // Any database of that server will do to see that it answers; its own need not exist yet.
      postgres: {
        variable: `${named.toUpperCase()}_DATABASE_URL`,
        url: given(named) && withDatabase(given(named) ?? '', 'postgres'),
      },
      mongo: { variable: 'MONGO_URL', url: process.env.MONGO_URL || undefined },
      rabbitmq: { variable: 'RABBITMQ_URL', url: process.env.RABBITMQ_URL || undefined },
      valkey: { variable: 'VALKEY_URL', url: process.env.VALKEY_URL || undefined },
    },
    containers: 'compose',
    durable: true,
    report,
  });
  const databases = each(
    postgresServices,
    (service) => given(service) ?? withDatabase(backing.postgresUrl, service),
  );
  try {
    await Promise.all(
      postgresServices.map(async (service) => {
        await makeDatabase(databases[service]);
        await migrating(service, databases[service]);
      }),
    );
  } catch (error) {
    await backing[Symbol.asyncDispose]();
    throw error;
  }
  return {
    ...backing,
    stores: {
      databases,
      mongo: each(mongoServices, (service) => withDatabase(backing.mongoUrl, mongoDatabase(service))),
      rabbitmq: backing.rabbitmqUrl,
      valkey: backing.valkeyUrl ?? '',
    },
  };
}

/** The database that MONGO_URL names becomes a prefix, so that several systems can share a server. */
function mongoDatabase(service: MongoService): string {
  const prefix = process.env.MONGO_URL ? new URL(process.env.MONGO_URL).pathname.slice(1) : '';
  return prefix === '' ? service : `${prefix}_${service}`;
}

async function makeDatabase(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1);
  const server = new pg.Client({ connectionString: withDatabase(url, 'postgres') });
  await server.connect();
  try {
    const { rowCount } = await server.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
    if (rowCount === 0) await server.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`);
  } finally {
    await server.end();
  }
}

function migrateHere(service: PostgresService, url: string): Promise<void> {
  return migrate({ url, directory: join(repository, 'services', service, 'migrations') });
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

function each<Name extends string>(names: readonly Name[], of: (name: Name) => string): Record<Name, string> {
  return Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Name, string>;
}
