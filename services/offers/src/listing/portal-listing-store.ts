/**
 * The SQL of the portal's list: offers with their views, clicks and spend, which are read from sums. The newest offers are a page of the
 * listing. A search, or another order, examines a bounded number of offers for each page:
 * - `newest` with a search examines the next 3,000 offers, and the cursor continues behind them.
 * - `ending_soon` examines the next 3,000 in the order of their ends, in the same way.
 * - Sorted by a figure, the newest 3,000 that fit are sorted, and the page says so when there are more.
 */

import { offerTextFacts } from '@offer-ads/contracts/values/offer-texts';
import { EXAMINED_OFFERS, type OfferSort } from '@offer-ads/contracts/values/offers-list';
import { GREATEST_ID } from '@offer-ads/contracts/values/primitives';
import type { Queryable } from '@offer-ads/platform/postgres/postgres';
import { writeCursor } from '../domain/listing-query.ts';
import type { OfferContent, statusAt } from '../domain/offer.ts';
import { numberIn, type PortalQuery, writeRankedCursor } from '../domain/portal-listing.ts';
import {
  columnOf,
  type OfferReference,
  type OfferRow,
  type Owner,
  referenceValues,
  thisOffer,
  toOffer,
} from '../offers-store.ts';
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
} from './listing-store.ts';

export type OfferWithFigures = ListedOffer & {
  readonly views: number;
  readonly clicks: number;
  /** Price less credits, net of VAT; 0 while the offer is not paid. */
  readonly spendMinor: bigint;
  /** Those of its group that are not deleted. */
  readonly groupOffers: number | null;
};

/** For the rows of `withFigures`, which adds the four columns. */
const toOfferWithFigures = toOffer as (row: OfferRow) => OfferWithFigures;

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
  const { sort } = query;
  if (sort !== 'newest' && sort !== 'ending_soon') return listByFigure(db, owner, query, sort, now);
  if (sort === 'ending_soon' || query.search !== null) return listInOrder(db, owner, query, sort, now);
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
    withFigures(`SELECT * FROM offers WHERE ${thisOffer}`),
    referenceValues(reference),
  );
  return row === undefined ? null : toOfferWithFigures(row);
}

/** All offers of a group in the order of its places, deleted ones too. */
export async function findGroup(
  db: Queryable,
  { organisationId, mode }: Owner,
  groupId: number,
): Promise<OfferWithFigures[]> {
  const condition = 'group_id = $1 AND organisation_id = $2 AND mode = $3 AND shown_at IS NOT NULL';
  const rows = await db.query<OfferRow>(withFigures(`SELECT * FROM offers WHERE ${condition}`), [
    groupId,
    organisationId,
    mode,
  ]);
  return rows.map(toOfferWithFigures).toSorted((a, b) => a.offerId - b.offerId);
}

