/**
 * The SQL of the portal's list: offers with their views, clicks and spend, which are read from sums. The newest offers are a page of the
 * listing. A search, or another order, examines a bounded number of offers for each page:
 * - `newest` with a search examines the next 3,000 offers, and the cursor continues behind them.
 * - `ending_soon` examines the next 3,000 in the order of their ends, in the same way.
 * - Sorted by a figure, the newest 3,000 that fit are sorted, and the page says so when there are more.
 */
import { EXAMINED_OFFERS, type OfferSort } from '@offer-ads/contracts/values/offers-list';
import type { Queryable } from '@offer-ads/platform/postgres/postgres';
import { writeCursor } from '../domain/listing-query.ts';
import type { statusAt } from '../domain/offer.ts';
import { numberIn, type PortalQuery, writeRankedCursor } from '../domain/portal-listing.ts';
import { type OfferReference, type OfferRow, type Owner, toOffer } from '../offers-store.ts';
import { spendOf } from '../results/spend-store.ts';
import { statusAtSql } from '../status-sql.ts';
import {
  type ListedOffer,
  listed,
  named,
  newestFirst,
  newestOffers,
  pageOf,
  range,
  rangeOf,
  type Statement,
  toListedOffer,
} from './listing-store.ts';

export type OfferWithFigures = ListedOffer & {
  readonly views: number;
  readonly clicks: number;
  /** Price less credits, net of VAT; 0 while the offer is not paid. */
  readonly spendMinor: bigint;
};

export type PortalPage = {
  readonly offers: readonly OfferWithFigures[];
  readonly nextCursor: string | null;
  /** Whether only the newest offers that fit were sorted, because there are more than can be examined. */
  readonly onlyNewest: boolean;
};

export async function listForPortal(
  db: Queryable,
  owner: Owner,
  query: PortalQuery,
  now: Date,
): Promise<PortalPage> {
  if (query.sort !== 'newest' || query.search !== null) return listExamined(db, owner, query, now);
  const { sql, values } = newestOffers(owner, query, now, query.limit + 1);
  const rows = await db.query<OfferRow>(withFigures(sql), values);
  const { offers, next } = pageOf(rows.map(toOfferWithFigures), query.limit);
  return { offers, nextCursor: next === null ? null : writeCursor(next), onlyNewest: false };
}

/** One offer, also a deleted one. */
export async function findForPortal(
  db: Queryable,
  reference: OfferReference,
): Promise<OfferWithFigures | null> {
  const [row] = await db.query<OfferRow>(
    withFigures(
      'SELECT * FROM offers WHERE offer_id = $1 AND organisation_id = $2 AND mode = $3 AND shown_at IS NOT NULL',
    ),
    [reference.offerId, reference.organisationId, reference.mode],
  );
  return row === undefined ? null : toOfferWithFigures(row);
}

