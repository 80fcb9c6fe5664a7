/** The work of Postgres by its own counters. */
import pg from 'pg';

export type Counters = {
  /** Transactions that wrote: each waits for the disk once. Of all databases of the server. */
  readonly writes: number;
  readonly walBytes: number;
  /** Fewer than the transactions that wrote: those that end together share one. */
  readonly walSyncs: number;
  readonly walSyncMs: number;
  /** Transactions by database, reading ones too. */
  readonly commits: ReadonlyMap<string, number>;
};

export type CounterReader = AsyncDisposable & {
  readonly read: () => Promise<Counters>;
  readonly version: string;
  /** Null: the server may lose commits in a crash. */
  readonly durability: string | null;
};

export async function openCounters(serverUrl: string): Promise<CounterReader> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  const one = async <R extends pg.QueryResultRow>(sql: string): Promise<R> => {
    const { rows } = await client.query<R>(sql);
    if (rows[0] === undefined) throw new Error(`no row: ${sql}`);
    return rows[0];
  };
  // Otherwise syncs are counted, but not timed.
  await client.query('ALTER SYSTEM SET track_wal_io_timing = on');
  await client.query('SELECT pg_reload_conf()');
  const { version, fsync, commit, method } = await one<
    Record<'version' | 'fsync' | 'commit' | 'method', string>
  >(
    `SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync,
       current_setting('synchronous_commit') AS commit, current_setting('wal_sync_method') AS method`,
  );
  return {
    version,
    durability: fsync === 'on' && commit === 'on' ? `fsync and synchronous_commit on, ${method}` : null,
    read: async () => {
      const now = await one<Record<'writes' | 'bytes' | 'syncs' | 'sync_ms', number>>(
        `SELECT pg_snapshot_xmax(pg_current_snapshot())::text::float8 AS writes,
           pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS bytes,
           (SELECT sum(fsyncs) FROM pg_stat_io WHERE object = 'wal')::float8 AS syncs,
           (SELECT sum(fsync_time) FROM pg_stat_io WHERE object = 'wal')::float8 AS sync_ms`,
      );
      const { rows } = await client.query<{ datname: string; commits: number }>(
        'SELECT datname, xact_commit::float8 AS commits FROM pg_stat_database WHERE datname IS NOT NULL',
      );
      return {
        writes: now.writes,
        walBytes: now.bytes,
        walSyncs: now.syncs,
        walSyncMs: now.sync_ms,
        commits: new Map(rows.map(({ datname, commits }) => [datname, commits])),
      };
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}
