/** What a server of Postgres tells of itself. */
import pg from 'pg';

export type CounterReader = AsyncDisposable & {
  /** Transactions that wrote, of all databases of the server: each waits for the disk once. */
  readonly writes: () => Promise<number>;
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
  const { version, fsync, commit, method } = await one<
    Record<'version' | 'fsync' | 'commit' | 'method', string>
  >(
    `SELECT current_setting('server_version') AS version, current_setting('fsync') AS fsync,
       current_setting('synchronous_commit') AS commit, current_setting('wal_sync_method') AS method`,
  );
  return {
    version,
    durability: fsync === 'on' && commit === 'on' ? `fsync and synchronous_commit on, ${method}` : null,
    writes: async () => {
      const sql = 'SELECT pg_snapshot_xmax(pg_current_snapshot())::text::float8 AS writes';
      return (await one<{ writes: number }>(sql)).writes;
    },
    [Symbol.asyncDispose]: () => client.end(),
  };
}
