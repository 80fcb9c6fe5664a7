/**
 * Follows what triggers of the database write down: a table with `changed_in` (xid8), `changed_at`, and the id of what changed. A replica
 * reads it a few times a second.
 */
import type { PreparedStatement, Queryable } from './postgres.ts';

/** `cursor`: for the next read. `ids`: what changed; null among them means everything. */
export type ChangesRead = { readonly cursor: string; readonly ids: readonly (number | null)[] };

/** How long changes are kept. */
const KEPT = `interval '1 day'`;

/**
 * Reads the changes since the read that returned the cursor, some perhaps again. The cursor has the oldest transaction that was still running
 * at that read: those before it had ended, so the read saw what they changed. And it has when the server was started and when its statistics
 * were reset, which also happens after a crash. If these differ, another server answers or a crash has ended transactions, so everything may
 * have changed.
 * @param of the table, and its column with the id: names of our own, never input
 */
export function changesReader(of: {
  readonly table: string;
  readonly id: string;
}): (on: Queryable, cursor: string | null) => Promise<ChangesRead> {
  const changesSince: PreparedStatement = {
    name: `${of.table}-since`,
    sql: `SELECT concat_ws(' ', run, pg_snapshot_xmin(pg_current_snapshot()), extract(epoch FROM now())) AS cursor,
                 CASE WHEN $1::text NOT LIKE run || ' %'
                        OR to_timestamp(nullif(split_part($1, ' ', 3), '')::float8) < now() - ${KEPT} / 2 THEN ARRAY[NULL]::integer[]
                      ELSE ARRAY (SELECT DISTINCT ${of.id} FROM ${of.table}
                                   WHERE changed_in >= split_part($1, ' ', 2)::xid8) END AS ids
            FROM concat_ws('/', extract(epoch FROM pg_postmaster_start_time()),
                                extract(epoch FROM pg_stat_get_bgwriter_stat_reset_time())) AS run`,
  };
  return async (on, cursor) => {
    const [read] = await on.query<ChangesRead>(changesSince, [cursor]);
    if (read === undefined) throw new Error('SELECT returned no row');
    return read;
  };
}

export async function dropOldChanges(on: Queryable, table: string): Promise<void> {
  await on.query(`DELETE FROM ${table} WHERE changed_at < now() - ${KEPT}`);
}
