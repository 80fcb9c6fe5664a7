/** Keeps published events for a while, so that they can be published again after a restore (docs/operations). */

import type { Postgres } from '../postgres/postgres.ts';
import { startRemoving } from '../postgres/removing.ts';
import type { Logger } from '../telemetry/logging.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** Longer than it takes to notice a loss and to restore; shorter than inboxes keep ids, so that each event takes effect once. */
export const SENT_EVENTS_RETENTION_DAYS = 14;
/** Events put back into the outbox at once: the relay publishes that many in a second or two. */
export const REPUBLISH_BATCH = 5_000;

export type Republished = {
  readonly republished: number;
  /** End of the selection, so that events published meanwhile are not selected again. */
  readonly upTo: bigint;
};

/**
 * Puts events of a period back into the outbox, oldest first, with their original ids. Returns 0 when there are no more. Only events of
 * `types`: this release cannot publish other ones.
 */
export async function republish(
  postgres: Postgres,
  o: {
    readonly from: Date;
    readonly to: Date;
    readonly types: readonly string[];
    readonly upTo?: bigint | undefined;
  },
): Promise<Republished> {
  return postgres.transaction(async (tx) => {
    const upTo = o.upTo ?? (await lastPosition(tx));
    const moved = await tx.query(
      `WITH earliest AS (
         SELECT position FROM sent_events WHERE ${isOfPeriod} ORDER BY happened_at LIMIT $4),
       again AS (
         DELETE FROM sent_events WHERE position IN (
           -- From where the period begins, in order, until there are enough; by time, all of it would be read and sorted each time.
           SELECT position FROM sent_events
            WHERE position BETWEEN (SELECT min(position) FROM earliest) AND $3
              AND (${isOfPeriod}) IS TRUE AND event ->> 'type' = ANY ($5)
            ORDER BY position LIMIT $4 FOR UPDATE SKIP LOCKED)
         RETURNING position, event)
       INSERT INTO outbox (event) SELECT event FROM again ORDER BY position RETURNING position`,
      [o.from, o.to, upTo, REPUBLISH_BATCH, o.types, SENT_EVENTS_RETENTION_DAYS],
    );
    return { republished: moved.length, upTo };
  });
}

const isOfPeriod = 'happened_at >= greatest($1, now() - make_interval(days => $6)) AND happened_at < $2';

async function lastPosition(tx: Pick<Postgres, 'query'>): Promise<bigint> {
  const [row] = await tx.query<{ last: bigint }>(
    'SELECT coalesce(max(position), 0)::bigint AS last FROM sent_events',
  );
  return row?.last ?? 0n;
}

export function startSentEventsPruning(o: { postgres: Postgres; logger: Logger; metrics: Metrics }) {
  return startRemoving(o, {
    name: 'sent-events-pruning',
    table: 'sent_events',
    key: 'position',
    time: 'happened_at',
    olderThanDays: SENT_EVENTS_RETENTION_DAYS,
  });
}
