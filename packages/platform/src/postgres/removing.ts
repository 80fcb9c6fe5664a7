/** Removes old rows of a table. Names of tables and columns come from our code, never from input. */
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import { type Loop, startLoop } from '../process/loops.ts';
import type { Logger } from '../telemetry/logging.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Postgres } from './postgres.ts';

const EVERY_MS = 3_600_000;
/** Rows per statement, which takes some ten milliseconds. One statement for all rows could exceed its time-out again and again. */
export const REMOVED_AT_ONCE = 5_000;

/** `time` needs an index. */
type Rows = { readonly table: string; readonly key: string; readonly time: string };

export async function removeOlder(
  postgres: Postgres,
  { table, key, time, before }: Rows & { readonly before: Date },
  signal?: AbortSignal,
): Promise<void> {
  const removeSome = () =>
    postgres.query(
      `DELETE FROM ${table} WHERE ${key} IN (
         SELECT ${key} FROM ${table} WHERE ${time} < $1 ORDER BY ${time} LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING ${key}`,
      [before, REMOVED_AT_ONCE],
    );
  for (;;) {
    const removed = await removeSome();
    if (removed.length < REMOVED_AT_ONCE || signal?.aborted === true) return;
  }
}

/** Once an hour. */
export function startRemoving(
  o: { readonly postgres: Postgres; readonly logger: Logger; readonly metrics: Metrics },
  { name, olderThanDays, ...rows }: Rows & { readonly name: string; readonly olderThanDays: number },
): Loop {
  return startLoop({
    name,
    everyMs: EVERY_MS,
    logger: o.logger,
    metrics: o.metrics,
    work: (signal) => {
      const before = new Date(Date.now() - olderThanDays * DAY_MS);
      return removeOlder(o.postgres, { ...rows, before }, signal);
    },
  });
}
