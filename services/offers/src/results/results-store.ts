/** The SQL of the portal's first page: which offers run now, and which had most views. */
import { EXAMINED_OFFERS } from '@offer-ads/contracts/values/offers-list';
import type { Queryable } from '@offer-ads/platform/postgres/postgres';
import type { ListedStatus } from '../domain/listing-query.ts';
import type { Period } from '../domain/traffic/analytics-period.ts';
import type { Traffic } from '../domain/traffic/traffic.ts';
import { listed, newestFirst } from '../listing/listing-store.ts';
import { sumsOf } from '../listing/portal-listing-store.ts';
import type { Owner } from '../offers-store.ts';
import { statusAtSql } from '../status-sql.ts';

export type OffersNow = {
  /** `disabled`: by the platform's staff, whatever the status is. */
  readonly counts: Readonly<Record<Exclude<ListedStatus, 'ended'> | 'disabled', number>>;
  /** Only so many are counted. */
  readonly areMore: boolean;
  readonly hasAny: boolean;
};

/** Offers that have not ended. The quota bounds them; the query does too, and its order makes Postgres walk the index of ends. */
export async function countOffersNow(
  db: Queryable,
  { organisationId, mode }: Owner,
  now: Date,
): Promise<OffersNow> {
  const rows = await db.query<{ status: ListedStatus | 'disabled'; count: number }>(
    `SELECT CASE WHEN disabled_since IS NULL THEN ${statusAtSql('$3')} ELSE 'disabled' END AS status, count(*)::integer AS count FROM (
       SELECT * FROM offers WHERE organisation_id = $1 AND mode = $2 AND ${listed} AND expiry_at > $3
       ORDER BY expiry_at, offer_id LIMIT $4
     ) AS going GROUP BY 1`,
    [organisationId, mode, now, EXAMINED_OFFERS],
  );
  const countOf = (status: ListedStatus | 'disabled') =>
    rows.find((row) => row.status === status)?.count ?? 0;
  const examined = rows.reduce((sum, { count }) => sum + count, 0);
  const any =
    examined > 0
      ? [{}]
      : await db.query(
          // Without an order Postgres reads the table until it meets one.
          `SELECT FROM offers WHERE organisation_id = $1 AND mode = $2 AND ${listed} ${newestFirst} LIMIT 1`,
          [organisationId, mode],
        );
  return {
    counts: {
      active: countOf('active'),
      scheduled: countOf('scheduled'),
      paused: countOf('paused'),
      awaiting_payment: countOf('awaiting_payment'),
      disabled: countOf('disabled'),
    },
    areMore: examined === EXAMINED_OFFERS,
    hasAny: any.length > 0,
  };
}

export type BestOffer = Traffic & { readonly offerId: number };

/** Of the offers that ran in the period, so many with the most views in all are compared by their views in the period. */
const COMPARED = 100;

export async function bestOffers(
  db: Queryable,
  { organisationId, mode }: Owner,
  { from, to }: Period,
  limit: number,
): Promise<BestOffer[]> {
  return db.query<BestOffer>(
    `WITH ran AS MATERIALIZED (
       SELECT offer_id FROM offers
       WHERE organisation_id = $1 AND mode = $2 AND ${listed} AND expiry_at > $3 ORDER BY expiry_at, offer_id LIMIT $5),
     compared AS MATERIALIZED (
       SELECT offer_id FROM ${sumsOf('ran')} AS sums ORDER BY views DESC, offer_id DESC LIMIT $6)
     SELECT offer_id AS "offerId", views, clicks FROM compared
     JOIN LATERAL (SELECT sum(views)::float8 AS views, sum(clicks)::float8 AS clicks
       FROM traffic WHERE traffic.offer_id = compared.offer_id AND hour >= $3 AND hour <= $4) AS counted ON views > 0 OR clicks > 0
     ORDER BY views DESC, clicks DESC, offer_id DESC LIMIT $7`,
    [organisationId, mode, from, to, EXAMINED_OFFERS, COMPARED, limit],
  );
}
