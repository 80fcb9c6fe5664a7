/**
 * The backing services, Postgres, MongoDB, RabbitMQ and Valkey, each taken from the first place that has it: an address in the
 * environment, Docker, or a server started from a program that was found or fetched. What was started here is stopped
 * here, by its process id; nothing that ran before is touched.
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
  /** Data, logs and process records; made if need be, claimed while the services run. */
  readonly folder: string;
  readonly addresses: Readonly<Record<Store, GivenAddress>>;
  readonly containers: 'testcontainers' | 'compose';
  /** False for data that lives for one test run: faster, and lost when the machine dies. */
  readonly durable: boolean;
  /** Receives lines for a person: progress, and one per service that says what was taken and why. */
  readonly report: (line: string) => void;
};

export type Backing = AsyncDisposable & {
  /** Its user may create databases. */
  readonly postgresUrl: string;
  /** A replica set, so that there are transactions. */
  readonly mongoUrl: string;
  readonly rabbitmqUrl: string;
  /** Undefined when it is nowhere to be had: the system does without, and a line says so. */
  readonly valkeyUrl: string | undefined;
};

/** Throws BackingMissing, after stopping what it had started, when a service is nowhere to be had. */
export async function provideBacking(options: BackingOptions): Promise<Backing> {
  await claimFolder(options.folder);
  const surroundings = surroundingsOf(options);
  const outcomes = await Promise.allSettled([
    provide('postgres', surroundings, options),
    provide('mongo', surroundings, options),
    provide('rabbitmq', surroundings, options),
    provideOptional('valkey', surroundings, options),
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

/** Deletes everything that runs with this folder left behind, containers and their volumes too. */
export async function removeBacking(folder: string): Promise<void> {
  await claimFolder(folder);
  await removeComposeProject(folder);
  removeFolder(folder);
}

async function provide(
  store: Store,
  surroundings: StoreSources,
  { addresses, report }: BackingOptions,
): Promise<RunningStore> {
  const finding = await firstFound(placesOf(store, surroundings));
  if (!finding.found) throw new BackingMissing(sayMissing(store, finding, addresses[store]));
  report(sayTaken(store, finding));
  return finding.value;
}

/** An address that was given must answer all the same. */
async function provideOptional(
  store: Store,
  surroundings: StoreSources,
  { report }: BackingOptions,
): Promise<RunningStore | undefined> {
  const finding = await firstFound(placesOf(store, surroundings));
  report(finding.found ? sayTaken(store, finding) : sayWithout(store, finding));
  return finding.found ? finding.value : undefined;
}

function surroundingsOf({ addresses, containers, folder, durable, report }: BackingOptions): StoreSources {
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

/** Places of programs as places of what starts them. */
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
