/** The inbox: an event takes effect once, because its id is recorded in the same transaction as the effect. */

import type { Postgres, Transaction } from '../postgres/postgres.ts';
import { startRemoving } from '../postgres/removing.ts';
import type { Logger } from '../telemetry/logging.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** False: this event was handled before, so do nothing. Waits while another handler of the same event is running. */
export async function recordInInbox(tx: Transaction, eventId: string): Promise<boolean> {
  const recorded = await tx.query(
    'INSERT INTO inbox (event_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING event_id',
    [eventId],
  );
  return recorded.length === 1;
}

/** Longer than any retry and any outage of the broker. Later only a person replays events, and handlers tolerate a repetition. */
export const INBOX_RETENTION_DAYS = 30;

export function startInboxPruning(o: { postgres: Postgres; logger: Logger; metrics: Metrics }) {
  return startRemoving(o, {
    name: 'inbox-pruning',
    table: 'inbox',
    key: 'event_id',
    time: 'handled_at',
    olderThanDays: INBOX_RETENTION_DAYS,
  });
}
