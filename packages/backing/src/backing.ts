/**
 * The backing services Postgres, MongoDB, RabbitMQ and Valkey. Each is taken from the first place that has it: an address in the
 * environment, Docker, or a program that is installed or downloaded. Servers that were started here are stopped here, by their
 * process ids. Servers that ran before are not touched.
 */
import { claimFolder, releaseFolder, removeFolder } from './data-folder.ts';
import { lookInDocker } from './docker/docker.ts';
import { dockerCompose, removeComposeProject } from './docker/docker-compose.ts';
import { testcontainers } from './docker/docker-testcontainers.ts';
import { findEmbeddedPostgres, startEmbeddedPostgres } from './embedded/embedded-postgres.ts';
import { startEmbeddedRabbitmq } from './embedded/embedded-rabbitmq.ts';
import { startEmbeddedValkey, valkeyPlaces } from './embedded/embedded-valkey.ts';
import { startMongod } from './embedded/mongod.ts';
import { mongodPlaces } from './embedded/mongod-places.ts';
import { rabbitmqPlaces } from './embedded/rabbitmq-programs.ts';
import { firstFound, found, type Place } from './find.ts';
import {
  BackingMissing,
  type GivenAddress,
  placesOf,
  type Start,
  type StoreSources,
  sayMissing,
  sayTaken,
  sayWithout,
} from './places.ts';
import type { RunningStore, Store } from './stores.ts';

export { BackingMissing };

export type BackingOptions = {
  /** For data, logs and process records. Created if missing; claimed while the services run. */
  readonly folder: string;
  readonly addresses: Readonly<Record<Store, GivenAddress>>;
  readonly containers: 'testcontainers' | 'compose';
  /** False for the data of one test run: faster, and lost when the machine crashes. */
  readonly durable: boolean;
  /** Receives lines for a person: progress, and for each service one line that says what was taken and why. */
  readonly report: (line: string) => void;
};

export type Backing = AsyncDisposable & {
  /** Its user may create databases. */
  readonly postgresUrl: string;
  /** A replica set, because transactions need one. */
  readonly mongoUrl: string;
  readonly rabbitmqUrl: string;
  /** Undefined when no place has it: the system works without it, and a line says so. */
  readonly valkeyUrl: string | undefined;
};

/** @throws {BackingMissing} when no place has one of the services; those that were started are stopped before */
export async function provideBacking(options: BackingOptions): Promise<Backing> {
  await claimFolder(options.folder);
  const sources = sourcesOf(options);
  const outcomes = await Promise.allSettled([
    provide('postgres', sources, options),
    provide('mongo', sources, options),
    provide('rabbitmq', sources, options),
    provideOptional('valkey', sources, options),
  ]);
  const running = outcomes.flatMap((outcome) =>
    outcome.status === 'fulfilled' && outcome.value !== undefined ? [outcome.value] : [],
  );

  async function stop(): Promise<void> {
    await Promise.all(running.map((store) => store.stop()));
    releaseFolder(options.folder);
  }

  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  if (failures.length > 0) {
    await stop();
    const fault = failures.find((failure) => !(failure instanceof BackingMissing));
    throw fault ?? new BackingMissing(failures.map((failure) => failure.message).join('\n\n'));
  }
  const [postgres, mongo, rabbitmq, valkey] = running as [
    RunningStore,
    RunningStore,
    RunningStore,
    RunningStore?,
  ];
  return {
    postgresUrl: postgres.url,
    mongoUrl: mongo.url,
    rabbitmqUrl: rabbitmq.url,
    valkeyUrl: valkey?.url,
    [Symbol.asyncDispose]: stop,
  };
}

/** Deletes everything that runs with this folder have left, also containers and their volumes. */
export async function removeBacking(folder: string): Promise<void> {
  await claimFolder(folder);
  await removeComposeProject(folder);
  removeFolder(folder);
}

async function provide(
  store: Store,
  sources: StoreSources,
  { addresses, report }: BackingOptions,
): Promise<RunningStore> {
  const finding = await firstFound(placesOf(store, sources));
  if (!finding.found) throw new BackingMissing(sayMissing(store, finding, addresses[store]));
  report(sayTaken(store, finding));
  return finding.value;
}

/** An address that was given must answer here too. */
async function provideOptional(
  store: Store,
  sources: StoreSources,
  { report }: BackingOptions,
): Promise<RunningStore | undefined> {
  const finding = await firstFound(placesOf(store, sources));
  report(finding.found ? sayTaken(store, finding) : sayWithout(store, finding));
  return finding.found ? finding.value : undefined;
}

function sourcesOf({ addresses, containers, folder, durable, report }: BackingOptions): StoreSources {
  const embedded: Record<Store, Place<Start>[]> = {
    postgres: startable(
      [{ name: 'embedded-postgres', look: findEmbeddedPostgres }],
      (programs) => () => startEmbeddedPostgres(programs, { folder, durable }),
    ),
    mongo: startable(mongodPlaces(report), (mongod) => () => startMongod(mongod, { folder })),
    rabbitmq: startable(rabbitmqPlaces(report), (script) => () => startEmbeddedRabbitmq(script, { folder })),
    valkey: startable(valkeyPlaces(report), (server) => () => startEmbeddedValkey(server, { folder })),
  };
  return {
    addresses,
    docker: lookInDocker(containers === 'compose' ? dockerCompose(folder) : testcontainers),
    embedded: (store) => embedded[store],
  };
}

/** Turns places of programs into places of functions that start them. */
function startable<Program>(
  places: readonly Place<Program>[],
  start: (program: Program) => Start,
): Place<Start>[] {
  return places.map(({ name, look }) => ({
    name,
    look: async () => {
      const program = await look();
      return program.found ? found(start(program.value), program.why) : program;
    },
  }));
}
