/** Deletes old rows in steps: one statement for all of them could exceed the statement time-out, and then no row would ever be deleted. */
import type { Postgres } from './postgres.ts';

/** Rows per statement; one statement takes some ten milliseconds. */
export const REMOVED_AT_ONCE = 5_000;

/** Table and column names come from our code, never from input. `time` needs an index. */
export async function removeOlderThan(
  postgres: Postgres,
  o: { readonly table: string; readonly key: string; readonly time: string; readonly days: number },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const gone = await postgres.query(
      `DELETE FROM ${o.table} WHERE ${o.key} IN (
         SELECT ${o.key} FROM ${o.table} WHERE ${o.time} < now() - make_interval(days => $1)
          ORDER BY ${o.time} LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING ${o.key}`,
      [o.days, REMOVED_AT_ONCE],
    );
    if (gone.length < REMOVED_AT_ONCE) return;
  }
}
