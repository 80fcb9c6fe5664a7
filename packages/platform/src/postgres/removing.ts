/** Removes old rows of a table, once an hour. */
import { type Loop, startLoop } from '../process/loops.ts';
import type { Logger } from '../telemetry/logging.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Postgres } from './postgres.ts';

const EVERY_MS = 3_600_000;
/** Rows per statement, which takes some ten milliseconds. One statement for all rows could exceed its time-out again and again. */
export const REMOVED_AT_ONCE = 5_000;

/** Table and column names come from our code, never from input. `time` needs an index. */
export function startRemoving(
  o: { readonly postgres: Postgres; readonly logger: Logger; readonly metrics: Metrics },
  rows: {
    /** Of the loop. */
    readonly name: string;
    readonly table: string;
    readonly key: string;
    readonly time: string;
    readonly olderThanDays: number;
  },
): Loop {
  const { name, table, key, time, olderThanDays } = rows;
  const removeSome = () =>
    o.postgres.query(
      `DELETE FROM ${table} WHERE ${key} IN (
         SELECT ${key} FROM ${table} WHERE ${time} < now() - make_interval(days => $1)
          ORDER BY ${time} LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING ${key}`,
      [olderThanDays, REMOVED_AT_ONCE],
    );
  return startLoop({
    name,
    everyMs: EVERY_MS,
    logger: o.logger,
    metrics: o.metrics,
    work: async (signal) => {
      while (!signal.aborted) if ((await removeSome()).length < REMOVED_AT_ONCE) return;
    },
  });
}
