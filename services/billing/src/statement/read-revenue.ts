/** What offers brought in and what was credited of it, by day, as the ledger has it. */
import { REVENUE_DAYS, type RevenueReply, type revenueQuery } from '@offer-ads/contracts/admin/billing-api';
import { DAY_MS } from '@offer-ads/contracts/values/durations';
import type { Queryable } from '@offer-ads/platform/postgres/postgres';
import type { z } from 'zod';

type DayRow = { currency: string; day: string; from_balance: bigint; by_card: bigint; credited: bigint };

/**
 * The offers of a group that was paid by card are charged from the balance to which it pays; a group that was closed before has none. The ids
 * of the period bound what is read of the entries.
 */
const REVENUE = `
  WITH period AS MATERIALIZED (
    SELECT transaction_id, kind, currency, (booked_at AT TIME ZONE 'UTC')::date::text AS day,
           CASE kind WHEN 'group-card-payment'
                THEN (SELECT state FROM payments WHERE group_id = split_part(cause, ' ', 2)::bigint) END AS group_state
      FROM transactions
     WHERE booked_at >= $1 AND booked_at < $2 AND mode = $3
       AND ($4::bigint IS NULL OR organisation_id = $4) AND ($5::text IS NULL OR currency = $5)
       AND kind IN ('offer-charge', 'offer-card-payment', 'group-card-payment', 'unused-time-credit')
  ), moved AS (
    SELECT period.currency, day,
           sum(amount_minor) FILTER (WHERE a.kind = 'sales') AS sold,
           coalesce(sum(amount_minor) FILTER (WHERE a.kind = 'sales' AND period.kind = 'offer-card-payment'
                                              OR a.kind = 'prepaid-balance' AND group_state = 'paid'), 0) AS by_card,
           -sum(amount_minor) FILTER (WHERE a.kind = 'unused-time-credits') AS credited
      FROM period JOIN entries USING (transaction_id) JOIN accounts a USING (account_id)
     WHERE entries.transaction_id BETWEEN (SELECT min(transaction_id) FROM period) AND (SELECT max(transaction_id) FROM period)
     GROUP BY period.currency, day
  )
  SELECT currency, day, (coalesce(sold, 0) - by_card)::bigint AS from_balance, by_card::bigint, coalesce(credited, 0)::bigint AS credited
    FROM moved WHERE sold IS NOT NULL OR credited IS NOT NULL ORDER BY currency, day`;

export async function readRevenue(
  on: Queryable,
  { mode, organisationId, currency, month }: z.infer<typeof revenueQuery>,
  now: Date,
): Promise<RevenueReply> {
  const days = daysOf(month, now);
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined) return { mode, currencies: [] };
  const to = new Date(last.getTime() + DAY_MS);
  const rows = await on.query<DayRow>(REVENUE, [first, to, mode, organisationId ?? null, currency ?? null]);
  const currencies = [...new Set(rows.map((row) => row.currency))].map((currency) => {
    const booked = new Map(rows.filter((row) => row.currency === currency).map((row) => [row.day, row]));
    return { currency, days: days.map(dateOf).map((day) => amountsOf(day, booked.get(day))) };
  });
  return { mode, currencies };
}

function amountsOf(day: string, booked: DayRow | undefined) {
  return {
    day,
    fromBalanceMinor: `${booked?.from_balance ?? 0}`,
    byCardMinor: `${booked?.by_card ?? 0}`,
    creditedMinor: `${booked?.credited ?? 0}`,
  };
}

/** When the days of the period begin, up to today. */
function daysOf(month: string | undefined, now: Date): readonly Date[] {
  const today = Date.parse(dateOf(now));
  const first = month === undefined ? today - (REVENUE_DAYS - 1) * DAY_MS : Date.parse(month);
  return Array.from({ length: 31 }, (_, place) => new Date(first + place * DAY_MS)).filter(
    (day) => day.getTime() <= today && (month === undefined || dateOf(day).startsWith(month)),
  );
}

function dateOf(at: Date): string {
  return at.toISOString().slice(0, 10);
}
