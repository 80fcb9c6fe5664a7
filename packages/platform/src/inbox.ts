/** The inbox: an event's effect happens once, because its id is recorded in the same transaction. */
import type { Logger } from './logging.ts';
import { startLoop } from './loops.ts';
import type { Metrics } from './metrics.ts';
import type { Postgres, Transaction } from './postgres.ts';

/** False: this event was handled before, so do nothing. Waits for a handler of the same event that is at work. */
export async function recordInInbox(tx: Transaction, eventId: string): Promise<boolean> {
  const recorded = await tx.query(
    'INSERT INTO inbox (event_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING event_id',
    [eventId],
  );
  return recorded.length === 1;
}

/** Longer than any retry and any outage of the broker; after that only a person replays, and handlers bear it. */
export const INBOX_RETENTION_DAYS = 30;
const PRUNE_EVERY_MS = 3_600_000;
/** A statement of some ten milliseconds. */
export const INBOX_PRUNE_BATCH = 5_000;

export function startInboxPruning(o: { postgres: Postgres; logger: Logger; metrics: Metrics }) {
  return startLoop({
    name: 'inbox-pruning',
    everyMs: PRUNE_EVERY_MS,
    logger: o.logger,
    metrics: o.metrics,
    work: (signal) => pruneInbox(o.postgres, signal),
  });
}

/** In batches: one statement for all of them may take longer than a statement may, and then nothing would ever be removed. */
async function pruneInbox(postgres: Postgres, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const gone = await postgres.query(
      `DELETE FROM inbox WHERE event_id IN (
         SELECT event_id FROM inbox WHERE handled_at < now() - make_interval(days => $1)
          ORDER BY handled_at LIMIT $2 FOR UPDATE SKIP LOCKED)
       RETURNING event_id`,
      [INBOX_RETENTION_DAYS, INBOX_PRUNE_BATCH],
    );
    if (gone.length < INBOX_PRUNE_BATCH) return;
  }
}
