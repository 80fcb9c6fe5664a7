/**
 * The stores of the restore drill, with the backups that docs/operations/backup-and-restore.md asks for. Postgres: a base backup and
 * archived WAL, restored to any moment. MongoDB: copies of its files.
 */
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { findEmbeddedPostgres, startEmbeddedPostgres } from '@offer-ads/backing/embedded/embedded-postgres';
import { startEmbeddedRabbitmq } from '@offer-ads/backing/embedded/embedded-rabbitmq';
import { startMongod } from '@offer-ads/backing/embedded/mongod';
import { mongodPlaces } from '@offer-ads/backing/embedded/mongod-places';
import { rabbitmqPlaces } from '@offer-ads/backing/embedded/rabbitmq-programs';
import { reachableDataFolder, serverUser } from '@offer-ads/backing/embedded/unprivileged-user';
import { firstFound, type Place } from '@offer-ads/backing/find';
import type { RunningStore } from '@offer-ads/backing/stores';
import { eventually } from '@offer-ads/testing/waiting/eventually';
import { MongoClient } from 'mongodb';
import pg from 'pg';

export type DrillStores = {
  readonly postgresUrl: () => string;
  readonly mongoUrl: () => string;
  readonly rabbitmqUrl: () => string;
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
  /** Base backup of the whole server; its WAL is archived from the first start on. */
  readonly backUpPostgres: () => Promise<void>;
  /** The server's time, after everything that is committed by now. */
  readonly moment: () => Promise<Date>;
  readonly backUpMongo: () => Promise<void>;
  /** Deletes all data of the stores, as the loss of a data centre does; backups and archived WAL are elsewhere. */
  readonly destroy: () => Promise<void>;
  /** Needs `destroy` first; the stores are then started. */
  readonly restore: (to: Date) => Promise<void>;
};