/** The offers with these ids, in their order. The caller has checked whose they are. */
export async function readForPortal(db: Queryable, ids: readonly number[]): Promise<OfferWithFigures[]> {
  if (ids.length === 0) return [];
  const rows = await db.query<OfferRow>(withFigures('SELECT * FROM offers WHERE offer_id = ANY ($1)'), [ids]);
  const byId = new Map(rows.map((row) => [row['offer_id'], toOfferWithFigures(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** `withFigures` adds the three columns. */
function toOfferWithFigures(row: OfferRow): OfferWithFigures {
  return toListedOffer(row) as OfferWithFigures;
}

function withFigures(page: string): string {
  return `SELECT listed.*, coalesce(views, 0)::float8 AS views, coalesce(clicks, 0)::float8 AS clicks,
      ${spendOf('listed.offer_id')} AS spend_minor
    FROM (${named(page)}) AS listed LEFT JOIN traffic_totals USING (offer_id)
    ${newestFirst}`;
}

export type ExportedOffer = Pick<
  OfferWithFigures,
  | 'offerId'
  | 'title'
  | 'createdAt'
  | 'startAt'
  | 'expiryAt'
  | 'deletedAt'
  | 'disabledSince'
  | 'currency'
  | 'netMinor'
  | 'views'
  | 'clicks'
  | 'spendMinor'
> &
  Parameters<typeof statusAt>[0] &
  Pick<OfferWithFigures, 'endAnnouncedAt'>;

const exportedColumns = `offer_id, title, created_at, start_at, expiry_at, deleted_at, disabled_since, paused_since, paid_at,
  payment_applied_at, end_announced_at, stops, currency, net_minor`;

/** All offers that the query asks for, newest first, with less of each than the list has. Null: there are more than `atMost`. */
export async function exportOffers(
  db: Queryable,
  owner: Owner,
  query: PortalQuery,
  now: Date,
  atMost: number,
): Promise<readonly ExportedOffer[] | null> {
  const { sql, values } = newestOffers(owner, query, now, atMost + 1, exportedColumns);
  const search = [query.search, query.search === null ? null : numberIn(query.search)];
  const [first, second] = [`$${values.length + 1}`, `$${values.length + 2}`];
  const rows = await db.query<OfferRow>(
    `WITH candidates AS MATERIALIZED (${sql})
     SELECT examined, found.* FROM (SELECT count(*)::integer AS examined FROM candidates) AS counted
     LEFT JOIN (
       SELECT candidates.*, coalesce(sums.views, 0)::float8 AS views, coalesce(sums.clicks, 0)::float8 AS clicks,
         ${spendOf('candidates.offer_id')} AS spend_minor
       FROM candidates ${sumsOfCandidates}
       WHERE ${first}::text IS NULL OR ${matchesSql(first, second)}
     ) AS found ON true
     ${newestFirst}`,
    [...values, ...search],
  );
  if (Number(rows[0]?.['examined']) > atMost) return null;
  return rows.filter(({ offer_id: id }) => id !== null).map((row) => toOffer(row) as OfferWithFigures);
}

/**
 * With an array, Postgres walks the index of the sums once, in the order of the ids. With a join it looks for each offer anew, which takes
 * three times as long, or reads the sums of all offers.
 */
export const sumsOf = (offers: string) =>
  `(SELECT offer_id, views, clicks FROM traffic_totals WHERE offer_id = ANY (ARRAY(SELECT offer_id FROM ${offers})))`;
const sumsOfCandidates = `LEFT JOIN ${sumsOf('candidates')} AS sums USING (offer_id)`;

type Examined = {
  readonly examined: number;
  readonly last_created_at: Date;
  readonly last_expiry_at: Date;
  readonly last_id: number;
  /** Null: nothing was found. */
  readonly offer_id: number | null;
  readonly rank: number;
  readonly created_at: Date;
};

async function listExamined(db: Queryable, owner: Owner, query: PortalQuery, now: Date): Promise<PortalPage> {
  const { limit, sort } = query;
  const { sql, values } = findExamined(owner, query, now);
  const rows = await db.query<Examined>(sql, values);
  const found = rows.filter(({ offer_id: id }) => id !== null);
  const shown = found.slice(0, limit);
  const [any] = rows;
  const last = shown.at(-1);
  const place =
    found.length > limit && last !== undefined
      ? { offerId: last.offer_id ?? 0, createdAt: last.created_at, rank: last.rank }
      : any !== undefined && any.examined === EXAMINED_OFFERS && !isFigure(sort)
        ? { offerId: any.last_id, createdAt: any.last_created_at, rank: any.last_expiry_at.getTime() }
        : null;
  return {
    offers: await readForPortal(
      db,
      shown.map(({ offer_id: id }) => id ?? 0),
    ),
    nextCursor:
      place === null ? null : sort === 'newest' ? writeCursor(place) : writeRankedCursor(sort, place),
    onlyNewest: isFigure(sort) && any?.examined === EXAMINED_OFFERS,
  };
}

function isFigure(sort: OfferSort): boolean {
  return sort !== 'newest' && sort !== 'ending_soon';
}

const examinedColumns = 'offer_id, created_at, expiry_at, title';
/** What `statusAtSql` reads. */
const statusColumns = `${examinedColumns}, start_at, end_announced_at, payment_applied_at, paused_since, disabled_since`;

/** One row for each offer found, and one more than the page shows; at least one row, with what was examined. */
function findExamined(owner: Owner, query: PortalQuery, now: Date): Statement {
  const { sort, search, afterRanked, limit } = query;
  const candidates =
    sort === 'ending_soon'
      ? endingOffers(owner, query, now)
      : newestOffers(owner, query, now, EXAMINED_OFFERS, examinedColumns);
  const values = [...candidates.values];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const conditions = [
    search === null ? 'true' : matchesSql(parameter(search), parameter(numberIn(search))),
    sort === 'ending_soon' ? `fits` : 'true',
    afterRanked === null || sort === 'ending_soon'
      ? 'true'
      : `(rank, offer_id) < (${parameter(afterRanked.rank)}::float8, ${parameter(afterRanked.offerId)}::integer)`,
  ];
  const order = sort === 'ending_soon' ? 'ASC' : 'DESC';
  const sql = `WITH candidates AS MATERIALIZED (${candidates.sql}),
    ranked AS (SELECT candidates.*, ${ranks[sort].rank} AS rank FROM candidates ${ranks[sort].join}),
    last AS (SELECT * FROM candidates ORDER BY ${sort === 'ending_soon' ? 'expiry_at DESC, offer_id DESC' : 'created_at, offer_id'} LIMIT 1)
    SELECT examined, last.created_at AS last_created_at, last.expiry_at AS last_expiry_at, last.offer_id AS last_id, found.*
    FROM (SELECT count(*)::integer AS examined FROM candidates) AS counted
    LEFT JOIN last ON true
    LEFT JOIN (SELECT offer_id, created_at, rank FROM ranked WHERE ${conditions.join(' AND ')}
      ORDER BY rank ${order}, offer_id ${order} LIMIT ${parameter(limit + 1)}) AS found ON true
    ORDER BY found.rank ${order}, found.offer_id ${order}`;
  return { sql, values };
}

/** Doubles: exact for instants in milliseconds and for any number of views that is expected. */
const ranks: Record<OfferSort, { readonly rank: string; readonly join: string }> = {
  newest: { rank: 'extract(epoch FROM created_at)::float8 * 1000', join: '' },
  ending_soon: { rank: '(extract(epoch FROM expiry_at) * 1000)::float8', join: '' },
  most_views: { rank: 'coalesce(sums.views, 0)::float8', join: sumsOfCandidates },
  most_clicks: { rank: 'coalesce(sums.clicks, 0)::float8', join: sumsOfCandidates },
  most_spend: {
    rank: 'greatest(coalesce(spend, 0), 0)::float8',
    join: `LEFT JOIN (SELECT offer_id, sum(amount_minor) AS spend FROM offer_spend
        WHERE offer_id = ANY (ARRAY(SELECT offer_id FROM candidates)) GROUP BY offer_id) AS spent USING (offer_id)`,
  },
};

/** @param number the parameter of the number of an offer, or null */
const matchesSql = (search: string, number: string) =>
  `(strpos(lower(title), lower(${search}::text)) > 0 OR offer_id = ${number}::integer)`;

/** Behind all offers that end at the same instant. */
const maxOfferId = 2 ** 31 - 1;

/** Offers that have not ended, those that end next first, behind the place of the query. `fits`: whether the filters of the query hold. */
function endingOffers(owner: Owner, query: PortalQuery, now: Date): Statement {
  const { status, afterRanked, onlyDeleted, onlyDisabled } = query;
  const from =
    afterRanked !== null && afterRanked.rank > now.getTime()
      ? { expiryAt: new Date(afterRanked.rank), offerId: afterRanked.offerId }
      : { expiryAt: now, offerId: maxOfferId };
  const values = [
    ...rangeOf(owner, { ...query, after: null }),
    EXAMINED_OFFERS,
    now,
    from.expiryAt,
    from.offerId,
    status,
  ];
  const statusNow = statusAtSql('$7');
  const sql = `SELECT *, ${onlyDeleted ? 'false' : 'true'} AND ${statusNow} <> 'ended' AND ($10::text IS NULL OR ${statusNow} = $10)
      ${onlyDisabled ? 'AND disabled_since IS NOT NULL' : ''} AS fits
    FROM (SELECT ${statusColumns} FROM offers
      WHERE organisation_id = $1 AND mode = $2 AND ${listed} AND ${range}
        AND (expiry_at, offer_id) > ($8, $9)
      ORDER BY expiry_at, offer_id LIMIT $6) AS ending`;
  return { sql, values };
}
