/** Removing what is old, in steps: one statement for all of it may take longer than a statement may, and then nothing would ever go. */
import type { Postgres } from './postgres.ts';

/** A statement of some ten milliseconds. */
export const REMOVED_AT_ONCE = 5_000;

/** Names are of our own tables; `time` has an index. */
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