export async function drillStores(folder: string, say: (line: string) => void): Promise<DrillStores> {
  mkdirSync(folder, { recursive: true });
  const user = serverUser();
  const data = reachableDataFolder(folder, 'postgres', user);
  const archive = reachableDataFolder(folder, 'postgres-archive', user);
  const baseBackup = reachableDataFolder(folder, 'postgres-backup', user);
  const mongoBackup = join(folder, 'mongo-backup');
  const postgresPrograms = await need('Postgres', [{ name: 'npm', look: findEmbeddedPostgres }]);
  const mongod = await need('MongoDB', mongodPlaces(say));
  const rabbitmq = await need('RabbitMQ', rabbitmqPlaces(say));
  let running: { postgres: RunningStore; mongo: RunningStore; rabbitmq: RunningStore } | undefined;

  const current = () => {
    if (running === undefined) throw new Error('the stores are stopped');
    return running;
  };
  const startPostgres = () => startEmbeddedPostgres(postgresPrograms, { folder, durable: true });
  const sql = <R extends pg.QueryResultRow>(...statements: string[]) =>
    query<R>(current().postgres.url, statements);

  async function start(): Promise<void> {
    if (!existsSync(join(data, 'PG_VERSION'))) await makeArchivingServer();
    const starting = [
      startPostgres(),
      startMongod(mongod, { folder }),
      startEmbeddedRabbitmq(rabbitmq, { folder }),
    ] as const;
    running = await Promise.all(starting).then(
      ([postgres, mongo, rabbitmq]) => ({ postgres, mongo, rabbitmq }),
      async (error: unknown) => {
        // Stores that started nevertheless are stopped.
        for (const one of await Promise.allSettled(starting))
          if (one.status === 'fulfilled') await one.value.stop();
        throw error;
      },
    );
    // A restored server answers before it has replayed all WAL; only then does it accept writes.
    await eventually(async () => {
      const [row] = await sql<{ replaying: boolean }>('SELECT pg_is_in_recovery() AS replaying');
      if (row?.replaying !== false) throw new Error('Postgres is not writable yet');
    });
  }

  /** Sets the server up as in production: each WAL segment is archived before it is reused. */
  async function makeArchivingServer(): Promise<void> {
    const fresh = await startPostgres();
    await query(fresh.url, [
      "ALTER SYSTEM SET archive_mode = 'on'",
      `ALTER SYSTEM SET archive_command = 'test ! -f "${archive}/%f" && cp "%p" "${archive}/%f"'`,
    ]);
    await fresh.stop();
  }

  async function stop(): Promise<void> {
    const stopping = running;
    running = undefined;
    await Promise.all(Object.values(stopping ?? {}).map((store) => store.stop()));
  }

  return {
    postgresUrl: () => current().postgres.url,
    mongoUrl: () => current().mongo.url,
    rabbitmqUrl: () => current().rabbitmq.url,
    start,
    stop,
    backUpPostgres: async () => {
      // The low-level protocol of pg_basebackup and barman; it must end in the session in which it began.
      await inSession(current().postgres.url, async (client) => {
        await client.query("SELECT pg_backup_start('drill', true)");
        rmSync(baseBackup, { recursive: true, force: true });
        cpSync(data, baseBackup, { recursive: true, filter: (file) => isBackedUp(data, file) });
        mkdirSync(join(baseBackup, 'pg_wal'), { mode: 0o700 });
        const { rows } = await client.query<{ labelfile: string }>(
          'SELECT labelfile FROM pg_backup_stop(false)',
        );
        writeFileSync(join(baseBackup, 'backup_label'), rows[0]?.labelfile ?? '');
      });
    },
    moment: async () => {
      const [row] = await sql<{ now: Date }>('SELECT clock_timestamp() AS now');
      return row?.now ?? new Date();
    },
    backUpMongo: async () => {
      await using client = await new MongoClient(current().mongo.url).connect();
      await client.db('admin').command({ fsync: 1, lock: true });
      try {
        rmSync(mongoBackup, { recursive: true, force: true });
        cpSync(join(folder, 'mongo'), mongoBackup, {
          recursive: true,
          filter: (file) => !file.endsWith('.lock'),
        });
      } finally {
        await client.db('admin').command({ fsyncUnlock: 1 });
      }
    },
    destroy: async () => {
      // In production archive_timeout archives the last segment within minutes.
      const [row] = await sql<{ segment: string }>('SELECT pg_walfile_name(pg_switch_wal()) AS segment');
      await eventually(() => {
        if (!existsSync(join(archive, row?.segment ?? ''))) throw new Error('the last WAL is not archived');
      });
      await stop();
      for (const gone of [data, join(folder, 'mongo'), join(folder, 'rabbitmq')])
        rmSync(gone, { recursive: true, force: true });
    },
    restore: async (to) => {
      cpSync(baseBackup, data, { recursive: true });
      writeFileSync(
        join(data, 'postgresql.auto.conf'),
        [
          "archive_mode = 'on'",
          `archive_command = 'test ! -f "${archive}/%f" && cp "%p" "${archive}/%f"'`,
          `restore_command = 'cp "${archive}/%f" "%p"'`,
          `recovery_target_time = '${inPostgres(to)}'`,
          "recovery_target_action = 'promote'",
          '',
        ].join('\n'),
      );
      writeFileSync(join(data, 'recovery.signal'), '');
      giveTo(data);
      cpSync(mongoBackup, join(folder, 'mongo'), { recursive: true });
      await start();
    },
  };

  /** The copies of cpSync belong to the user who runs it. */
  function giveTo(place: string): void {
    if (user === undefined) return;
    chmodSync(place, 0o700);
    chownSync(place, user.uid, user.gid);
    for (const name of readdirSync(place, { recursive: true, encoding: 'utf8' }))
      chownSync(join(place, name), user.uid, user.gid);
  }
}

/** A recovery target may have an offset, but Postgres refuses `Z` there. */
function inPostgres(at: Date): string {
  return at.toISOString().replace('T', ' ').replace('Z', '+00');
}

/** A base backup leaves out WAL, which comes from the archive, and the files that mark the running server. */
function isBackedUp(data: string, file: string): boolean {
  const name = relative(data, file);
  return !name.startsWith('pg_wal') && !['postmaster.pid', 'postmaster.opts'].includes(name);
}

async function need<T>(what: string, places: readonly Place<T>[]): Promise<T> {
  const finding = await firstFound(places);
  if (finding.found) return finding.value;
  throw new Error(`${what}: ${finding.skipped.map(({ why }) => why).join('; ')}`);
}

async function query<R extends pg.QueryResultRow>(url: string, statements: readonly string[]): Promise<R[]> {
  return inSession(url, async (client) => {
    let rows: R[] = [];
    for (const statement of statements) ({ rows } = await client.query<R>(statement));
    return rows;
  });
}

async function inSession<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
