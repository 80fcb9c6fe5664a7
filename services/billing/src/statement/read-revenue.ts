/** What offers brought in and what was credited of it, by day, as the ledger has it. */
import { REVENUE_DAYS, type RevenueReply } from '@offer-ads/contracts/admin/billing-api';
import type { Queryable } from '@offer-ads/platform/postgres/postgres';
import type { Book } from '../domain/ledger/ledger.ts';

export async function readRevenue(
  on: Queryable,
  { organisationId, mode, currency }: Book,
  now: Date,
): Promise<RevenueReply> {
  const days = await on.query<{ day: string; sold: bigint; credited: bigint }>(
    `WITH days AS (
       SELECT generate_series(today - $5::integer + 1, today, interval '1 day')::date AS day
         FROM (VALUES (($4::timestamptz AT TIME ZONE 'UTC')::date)) AS last (today)
     )
     SELECT day::text, coalesce(sum(amount_minor) FILTER (WHERE kind = 'sales'), 0)::bigint AS sold,
            coalesce(-sum(amount_minor) FILTER (WHERE kind = 'unused-time-credits'), 0)::bigint AS credited
       FROM days LEFT JOIN (
         SELECT (booked_at AT TIME ZONE 'UTC')::date AS day, a.kind, amount_minor
           FROM transactions t JOIN entries USING (transaction_id) JOIN accounts a USING (account_id)
          WHERE t.organisation_id = $1 AND t.mode = $2 AND t.currency = $3
            AND booked_at >= (SELECT min(day)::timestamp AT TIME ZONE 'UTC' FROM days)
       ) booked USING (day)
      GROUP BY day ORDER BY day`,
    [organisationId, mode, currency, now, REVENUE_DAYS],
  );
  return {
    mode,
    currency,
    days: days.map(({ day, sold, credited }) => ({
      day,
      soldMinor: `${sold}`,
      creditedMinor: `${credited}`,
    })),
  };
}
