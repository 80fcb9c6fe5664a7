/** The SQL of what organisations spend on offers: prices, which triggers book, less credits of Unused Time. */
import type { BalanceCredited } from '@offer-ads/contracts/events/billing';
import type { EventData } from '@offer-ads/contracts/events/event-declaration';
import type { Queryable, Transaction } from '@offer-ads/platform/postgres/postgres';
import type { Period } from '../domain/traffic/analytics-period.ts';
import type { Owner } from '../offers-store.ts';

/** The caller calls it once for each event. */
export async function bookCredit(
  tx: Transaction,
  { organisationId, mode, offerId, amountMinor }: EventData<typeof BalanceCredited>,
  at: Date,
): Promise<void> {
  if (BigInt(amountMinor) === 0n) return;
  await tx.query(
    `INSERT INTO offer_spend (organisation_id, mode, booked_at, offer_id, amount_minor) VALUES ($1, $2, $3, $4, -$5::bigint)`,
    [organisationId, mode, at, offerId, amountMinor],
  );
}

/** Of one offer, named by an expression; for lists. */
export const spendOf = (offerId: string) =>
  `(SELECT coalesce(sum(amount_minor), 0)::bigint FROM offer_spend WHERE offer_spend.offer_id = ${offerId})`;

/** More bookings than this are not added up while somebody waits. */
export const MAX_BOOKINGS = 100_000;

/** Null: there are more than `MAX_BOOKINGS`. */
export async function spendIn(
  db: Queryable,
  { organisationId, mode }: Owner,
  { from, to }: Period,
): Promise<bigint | null> {
  const [row] = await db.query<{ bookings: number; spend: bigint }>(
    `SELECT count(*)::integer AS bookings, coalesce(sum(amount_minor), 0)::bigint AS spend FROM (
       SELECT amount_minor FROM offer_spend
       WHERE organisation_id = $1 AND mode = $2 AND booked_at >= $3 AND booked_at <= $4 LIMIT $5
     ) AS booked`,
    [organisationId, mode, from, to, MAX_BOOKINGS + 1],
  );
  return row === undefined || row.bookings > MAX_BOOKINGS ? null : row.spend;
}
