/** The SQL that deletes what is needed for some time only. */
import type { Queryable } from '@offer-ads/platform/postgres/postgres';

/** Which rows of each table are old at `$1`, in the order of an index, and the key of the table. */
const old = {
  // Ids of views and clicks that were seen on other days; the others are deleted by whole slots.
  traffic_inbox_other_days: { rows: 'handled_at < $1', order: 'handled_at', key: 'event_id' },
  traffic_viewers: {
    rows: 'hour < $1 AND touched_at < $1',
    order: 'hour, viewer',
    key: 'hour, viewer',
  },
  // Keys of edits. Those of creations stay (decision 10, idempotency keys).
  idempotency_keys: {
    rows: `recovery_point = 'finished' AND reply ->> 'offer_id' IS NULL AND reply ->> 'group_id' IS NULL AND lease_until < $1`,
    order: 'lease_until',
    key: 'organisation_id, mode, idempotency_key',
  },
  // Of days (UTC) that are over.
  placement_viewers: {
    rows: `day < ($1::timestamptz AT TIME ZONE 'UTC')::date`,
    order: 'day, viewer',
    key: 'day, viewer',
  },
  placement_shares: { rows: 'hour < $1', order: 'hour, offer_id', key: 'offer_id, hour' },
} as const;

export type Forgettable = keyof typeof old;

/** @returns how many rows were deleted. Rows that another transaction has locked are left for the next run */
export async function forget(
  db: Queryable,
  table: Forgettable,
  before: Date,
  atMost: number,
): Promise<number> {
  const { rows, order, key } = old[table];
  const forgotten = await db.query(
    `DELETE FROM ${table} WHERE (${key}) IN (
       SELECT ${key} FROM ${table} WHERE ${rows} ORDER BY ${order} LIMIT $2 FOR UPDATE SKIP LOCKED
     ) RETURNING 1`,
    [before, atMost],
  );
  return forgotten.length;
}
