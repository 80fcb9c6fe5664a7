/** The SQL of views and clicks. */
import type { Queryable, Transaction } from '@offer-ads/platform/postgres';
import type { Period } from './domain/analytics-period.ts';

export type Traffic = { readonly views: number; readonly clicks: number };

/** Counts one view or click in its hour; exactly once is the caller's care, by the inbox in the same transaction. */
export async function addTraffic(
  tx: Transaction,
  offerId: number,
  hour: Date,
  { views, clicks }: Traffic,
): Promise<void> {
  await tx.query(
    `INSERT INTO traffic (offer_id, hour, views, clicks) VALUES ($1, $2, $3, $4)
     ON CONFLICT (offer_id, hour)
     DO UPDATE SET views = traffic.views + excluded.views, clicks = traffic.clicks + excluded.clicks`,
    [offerId, hour, views, clicks],
  );
}

/**
 * Nothing is counted before the creation or after now, so the whole hours that the period touches hold exactly what lies
 * in it (decision 18a).
 */
export async function sumTraffic(db: Queryable, offerId: number, period: Period): Promise<Traffic> {
  const [row] = await db.query<Traffic>(
    `SELECT coalesce(sum(views), 0)::int AS views, coalesce(sum(clicks), 0)::int AS clicks FROM traffic
     WHERE offer_id = $1 AND hour >= date_trunc('hour', $2::timestamptz, 'UTC') AND hour <= $3`,
    [offerId, period.from, period.to],
  );
  return row ?? { views: 0, clicks: 0 };
}

/** Null: no such offer is shown to anybody, so nobody can have seen it. */
export async function findCreationTime(db: Queryable, offerId: number): Promise<Date | null> {
  const [row] = await db.query<{ created_at: Date }>(
    'SELECT created_at FROM offers WHERE offer_id = $1 AND shown_at IS NOT NULL',
    [offerId],
  );
  return row?.created_at ?? null;
}