/** The offers with these ids, in their order. The caller has checked whose they are. */
export async function readForPortal(db: Queryable, ids: readonly number[]): Promise<OfferWithFigures[]> {
  if (ids.length === 0) return [];
  const rows = await db.query<OfferRow>(withFigures('SELECT * FROM offers WHERE offer_id = ANY ($1)'), [ids]);
  const byId = new Map(rows.map((row) => [row['offer_id'], toOfferWithFigures(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

function withFigures(page: string): string {
  return `SELECT listed.*, coalesce(views, 0)::float8 AS views, coalesce(clicks, 0)::float8 AS clicks,
      ${spendOf('listed.offer_id')} AS spend_minor,
      CASE WHEN listed.group_id IS NOT NULL THEN (SELECT count(*)::integer FROM offers AS other
        WHERE other.group_id = listed.group_id AND other.shown_at IS NOT NULL AND other.deleted_at IS NULL) END AS group_offers
    FROM (${named(page)}) AS listed LEFT JOIN traffic_totals USING (offer_id)
    ${newestFirst}`;
}

export type ExportedOffer = OfferContent &
  Pick<
    OfferWithFigures,
    | 'offerId'
    | 'placeLabel'
    | 'createdAt'
    | 'startAt'
    | 'expiryAt'
    | 'deletedAt'
    | 'disabledSince'
    | 'currency'
    | 'netMinor'
    | 'matchingUsers'
    | 'views'
    | 'clicks'
    | 'spendMinor'
  > &
  Parameters<typeof statusAt>[0];

const exportedColumns = `offer_id, place_label, category_id, ${offerTextFacts.map(columnOf).join(', ')}, url, latitude, longitude, radius_miles, gender, interests, created_at, start_at, expiry_at, deleted_at, disabled_since, paused_since, paid_at,
  payment_applied_at, end_announced_at, stops, currency, net_minor, matching_users`;

/** All offers that the query asks for, newest first, with less of each than the list has. Null: there are more than `atMost`. */
export async function exportOffers(
  db: Queryable,
  owner: Owner,
  query: PortalQuery,
  now: Date,
  atMost: number,
): Promise<readonly ExportedOffer[] | null> {
  const { sql, values } = newestOffers(owner, query, now, atMost + 1, exportedColumns);
  const all = [...values];
  const matches = matchesSql(query.search, (value) => `$${all.push(value)}`);
  const rows = await db.query<OfferRow>(
    `WITH candidates AS MATERIALIZED (${sql})
     SELECT examined, found.* FROM (SELECT count(*)::integer AS examined FROM candidates) AS counted
     LEFT JOIN (
       SELECT candidates.*, coalesce(sums.views, 0)::float8 AS views, coalesce(sums.clicks, 0)::float8 AS clicks,
         ${spendOf('candidates.offer_id')} AS spend_minor
       FROM candidates ${sumsOfCandidates}
       WHERE ${matches}
     ) AS found ON true
     ${newestFirst}`,
    all,
  );
  if (Number(rows[0]?.['examined']) > atMost) return null;
  return rows.filter(({ offer_id: id }) => id !== null).map(toOfferWithFigures);
}

/**
 * With an array, Postgres walks the index of the sums once, in the order of the ids. With a join it looks for each offer anew, which takes
 * three times as long, or reads the sums of all offers.
 */
export const sumsOf = (offers: string) =>
  `(SELECT offer_id, views, clicks FROM traffic_totals WHERE offer_id = ANY (ARRAY(SELECT offer_id FROM ${offers})))`;
const sumsOfCandidates = `LEFT JOIN ${sumsOf('candidates')} AS sums USING (offer_id)`;

const examinedColumns = 'offer_id, created_at, expiry_at, title';
/** What `statusAtSql` reads. */
const statusColumns = `${examinedColumns}, start_at, end_announced_at, payment_applied_at, paused_since, disabled_since`;

const orders = {
  newest: 'created_at DESC, offer_id DESC',
  ending_soon: 'expiry_at, offer_id',
} as const;

type InOrder = {
  readonly offer_id: number;
  readonly created_at: Date;
  readonly expiry_at: Date;
  readonly fits: boolean;
  /** 1 for the first candidate. */
  readonly place: number;
};

/** Reads candidates in their order until the page is full, or until the last one that may be examined. */
async function listInOrder(
  db: Queryable,
  owner: Owner,
  query: PortalQuery,
  sort: keyof typeof orders,
  now: Date,
): Promise<PortalPage> {
  const { search, limit } = query;
  const candidates =
    sort === 'newest'
      ? newestOffers(owner, query, now, EXAMINED_OFFERS, `${examinedColumns}, true AS fits`)
      : endingOffers(owner, query, now);
  const values = [...candidates.values];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const rows = await db.query<InOrder>(
    `SELECT offer_id, created_at, expiry_at, fits, place FROM (
       SELECT offer_id, created_at, expiry_at, fits AND ${matchesSql(search, parameter)} AS fits,
         (row_number() OVER (ORDER BY ${orders[sort]}))::integer AS place
       FROM (${candidates.sql}) AS candidates
     ) AS examined
     WHERE fits OR place = ${parameter(EXAMINED_OFFERS)} ORDER BY ${orders[sort]} LIMIT ${parameter(limit + 1)}`,
    values,
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const hasNext = rows.length > limit || last?.place === EXAMINED_OFFERS;
  return {
    offers: await readForPortal(
      db,
      page.filter(({ fits }) => fits).map(({ offer_id: id }) => id),
    ),
    nextCursor: last !== undefined && hasNext ? cursorBehind(last, sort) : null,
    onlyNewest: false,
  };
}

function cursorBehind(
  { offer_id: offerId, created_at: createdAt, expiry_at: expiryAt }: InOrder,
  sort: keyof typeof orders,
): string {
  return sort === 'newest'
    ? writeCursor({ createdAt, offerId })
    : writeRankedCursor(sort, { rank: expiryAt.getTime(), offerId });
}

type Figure = Exclude<OfferSort, keyof typeof orders>;

/** Doubles: exact for any number of views that is expected. */
const figures: Record<Figure, { readonly figure: string; readonly join: string }> = {
  most_views: { figure: 'coalesce(sums.views, 0)::float8', join: sumsOfCandidates },
  most_clicks: { figure: 'coalesce(sums.clicks, 0)::float8', join: sumsOfCandidates },
  most_spend: {
    figure: 'greatest(coalesce(spend, 0), 0)::float8',
    join: `LEFT JOIN (SELECT offer_id, sum(amount_minor) AS spend FROM offer_spend
        WHERE offer_id = ANY (ARRAY(SELECT offer_id FROM candidates)) GROUP BY offer_id) AS spent USING (offer_id)`,
  },
};

/** The newest offers that the query asks for, sorted by a figure. */
async function listByFigure(
  db: Queryable,
  owner: Owner,
  query: PortalQuery,
  sort: Figure,
  now: Date,
): Promise<PortalPage> {
  const { search, afterRanked, limit } = query;
  const candidates = newestOffers(owner, query, now, EXAMINED_OFFERS, examinedColumns);
  const values = [...candidates.values];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const { figure, join } = figures[sort];
  const behind =
    afterRanked === null
      ? 'true'
      : `(rank, offer_id) < (${parameter(afterRanked.rank)}::float8, ${parameter(afterRanked.offerId)}::integer)`;
  const rows = await db.query<{ examined: number; offer_id: number | null; rank: number }>(
    `WITH candidates AS MATERIALIZED (${candidates.sql}),
       ranked AS (SELECT candidates.*, ${figure} AS rank FROM candidates ${join})
     SELECT examined, found.* FROM (SELECT count(*)::integer AS examined FROM candidates) AS counted
     LEFT JOIN (SELECT offer_id, rank FROM ranked WHERE ${matchesSql(search, parameter)} AND ${behind}
       ORDER BY rank DESC, offer_id DESC LIMIT ${parameter(limit + 1)}) AS found ON true
     ORDER BY rank DESC, offer_id DESC`,
    values,
  );
  const found = rows.flatMap(({ offer_id: offerId, rank }) => (offerId === null ? [] : [{ offerId, rank }]));
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    offers: await readForPortal(
      db,
      page.map(({ offerId }) => offerId),
    ),
    nextCursor: last === undefined ? null : writeRankedCursor(sort, last),
    onlyNewest: rows[0]?.examined === EXAMINED_OFFERS,
  };
}

/** @param parameter gives a value its place in the statement */
function matchesSql(search: string | null, parameter: (value: unknown) => string): string {
  if (search === null) return 'true';
  return `(strpos(lower(title), lower(${parameter(search)}::text)) > 0 OR offer_id = ${parameter(numberIn(search))}::integer)`;
}

/** Offers that have not ended, those that end next first, behind the place of the query. `fits`: whether the filters of the query hold. */
function endingOffers(owner: Owner, query: PortalQuery, now: Date): Statement {
  const { status, afterRanked, onlyDeleted, onlyDisabled } = query;
  const from =
    afterRanked !== null && afterRanked.rank > now.getTime()
      ? { expiryAt: new Date(afterRanked.rank), offerId: afterRanked.offerId }
      : // Behind all offers that end now.
        { expiryAt: now, offerId: GREATEST_ID };
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
