/** The stores of a start: found or started, databases made and migrated. */
import { join } from 'node:path';
import { type Backing, provideBacking } from '@offer-ads/backing/backing';
import { migrate } from '@offer-ads/platform/postgres/migrations';
import pg from 'pg';
import { foldersIn, repository } from './folder.ts';

export const postgresServices = ['gateway', 'offers', 'billing'] as const;
export const mongoServices = ['pricing', 'moderation', 'notifier'] as const;
export type PostgresService = (typeof postgresServices)[number];
type MongoService = (typeof mongoServices)[number];

export type Stores = {
  readonly databases: Readonly<Record<PostgresService, string>>;
  readonly mongo: Readonly<Record<MongoService, string>>;
  readonly rabbitmq: string;
  /** Empty without Valkey; the gateway then counts in memory. */
  readonly valkey: string;
};

export type StoresOptions = {
  /** The folder of the system, with the data of the stores that are started here. */
  readonly folder: string;
  readonly report: (line: string) => void;
  /** The variables of existing stores, as for `npm start` (architecture, "Backing services"). */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Migrates a service's database; by default with the migrations of this working copy. */
  readonly migrating?: ((service: PostgresService, url: string) => Promise<void>) | undefined;
  /** For tests: containers of its own, and data that need not survive a crash. */
  readonly forTests?: boolean;
};

export type StartedStores = Backing & { readonly stores: Stores };

export async function startStores(o: StoresOptions): Promise<StartedStores> {
  const { env = process.env, migrating = migrateHere } = o;
  const given = (service: PostgresService) => env[`${service.toUpperCase()}_DATABASE_URL`] || undefined;
  const named = postgresServices.find((service) => given(service) !== undefined) ?? 'offers';
  const backing = await provideBacking({
    folder: foldersIn(o.folder).backingFolder,
    addresses: {
      // Any database of the server shows that it answers; the service's own may not exist yet.
      postgres: {
        variable: `${named.toUpperCase()}_DATABASE_URL`,
        url: given(named) && withDatabase(given(named) ?? '', 'postgres'),
      },
      mongo: { variable: 'MONGO_URL', url: env.MONGO_URL || undefined },
      rabbitmq: { variable: 'RABBITMQ_URL', url: env.RABBITMQ_URL || undefined },
      valkey: { variable: 'VALKEY_URL', url: env.VALKEY_URL || undefined },
    },
    containers: o.forTests === true ? 'testcontainers' : 'compose',
    durable: o.forTests !== true,
    report: o.report,
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
      mongo: each(mongoServices, (service) =>
        withDatabase(backing.mongoUrl, mongoDatabase(service, env.MONGO_URL)),
      ),
      rabbitmq: backing.rabbitmqUrl,
      valkey: backing.valkeyUrl ?? '',
    },
  };
}

/** The database that MONGO_URL names becomes a prefix, so that several systems can share a server. */
function mongoDatabase(service: MongoService, given: string | undefined): string {
  const prefix = given ? new URL(given).pathname.slice(1) : '';
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
